//! The committed messages are those of their definitions.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

#[test]
fn messages_are_made_of_the_definitions_beside_them() {
    for name in ["core/proto/planfile", "engine/proto/plugin", "engine/proto/tfplugin5", "engine/proto/tfplugin6"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        let read = |extension| fs::read_to_string(path.with_extension(extension)).expect("a file of the project");
        let mut digest = String::new();
        for byte in Sha256::digest(read("proto").replace('\r', "")) {
            write!(digest, "{byte:02x}").expect("texts take everything");
        }
        assert!(
            read("rs").starts_with(&format!("// {digest} ")),
            "{name}.proto is not what {name}.rs was made from: run cargo run --manifest-path engine/proto/generate/Cargo.toml"
        );
    }
}
