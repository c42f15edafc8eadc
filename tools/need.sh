#!/bin/sh
# Checks what must be on the machine before anything is built; installs the missing Debian packages as root.
set -eu
python=$1
missing=
command -v g++ >/dev/null || missing="$missing g++"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "truegrade needs Python 3.11 or newer" >&2; exit 1; }
"$python" -c 'import ensurepip, venv' 2>/dev/null || missing="$missing python3-venv"
"$python" -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' ||
  missing="$missing python3-dev"
[ -n "$missing" ] || exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get update -qq
  # shellcheck disable=SC2086  # one word per package
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
else
  echo "please install:$missing (for example: sudo apt-get install$missing)" >&2
  exit 1
fi
