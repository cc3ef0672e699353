#!/usr/bin/env bash
# A short night for a change: what it finds that was not found before it. The corpora of the nights are started from, their findings
# are left out.
#
#   fuzz/pr.sh [MINUTES] [COMMIT]
set -euo pipefail
cd "$(dirname "$0")/.."

minutes=${1:-8}
commit=${2:-$(git rev-parse HEAD)}
known=()
if [ -s night/cache/triage.json ] && command -v jq >/dev/null; then
  jq -c '.buckets[] | (.signature, (.signatures | keys[])) | {signature: ., reason: "nights find it too"}' \
    night/cache/triage.json | sort -u > night/known.jsonl
  known=(--allow night/known.jsonl)
fi
rm -rf night/cache/findings night/cache/triaged night/cache/triage.json night/history.jsonl
exec bash fuzz/nightly.sh --minutes "$minutes" --seed "$commit" --commit "$commit" "${known[@]}"
