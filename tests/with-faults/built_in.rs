//! Why `cargo test --workspace` finds planted faults: this package enables the feature `faults`, and features that one package of a build
//! enables are enabled for all. So the other tests need not be built once more without it, and one command tests all.

use planfuzz::subject::faults::WorkspaceFault;

#[test]
fn planted_faults_are_built_in_where_everything_is_tested() {
    assert!(WorkspaceFault::all().count() >= 80);
}
