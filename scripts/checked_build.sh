#!/usr/bin/env bash
# Builds the package with every check that the compilers know and runs the tests against it:
#     scripts/checked_build.sh [PYTEST-ARGUMENT ...]
# STREAMBAYES_CHECKED=1 makes setup.py turn on Cython's bounds checks, the C++ library's assertions
# and the address and undefined-behaviour sanitizers. Everything happens in a temporary folder; the
# sources there are a copy without generated C++, which an ordinary build may have left behind.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PYTHONPATH

# The sanitizers' runtimes must come before everything else that a process loads.
preload=
for library in libasan.so libubsan.so libstdc++.so; do
    path=$(g++ -print-file-name="$library")
    if [[ $path != /* ]]; then
        echo "g++ has no $library; the checked build needs it" >&2
        exit 1
    fi
    preload+=${preload:+:}$(readlink -f "$path")
done

mkdir "$work/source"
tar -C "$root" -cf - \
    --exclude=./.git --exclude=./build --exclude=./dist --exclude=./.venv --exclude=./venv \
    --exclude='*.egg-info' --exclude='*.so' --exclude=__pycache__ --exclude=.hypothesis \
    --exclude=.mypy_cache --exclude=.ruff_cache --exclude=.pytest_cache . |
    tar -C "$work/source" -xf -
find "$work/source" -name '*.pyx' | while IFS= read -r module; do
    rm -f "${module%.pyx}.cpp" "${module%.pyx}.c"
done

export STREAMBAYES_CHECKED=1 # the tests may ask for it too
python3 -m venv "$work/venv"
export PATH=$work/venv/bin:$PATH
cd "$work/source"
pip install --quiet --disable-pip-version-check '.[test]'

# The sources must not be imported in place of the build.
rm -rf "$work/source/streambayes" "$work/source/build"
site=$(python -c 'import sysconfig; print(sysconfig.get_path("platlib"))')/streambayes
modules=$(find "$site" -name '*.so')
unchecked=$(find "$site" -name '*.so' -exec grep -L __asan_init {} +)
if [[ -z $modules || -n $unchecked ]]; then
    echo "not built with the sanitizers: ${unchecked:-no compiled module at all}" >&2
    echo "see what setup.py does with STREAMBAYES_CHECKED" >&2
    exit 1
fi
echo "$(wc -l <<<"$modules") modules built with the sanitizers"

# Programs that the tests start inherit all of this. Python's own allocator would hide overruns.
env LD_PRELOAD="$preload" PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0 \
    UBSAN_OPTIONS=print_stacktrace=1,halt_on_error=1 \
    python -P -m pytest -q -x -m 'not slow' -p no:cacheprovider --rootdir="$work/source" \
    "$@" tests
