#!/usr/bin/env bash
# Installs what building and testing need: by apt, only what is missing (Debian 12, Ubuntu 24.04+).
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

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "deps: not a Debian system, nothing installed; needed here: ${packages[*]}" >&2
    exit 0
fi

missing=()
for package in "${packages[@]}"; do
    # A package of several architectures answers with several lines.
    state=$(dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null || true)
    grep -qx installed <<<"$state" || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
    echo "deps: all ${#packages[@]} packages are installed"
    exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "deps: missing, and neither root nor sudo to install them: ${missing[*]}" >&2
        echo "deps: ask an administrator to run: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
    # Nobody can type a password where there is no terminal: fail instead of waiting.
    [ -t 0 ] || as_root=(sudo -n)
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() {
    "${as_root[@]}" apt-get update -qq &&
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -qq --no-install-recommends "${missing[@]}"
}
echo "deps: installing ${missing[*]}"
if ! install >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    echo "deps: could not install: ${missing[*]}" >&2
    exit 1
fi
echo "deps: installed ${#missing[@]} packages"
