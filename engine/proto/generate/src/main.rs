//! Makes Rust of the definitions in `core/proto` and `engine/proto`, beside them, without an installed `protoc`.
//!
//! Problem: what makes the messages takes more time than most crates of the project, and `core` would wait for it in every first build. Idea:
//! the messages are committed, and begin with the digest of the definitions, which a test of the project compares. Run it after a change of
//! a definition: `cargo run --manifest-path engine/proto/generate/Cargo.toml`, from the project's root.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use sha2::{Digest, Sha256};

fn main() -> Result<(), Box<dyn Error>> {
    let (core, engine) = (Path::new("core/proto"), Path::new("engine/proto"));
    let planfile = protox::compile(["planfile.proto"], [core])?;
    prost_build::Config::new().btree_map(["."]).out_dir(core).compile_fds(planfile)?;
    stamp(core, &["planfile"])?;
    let plugin = protox::compile(["tfplugin5.proto", "tfplugin6.proto"], [engine])?;
    tonic_prost_build::configure()
        .build_transport(false)
        // The provider of a batch has no ephemeral resources.
        .generate_default_stubs(true)
        // Only the tests ask the server.
        .client_mod_attribute(".", "#[cfg(test)]")
        .include_file("messages.rs")
        .out_dir(engine)
        .compile_fds(plugin)?;
    stamp(engine, &["plugin", "tfplugin5", "tfplugin6"])
}

/// Writes the digest of a definition at the start of what was made of it.
fn stamp(folder: &Path, names: &[&str]) -> Result<(), Box<dyn Error>> {
    for name in names {
        let made = folder.join(format!("{name}.rs"));
        let mut text = String::from("// ");
        let definition = std::fs::read_to_string(folder.join(format!("{name}.proto")))?.replace('\r', "");
        for byte in Sha256::digest(definition) {
            write!(text, "{byte:02x}")?;
        }
        write!(text, " {name}.proto\n{}", std::fs::read_to_string(&made)?)?;
        std::fs::write(&made, text)?;
    }
    Ok(())
}
