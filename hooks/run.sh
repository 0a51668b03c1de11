#!/usr/bin/env bash
# Installs gitscalpel beside the checkout and does the job that the variables ask for: see `python -m gitscalpel.ci`.
# GITSCALPEL_FROM is what pip installs; by default the repository that this script lies in.
# Python is isolated (-I): it would else import modules from the checkout, which strangers may have written.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
place=${RUNNER_TEMP:-${TMPDIR:-/tmp}}/gitscalpel-$(id -u)
mkdir -p "$place"
if [ ! -O "$place" ] || [ -L "$place" ]; then
  echo "$place belongs to somebody else: set RUNNER_TEMP to a folder of your own" >&2
  exit 1
fi
if ! "$place/bin/python" -I -c "import gitscalpel" 2>/dev/null; then # not there, or killed while it was installed
  python3 -I -m venv --clear "$place"
  "$place/bin/python" -I -m pip install --quiet "${GITSCALPEL_FROM:-$here}"
fi
exec "$place/bin/python" -I -m gitscalpel.ci
