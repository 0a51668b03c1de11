"""What ``init`` writes as ``.gitscalpel.toml``: every key as a comment, so that it changes nothing yet."""

from __future__ import annotations

TEXT = """\
# What git-scalpel asks of an edit before it lands. It is read from the tip of the branch: commit it.
# All lines are comments; those under [gates] are the defaults, the others are examples.

# [gates]
# syntax = true                # a file that parsed must still parse; [gates.syntax] exempts templates
# structure = "block"          # off | warn | block | strict: text edits do not change definitions unseen
# docs = "off"                 # off | report | block: documentation that an edit makes untrue
# hooks = "run"                # run | skip: your pre-commit and commit-msg hooks, once, before it lands

# [[gates.command]]            # runs once you have trusted it
# name = "tests"
# run = "pytest -q -x"
# paths = ["**/*.py"]
# timeout = "10m"

# [policy]
# deny = [".github/**", "**/*.pem"]
# secrets = true
# packs = ["security"]         # rules that come along: see the page policy
# max_files = 50

# [approval]
# paths = ["migrations/**"]
# count = 1

# [record]
# trailers = ["Scalpel-Tx", "Assisted-by"]
"""
