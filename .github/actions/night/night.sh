#!/usr/bin/env bash
# The night of somebody's planner: what the action runs. Everything is in the environment, described in action.yml.
#
#   SUBJECT=exec:./my-planner MINUTES=10 .github/actions/night/night.sh
#
# PLANFUZZ names a planfuzz that is there already; otherwise VERSION of it is installed with cargo, the newest by default.
set -euo pipefail

: "${SUBJECT:?expected a subject, as exec:./my-planner}"
planfuzz=${PLANFUZZ:-}
if [ -z "$planfuzz" ]; then
  install=(cargo install planfuzz --locked)
  if command -v cargo-binstall >/dev/null; then install=(cargo binstall --no-confirm planfuzz); fi
  if [ -n "${VERSION:-}" ]; then install+=(--version "$VERSION"); fi
  "${install[@]}"
  planfuzz=planfuzz
fi

options=(--minutes "${MINUTES:-60}" --subject "$SUBJECT")
if [ -n "${GITHUB_SHA:-}" ]; then options+=(--commit "$GITHUB_SHA"); fi
if [ -n "${DIALECT:-}" ]; then options+=(--dialect "$DIALECT"); fi
for op in ${OPS:-}; do options+=(--op "$op"); done
for file in ${SCHEMAS:-}; do options+=(--schemas "$file"); done
if [ -n "${ALLOW:-}" ]; then options+=(--allow "$ALLOW"); fi

code=0
"$planfuzz" night "${options[@]}" || code=$?
if [ -s night/history.jsonl ]; then
  "$planfuzz" report night/history.jsonl --output night/page.html || code=3
fi
exit "$code"
