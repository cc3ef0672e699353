//! The installed engine, for tests.

use std::path::PathBuf;

/// Set where no test may be skipped.
const REQUIRED: &str = "PLANFUZZ_REQUIRE_ENGINE";

/// The `terraform` on the path; `None`, with a message that the test is skipped, if there is none.
///
/// # Panics
/// If there is none where it is required.
pub fn terraform() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join("terraform")).find(|file| file.is_file());
    if found.is_none() {
        assert!(std::env::var_os(REQUIRED).is_none(), "expected terraform on the path: {REQUIRED} is set");
        println!("skipped: no terraform on the path");
    }
    found
}
