//! Why `cargo test --workspace` finds planted faults: this package asks for the feature `faults`, and what one package of a build asks for
//! all of them have. So what the other tests are built with is not built once more without it, and one command tests all.

use planfuzz::subject::faults::WorkspaceFault;

#[test]
fn planted_faults_are_built_in_where_everything_is_tested() {
    assert!(WorkspaceFault::all().count() >= 80);
}
