#!/usr/bin/env bash
# Installs what building and testing need: by apt, only what is missing (Debian 12, Ubuntu 24.04+).
#
#   deps.sh           what the program, the usual tests and `make train` need
#   deps.sh tests     also clang (fuzzers), Slurm and an ssh server (for tests that start their own;
#                     the services are neither started nor enabled). Tests skip what is not there,
#                     so that this part may fail.
set -eu

# openmpi-bin brings an ssh client itself; ccache is used where it is installed, never required.
packages=(
    g++ cmake make git
    openmpi-bin libopenmpi-dev
    libeigen3-dev libhdf5-dev libhwy-dev libssl-dev
    libcli11-dev libfmt-dev libspdlog-dev libtomlplusplus-dev nlohmann-json3-dev
    catch2 clang-format
    python3 python3-h5py python3-numpy
)
test_packages=(
    clang libclang-rt-dev libomp-dev
    slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge
    openssh-server iproute2
)
# The services that they bring, by package.
services="munge slurmctld slurmd openssh-server:ssh"

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "deps: not a Debian system, nothing installed; needed here: ${packages[*]}" >&2
    exit 0
fi

# Those of "$@" that are not installed, in `missing`.
find_missing() {
    missing=()
    local package state
    for package in "$@"; do
        # A package of several architectures answers with several lines.
        state=$(dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null || true)
        grep -qx installed <<<"$state" || missing+=("$package")
    done
}

as_root=()
may_install() {
    [ "$(id -u)" -ne 0 ] || return 0
    if ! command -v sudo >/dev/null; then
        echo "deps: missing, and neither root nor sudo to install them: ${missing[*]}" >&2
        echo "deps: ask an administrator to run: apt-get install ${missing[*]}" >&2
        return 1
    fi
    as_root=(sudo)
    # Nobody can type a password where there is no terminal: fail instead of waiting.
    [ -t 0 ] || as_root=(sudo -n)
}

apt_install() {
    "${as_root[@]}" apt-get update -qq &&
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -qq --no-install-recommends "${missing[@]}"
}
install_missing() {
    echo "deps: installing ${missing[*]}"
    may_install || return 1
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    if ! apt_install >"$log" 2>&1; then
        tail -n 30 "$log" >&2
        echo "deps: could not install: ${missing[*]}" >&2
        return 1
    fi
    echo "deps: installed ${#missing[@]} packages"
}

# Debian starts a service when it is installed, unless this file says no; systemd would start it
# at the next boot.
policy=${WAVETRAIN_POLICY:-/usr/sbin/policy-rc.d}
without_services() {
    local ours= entry
    if [ ! -e "$policy" ] && may_install; then
        printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
        "${as_root[@]}" chmod 755 "$policy"
        ours=yes
    fi
    local result=0
    "$@" || result=$?
    [ -z "$ours" ] || "${as_root[@]}" rm -f "$policy"
    [ -d /run/systemd/system ] && [ $result -eq 0 ] || return $result
    for entry in $services; do
        case " ${missing[*]} " in
        *" ${entry%:*} "*) "${as_root[@]}" systemctl disable --quiet "${entry#*:}" || true ;;
        esac
    done
}

find_missing "${packages[@]}"
if [ ${#missing[@]} -eq 0 ]; then
    echo "deps: all ${#packages[@]} packages are installed"
else
    install_missing || exit 1
fi
if [ "${1-}" = tests ]; then
    find_missing "${test_packages[@]}"
    [ ${#missing[@]} -eq 0 ] || without_services install_missing ||
        echo "deps: tests that need these packages are skipped" >&2
fi
