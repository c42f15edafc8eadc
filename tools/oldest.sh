#!/bin/sh
# The tests with the oldest versions that pyproject.toml admits: oldest.sh PYTHON [PYTEST ARGUMENTS]
set -eu
python=$1
shift
[ $# -gt 0 ] || set -- tests src # the pages show what the newest versions print
folder=build/oldest
mkdir -p "$folder"
"$python" tools/oldest.py >"$folder/constraints.txt"
[ -x "$folder/venv/bin/python" ] || "$python" -m venv "$folder/venv"
pip="$folder/venv/bin/python -m pip --quiet"
$pip install --upgrade pip
$pip install --constraint "$folder/constraints.txt" --group build --group test
$pip install --constraint "$folder/constraints.txt" --no-build-isolation --config-settings=build-dir="$folder/cmake" --editable .
# An old library may warn that a newer one below it has changed; that is not ours to mend.
"$folder/venv/bin/python" -m pytest -W default::DeprecationWarning "$@"
