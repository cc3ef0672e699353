#!/usr/bin/env bash
# The whole night on one machine: builds what it needs, spends the night, makes the page.
#
#   fuzz/nightly.sh [--minutes N] [any option of `planfuzz night`]        (default: 30 minutes)
#
# The exit code is that of `planfuzz night`: 0 nothing new, 1 new findings, 3 the night did not go as it should.
set -euo pipefail
cd "$(dirname "$0")/.."

binaries=${PLANFUZZ_BINARIES:-target/night}
if [ "${BUILT:-}" != 1 ]; then bash fuzz/build.sh "$binaries"; fi

options=("$@")
case " $* " in *" --minutes"*) ;; *) options+=(--minutes 30) ;; esac
case " $* " in
  *" --commit"*) ;;
  *) if commit=$(git rev-parse --short=12 HEAD 2>/dev/null); then options+=(--commit "$commit"); fi ;;
esac

code=0
"$binaries/planfuzz" night --binaries "$binaries" --history night/history.jsonl "${options[@]}" || code=$?
if [ -s night/history.jsonl ]; then
  "$binaries/planfuzz" report night/history.jsonl --output night/page.html || code=3
fi
exit "$code"
