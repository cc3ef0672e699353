//! The writings of the evaluator are crates of their own, and none of them knows another: a helper that two of them share is a bug
//! that no comparison can see.

use std::path::Path;

#[test]
fn no_writing_depends_on_another() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut seen = 0;
    for writing in ["naive", "compiled"] {
        let Ok(manifest) = std::fs::read_to_string(folder.join(writing).join("Cargo.toml")) else { continue };
        seen += 1;
        let names = manifest
            .lines()
            .filter(|line| line.starts_with("planfuzz-"))
            .map(|line| line.split(['.', ' ', '=']).next().unwrap_or_default());
        for name in names {
            let is_shared = ["planfuzz-core", "planfuzz-language"].contains(&name);
            assert!(is_shared, "{writing} depends on {name}");
        }
    }
    assert!(seen >= planfuzz_language_judge::WRITINGS.len(), "a writing without a folder of its name");
}
