//! The messages in the sources are those of their definitions.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

#[test]
fn messages_are_made_of_their_definitions() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| fs::read_to_string(root.join(path)).expect("a file of the project");
    for (definition, made) in [
        ("core/proto/planfile.proto", "core/src/plans/file/proto.rs"),
        ("engine/proto/plugin.proto", "engine/src/wire/messages/plugin.rs"),
        ("engine/proto/tfplugin5.proto", "engine/src/wire/messages/tfplugin5.rs"),
        ("engine/proto/tfplugin6.proto", "engine/src/wire/messages/tfplugin6.rs"),
    ] {
        let mut digest = String::new();
        for byte in Sha256::digest(read(definition).replace('\r', "")) {
            write!(digest, "{byte:02x}").expect("texts take everything");
        }
        assert!(
            read(made).lines().any(|line| line == format!("//! {digest}")),
            "{made} was made of another {definition}: run cargo run --manifest-path engine/proto/generate/Cargo.toml"
        );
    }
}
