#!/bin/sh
# Build what is released and try it as a user would: dist.sh TOOLS PYTHON ...
# TOOLS is the folder of a Python with build, twine and auditwheel. The source distribution is built first, every wheel from
# it; a Python for which a wheel is there already (from 3.12 on they share one) gets none of its own.
set -eu
tools=$1
shift
rm -rf dist build/dist
mkdir -p dist build/dist
"$tools/python" -m build --sdist --outdir dist . >build/dist/sdist.log 2>&1 || { cat build/dist/sdist.log; exit 1; }

for python in "$@"; do
  fresh=build/dist/$("$python" -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
  "$python" -m venv "$fresh"
  pip="$fresh/bin/python -m pip --quiet --disable-pip-version-check"
  found="--only-binary truegrade --find-links dist"
  if ! $pip download --no-deps --no-index $found --dest build/dist/found truegrade 2>/dev/null; then
    $pip wheel --no-deps --wheel-dir "$fresh/wheel" dist/*.tar.gz
    PATH="$tools:$PATH" "$tools/auditwheel" show "$fresh"/wheel/*.whl
    PATH="$tools:$PATH" "$tools/auditwheel" repair --wheel-dir dist "$fresh"/wheel/*.whl >/dev/null 2>&1
  fi
  $pip install $found "truegrade==$("$tools/python" -c 'import truegrade; print(truegrade.__version__)')"
  (cd "$fresh" && bin/truegrade demo >demo.log) || exit 1
  echo "$python: installed from $(cd dist && ls ./*.whl | tail -1), demo done"
done
"$tools/twine" check --strict dist/*
ls -l dist
