# Sees to it that there is a Chromium for the report's tests: by apt when run as root, else it says what is missing.
set -eu
for name in chromium chromium-browser google-chrome; do
    if command -v "$name" >/dev/null; then exit 0; fi
done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends chromium
else
    echo "no Chromium here: install it (on Debian: apt-get install chromium), or leave the browser tests out" >&2
    exit 2
fi
