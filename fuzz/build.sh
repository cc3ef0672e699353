#!/usr/bin/env bash
# Builds what a night needs into one folder: the command, the command with planted faults, and the coverage-guided targets.
#
#   fuzz/build.sh [FOLDER]        (default: target/night)
#
# Needs Rust and a C++ compiler, nothing else. SANITIZER=address needs a nightly Rust, or RUSTC_BOOTSTRAP=1.
set -euo pipefail
cd "$(dirname "$0")/.."

out=${1:-target/night}
sanitizer=${SANITIZER:-none}
mkdir -p "$out"
target=$(cargo metadata --no-deps --format-version 1 | sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p')
# With a target named, flags are for the program alone, and neither for build scripts nor for macros.
host=$(rustc -vV | sed -n 's/^host: //p')

# Puts a file in its place in one step: the old one may be running.
place() { cp "$1" "$2.new" && mv "$2.new" "$2"; }

if [ "${ONLY_TARGETS:-}" != 1 ]; then
  # Both into one folder: they share every dependency. The plain one comes last, so that it is what stays there.
  cargo build --release --locked --bin planfuzz --features faults
  place "$target/release/planfuzz" "$out/planfuzz-faults"
  cargo build --release --locked --bin planfuzz
  place "$target/release/planfuzz" "$out/planfuzz"
fi

targets=$(sed -n 's/^name = "\(.*\)"$/\1/p' fuzz/Cargo.toml | grep -v '^planfuzz-fuzz$')
if [ -z "${PLAIN:-}" ] && cargo fuzz --version >/dev/null 2>&1; then
  build=("$target/$host/release")
  cargo fuzz build --release --sanitizer "$sanitizer" --no-trace-compares --debug-assertions --target "$host"
else
  # What cargo-fuzz would say with --no-trace-compares: the target knows that it is one, edges are told, overflows are mistakes.
  flags="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4"
  flags="$flags -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table"
  flags="$flags -Ccodegen-units=1 -Cdebug-assertions"
  if [ "$sanitizer" != none ]; then flags="$flags -Zsanitizer=$sanitizer"; fi
  build=("$target/fuzz/$host/release")
  RUSTFLAGS="${RUSTFLAGS:-} $flags" \
    cargo build --release --locked -p planfuzz-fuzz --bins --target "$host" --target-dir "$target/fuzz"
fi
for name in $targets; do
  # cargo-fuzz has a target folder of its own where the crate is no member of the workspace.
  for folder in "${build[@]}" "fuzz/target/$host/release"; do
    if [ -x "$folder/$name" ]; then place "$folder/$name" "$out/$name"; continue 2; fi
  done
  echo "the build left no $name" >&2
  exit 1
done
