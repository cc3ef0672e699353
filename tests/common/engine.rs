//! The engine that tests ask, where one is installed.

use std::path::PathBuf;

/// Set where a test that is skipped is a test that fails.
const REQUIRED: &str = "PLANFUZZ_REQUIRE_ENGINE";

/// The `terraform` of the path. Without one it is said that the test was skipped.
///
/// # Panics
/// Where there has to be one.
pub fn terraform() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join("terraform")).find(|file| file.is_file());
    if found.is_none() {
        assert!(std::env::var_os(REQUIRED).is_none(), "expected terraform on the path: {REQUIRED} is set");
        println!("skipped: no terraform on the path");
    }
    found
}
