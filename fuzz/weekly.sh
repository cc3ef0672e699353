#!/usr/bin/env bash
# What is too slow for a night.
#
#   fuzz/weekly.sh address    the targets with AddressSanitizer (Rust nightly)
#   fuzz/weekly.sh miri       a sample of the tests under Miri (Rust nightly)
#   fuzz/weekly.sh coverage   what the corpus covers, as a report by file (llvm-tools)
#   fuzz/weekly.sh instructions   what single calls cost, held against the committed baseline (valgrind)
#
# MINUTES bounds the work of `address` (default: 20).
set -euo pipefail
cd "$(dirname "$0")/.."

minutes=${MINUTES:-20}
case "${1:-}" in
  address)
    ONLY_TARGETS=1 PLAIN=1 SANITIZER=address bash fuzz/build.sh target/address
    seconds=$((minutes * 60 / 4))
    rm -rf night/weekly && mkdir -p night/weekly
    for name in planner lifecycle workspace codecs; do
      explored=$(mktemp -d)
      folders=("$explored")
      for folder in "night/cache/corpus/$name" corpus/planner corpus/lifecycle corpus/workspace-cases corpus/regressions; do
        if [ -d "$folder" ]; then folders+=("$folder"); fi
      done
      entropic=1
      if [ "$name" = workspace ]; then entropic=0; fi
      PLANFUZZ_FUZZ_FINDINGS=night/weekly "target/address/$name" -max_total_time="$seconds" -max_len=65536 -entropic="$entropic" \
        -rss_limit_mb=4096 -artifact_prefix=night/weekly/ "${folders[@]}"
      rm -rf "$explored"
    done
    if [ -n "$(ls night/weekly)" ]; then ls night/weekly; exit 1; fi
    ;;
  miri)
    MIRIFLAGS="${MIRIFLAGS:--Zmiri-disable-isolation}" cargo +nightly miri test --locked -p planfuzz-core --lib -- value::number json:: msgpack::
    ;;
  coverage)
    # Without a fuzzer a target puts the files that it is given to the planners.
    tools=$(find "$(rustc --print sysroot)" -name llvm-profdata | head -n 1)
    [ -n "$tools" ] || { echo "llvm-profdata is missing: rustup component add llvm-tools" >&2; exit 2; }
    tools=$(dirname "$tools")
    rm -rf target/coverage && mkdir -p night
    LLVM_PROFILE_FILE="$PWD/target/coverage/%m-%p.profraw" RUSTFLAGS="-Cinstrument-coverage" \
      cargo run --release --locked --target-dir target/covered -- replay corpus/planner corpus/lifecycle corpus/workspace-cases corpus/regressions >/dev/null
    "$tools/llvm-profdata" merge -sparse target/coverage/*.profraw -o target/coverage/all.profdata
    "$tools/llvm-cov" report --instr-profile target/coverage/all.profdata target/covered/release/planfuzz \
      --ignore-filename-regex '(\.cargo|rustc)/' > night/coverage.txt
    tail -n 1 night/coverage.txt
    ;;
  instructions)
    CARGO_INCREMENTAL=0 cargo bench --locked --bench instructions -- --check
    ;;
  *) sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
