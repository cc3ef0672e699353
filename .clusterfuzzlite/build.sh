#!/bin/bash -eu
# The image's Rust is older than ours; its name is that of a toolchain that rustup fetches.
export PLANFUZZ_TOOLCHAIN=${PLANFUZZ_TOOLCHAIN:-stable}
exec bash "$SRC/planfuzz/fuzz/oss-fuzz-build.sh"
