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
if command -v jq >/dev/null; then
  mkdir -p night
  {
    if [ -s night/cache/triage.json ]; then jq '.buckets[] | .signature, (.signatures | keys[])' night/cache/triage.json; fi
    # Documents of codecs are no cases, and in the records alone.
    if [ -s night/history.jsonl ]; then tail -n 1 night/history.jsonl | jq '.findings[].signature'; fi
  } | sort -u | jq -c '{signature: ., reason: "nights find it too"}' > night/known.jsonl
  known=(--allow night/known.jsonl)
fi
rm -rf night/cache/findings night/cache/codecs night/cache/triaged night/cache/triage.json night/history.jsonl
exec bash fuzz/nightly.sh --minutes "$minutes" --seed "$commit" --commit "$commit" "${known[@]}"
