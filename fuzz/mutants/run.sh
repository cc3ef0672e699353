#!/usr/bin/env bash
# Puts every mutant of the planners and the rules to the campaign and to the unit tests: some hours on two cores.
#
#   fuzz/mutants/run.sh [tonight | --shard K/N] [--part NAME] [--jobs N] [--seconds N]
#
# `tonight` tests a fourteenth of them, another one each day. Needs cargo-mutants (cargo install cargo-mutants), which lists the
# mutants. The result of each is in target/mutants/mutants.jsonl. The exit code is 1 if a mutant survives that
# fuzz/mutants/survivors.txt does not explain.
set -euo pipefail
cd "$(dirname "$0")/../.."

if [ "${1:-}" = tonight ]; then
  shift
  set -- --shard "$(($(date +%s) / 86400 % 14 + 1))/14" "$@"
fi
cargo run --release --locked --manifest-path fuzz/mutants/Cargo.toml --target-dir target/mutants/tool -- "$@"
