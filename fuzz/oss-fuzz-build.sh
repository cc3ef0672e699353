#!/usr/bin/env bash
# Builds the targets for ClusterFuzzLite and OSS-Fuzz, and for whoever wants the same in a plain environment:
#
#   OUT=/tmp/out fuzz/oss-fuzz-build.sh
#
# Leaves in $OUT for each target: the executable, TARGET_seed_corpus.zip (the committed cases, as they are) and TARGET.options.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"

export OUT=${OUT:-$root/target/oss-fuzz}
export SANITIZER=${SANITIZER:-none}
export CC=${CC:-cc} CXX=${CXX:-c++}
mkdir -p "$OUT"
OUT=$(cd "$OUT" && pwd)

# The image pins a Rust of its own by this variable, whatever a rust-toolchain.toml says. The code needs the one of Cargo.toml or a later one.
if [ -n "${RUSTUP_TOOLCHAIN:-}" ] && [ -n "${PLANFUZZ_TOOLCHAIN:-}" ]; then export RUSTUP_TOOLCHAIN=$PLANFUZZ_TOOLCHAIN; fi

case "$SANITIZER" in
  coverage)
    # The image's flags say how coverage is written; its cargo makes plain binaries of the targets.
    targets=$(sed -n 's/^name = "\(.*\)"$/\1/p' fuzz/Cargo.toml | grep -v '^planfuzz-fuzz$')
    host=$(rustc -vV | sed -n 's/^host: //p')
    RUSTFLAGS="${RUSTFLAGS:-} --cfg fuzzing -Cinstrument-coverage" \
      cargo build --release --locked -p planfuzz-fuzz --bins --target "$host" --target-dir target/oss-coverage
    for name in $targets; do cp "target/oss-coverage/$host/release/$name" "$OUT/$name"; done
    ;;
  address) ONLY_TARGETS=1 PLAIN=1 RUSTC_BOOTSTRAP=1 bash fuzz/build.sh "$OUT" ;;
  # Planners have no unsafe code: what is looked for are wrong answers, several times faster without a sanitizer.
  *) ONLY_TARGETS=1 PLAIN=1 SANITIZER=none bash fuzz/build.sh "$OUT" ;;
esac

# Folders of committed cases that a target starts from: all but recorded vectors and those named for another target; the documents
# of codecs are no cases, so it has its own alone.
seeds() {
  # Cases are no texts of the language.
  if [ "$1" = language ]; then return; fi
  for folder in corpus/*/; do
    name=$(basename "$folder")
    case "$name" in recorded) continue ;; planner|lifecycle|workspace|codecs) [ "$name" = "$1" ] || continue ;; esac
    if [ "$1" = codecs ] && [ "$name" != codecs ]; then continue; fi
    find "$folder" -name '*.json'
  done
}

for path in fuzz/targets/*.rs; do
  name=$(basename "$path" .rs)
  rm -f "$OUT/${name}_seed_corpus.zip"
  mapfile -t files < <(seeds "$name" | LC_ALL=C sort)
  printf '[libfuzzer]\nmax_len = 65536\ntimeout = 25\nrss_limit_mb = 2560\n' > "$OUT/$name.options"
  # To weigh a workspace by how rare each edge is takes ten times what judging it does.
  if [ "$name" = workspace ]; then printf 'entropic = 0\n' >> "$OUT/$name.options"; fi
  if [ "${#files[@]}" = 0 ]; then continue; fi
  # Names are flat in a seed corpus; those of different folders must not meet.
  stage=$(mktemp -d)
  for file in "${files[@]}"; do cp "$file" "$stage/$(echo "${file#corpus/}" | tr / -)"; done
  (cd "$stage" && zip -q -X "$OUT/${name}_seed_corpus.zip" ./*)
  rm -rf "$stage"
done
ls -l "$OUT"
