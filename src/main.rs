//! The command `planfuzz`.

use std::process::ExitCode;

/// Values are many small allocations that live for one case: this makes a campaign a seventh faster (docs/performance.md).
#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    planfuzz::subject::begin_keeper();
    #[cfg(feature = "engine")]
    planfuzz_engine::process::leash::begin();
    planfuzz::cli::main()
}
