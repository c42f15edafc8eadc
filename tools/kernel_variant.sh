# Build a variant of the kernel beside the usual one, and run the kernel's tests on it.
# usage: tools/kernel_variant.sh PYTHON VARIANT [TEST ...]
# VARIANT: portable, or sanitizers as in address,undefined or thread
set -eu
python=$1 variant=$2
shift 2
[ $# -gt 0 ] || set -- tests/parity tests/oracle/test_truncated_normal.py tests/oracle/test_gamma_functions.py
case $variant in
portable) define=TRUEGRADE_PORTABLE=ON build=Release sanitizers= ;;
*) define=TRUEGRADE_SANITIZE=$variant build=RelWithDebInfo sanitizers=$(echo "$variant" | tr , ' ') ;;
esac
target=build/kernel-$variant
"$python" -m pip install --quiet --no-build-isolation --no-deps --upgrade --target "$target/packages" \
  -C build-dir="$target/objects" -C cmake.build-type=$build -C cmake.define.$define .

# The interpreter is not instrumented, so the sanitizers' libraries have to come first. Leaks are not looked for: the
# interpreter leaves memory behind on purpose.
libraries=
for sanitizer in $sanitizers; do
  case $sanitizer in
  address) name=asan ;;
  undefined) name=ubsan ;;
  thread) name=tsan ;;
  *) name=$sanitizer ;;
  esac
  libraries="$libraries $("${CXX:-c++}" -print-file-name="lib$name.so")"
done
[ -z "$libraries" ] || libraries="$libraries $("${CXX:-c++}" -print-file-name=libstdc++.so)"
packages=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
# -S keeps the editable install out of sight.
LD_PRELOAD=$libraries ASAN_OPTIONS=detect_leaks=0 PYTHONPATH="$target/packages:$packages" \
  "$python" -S -m pytest -p no:cacheprovider --capture=sys "$@"
