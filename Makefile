# What a person types: build, train, test. CMake does the work (CMakePresets.json).

RANKS ?= 2
CONFIG ?= configs/qcnn_hybrid.toml
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
PROGRAM := build/release/wavetrain
# Asked when used: `make test` may install clang first.
SANITIZED = $(if $(shell command -v clang++),fuzz,dev)
SANITIZED_BUILD = $(if $(filter fuzz,$(SANITIZED)),build/fuzz,build/asan)
FUZZERS = $(if $(filter fuzz,$(SANITIZED)),wavetrain_fuzzers)

.DEFAULT_GOAL := help
.PHONY: help deps test-deps build train test test-long asan faults format clean install

help:
	@echo "make train      install what is missing, build, train $(CONFIG) on $(RANKS) ranks"
	@echo "make test       install what is missing, build, run all tests"
	@echo "make test-long  the tests that take long"
	@echo "make faults     the table of faults: seconds, exit code, resumed with the same bits"
	@echo "make deps       install what is missing, by apt"
	@echo "make build      build only: $(PROGRAM)"
	@echo "make format     clang-format all sources"
	@echo "make install    install below PREFIX ($(PREFIX))"
	@echo "make clean      remove the build folder"
	@echo "Settings: RANKS=$(RANKS) CONFIG=$(CONFIG) PREFIX=$(PREFIX) JOBS=$(JOBS)"

deps:
	@scripts/deps.sh

# Also what only tests need: clang, Slurm, an ssh server. Services are neither started nor enabled.
test-deps:
	@scripts/deps.sh tests

# Every fault that a cluster has to offer: how long until the end, the exit code, the same bits?
faults: test-deps
	@$(MAKE) --no-print-directory build
	@/usr/bin/python3 tests/faults/table.py

build:
	@cmake --preset release --log-level=WARNING >/dev/null
	@cmake --build build/release -j $(JOBS)

train: deps
	@$(MAKE) --no-print-directory build
	@scripts/mpirun.sh -n $(RANKS) $(PROGRAM) train $(CONFIG) --overwrite

# The unit tests once more under address and undefined-behaviour sanitizers; by clang, where it is
# installed, so that one build serves the fuzzers too.
asan:
	@cmake --preset $(SANITIZED) --log-level=WARNING >/dev/null
	@cmake --build $(SANITIZED_BUILD) -j $(JOBS) --target wavetrain_unit $(FUZZERS)

test: test-deps
	@$(MAKE) --no-print-directory build asan
	@cmake --preset release --log-level=WARNING \
	    -DWAVETRAIN_SANITIZED_UNIT=$(CURDIR)/$(SANITIZED_BUILD)/tests/wavetrain_unit \
	    -DWAVETRAIN_FUZZERS=$(if $(FUZZERS),$(CURDIR)/$(SANITIZED_BUILD)/tests/fuzz) >/dev/null
	@ctest --test-dir build/release --output-on-failure --no-tests=error -j $(JOBS) -LE long

test-long: test-deps
	@$(MAKE) --no-print-directory build asan
	@cmake --preset release --log-level=WARNING \
	    -DWAVETRAIN_FUZZERS=$(if $(FUZZERS),$(CURDIR)/$(SANITIZED_BUILD)/tests/fuzz) >/dev/null
	@ctest --test-dir build/release --output-on-failure --no-tests=error -L long

format:
	@find include src apps tests -name '*.[ch]pp' -print0 | xargs -0 clang-format -i

clean:
	@rm -rf build

install:
	@$(MAKE) --no-print-directory build
	@cmake --install build/release --prefix $(PREFIX)
