# What a person types: build, train, test. CMake does the work (CMakePresets.json).

RANKS ?= 2
CONFIG ?= configs/qcnn_hybrid.toml
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
PROGRAM := build/release/wavetrain

.DEFAULT_GOAL := help
.PHONY: help deps build train test test-long asan format clean install

help:
	@echo "make train      install what is missing, build, train $(CONFIG) on $(RANKS) ranks"
	@echo "make test       install what is missing, build, run all tests"
	@echo "make test-long  the tests that take long"
	@echo "make deps       install what is missing, by apt"
	@echo "make build      build only: $(PROGRAM)"
	@echo "make format     clang-format all sources"
	@echo "make install    install below PREFIX ($(PREFIX))"
	@echo "make clean      remove the build folder"
	@echo "Settings: RANKS=$(RANKS) CONFIG=$(CONFIG) PREFIX=$(PREFIX) JOBS=$(JOBS)"

deps:
	@scripts/deps.sh

build:
	@cmake --preset release --log-level=WARNING >/dev/null
	@cmake --build build/release -j $(JOBS)

train: deps
	@$(MAKE) --no-print-directory build
	@scripts/mpirun.sh -n $(RANKS) $(PROGRAM) train $(CONFIG) --overwrite

# The unit tests once more under address and undefined-behaviour sanitizers.
asan:
	@cmake --preset dev --log-level=WARNING >/dev/null
	@cmake --build build/asan -j $(JOBS) --target wavetrain_unit

test: deps
	@$(MAKE) --no-print-directory build asan
	@cmake --preset release --log-level=WARNING \
	    -DWAVETRAIN_SANITIZED_UNIT=$(CURDIR)/build/asan/tests/wavetrain_unit >/dev/null
	@ctest --test-dir build/release --output-on-failure --no-tests=error -j $(JOBS) -LE long

test-long: deps
	@$(MAKE) --no-print-directory build
	@ctest --test-dir build/release --output-on-failure --no-tests=error -L long

format:
	@find include src apps tests -name '*.[ch]pp' -print0 | xargs -0 clang-format -i

clean:
	@rm -rf build

install:
	@$(MAKE) --no-print-directory build
	@cmake --install build/release --prefix $(PREFIX)
