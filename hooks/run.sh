#!/usr/bin/env bash
# Installs gitscalpel beside the checkout and does the job that the variables ask for: see `python -m gitscalpel.ci`.
# GITSCALPEL_FROM is what pip installs; by default the repository that this script lies in.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
place=${RUNNER_TEMP:-${TMPDIR:-/tmp}}/gitscalpel-$(id -u)
if [ ! -x "$place/bin/python" ]; then
  python3 -m venv "$place"
  "$place/bin/python" -m pip install --quiet "${GITSCALPEL_FROM:-$here}"
fi
if ! git config user.email >/dev/null; then
  # Nobody is logged in to a runner: the one who has started the job made the change, as far as it is known.
  who=${GITHUB_ACTOR:-${GITLAB_USER_LOGIN:-scalpel}}
  export GIT_AUTHOR_NAME=${GIT_AUTHOR_NAME:-${GITLAB_USER_NAME:-$who}} GIT_COMMITTER_NAME=${GIT_COMMITTER_NAME:-scalpel}
  mail=${GITLAB_USER_EMAIL:-${GITHUB_ACTOR_ID:+$GITHUB_ACTOR_ID+}$who@users.noreply.github.com}
  export GIT_AUTHOR_EMAIL=${GIT_AUTHOR_EMAIL:-$mail} GIT_COMMITTER_EMAIL=${GIT_COMMITTER_EMAIL:-$mail}
fi
exec "$place/bin/python" -m gitscalpel.ci
