#!/usr/bin/env bash
# Fails if clang-format 14 would change a source file; skipped with another version (they differ).
set -u
cd "$(dirname "$0")/.." || exit 1

for program in clang-format-14 clang-format; do
    version=$("$program" --version 2>/dev/null | grep -o 'version [0-9]*' | head -n 1)
    [ "$version" = "version 14" ] && break
done
if [ "$version" != "version 14" ]; then
    echo "skipped: needs clang-format 14, found ${version:-none}"
    exit 77
fi
find include src apps tests -name '*.[ch]pp' -print0 | xargs -0 -r "$program" --dry-run -Werror
