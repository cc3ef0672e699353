//! Makes Rust of the messages and services in `proto/`, without an installed `protoc`.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=proto");
    let files = protox::compile(["tfplugin5.proto", "tfplugin6.proto"], ["proto"])?;
    tonic_prost_build::configure()
        .build_transport(false)
        // The provider of a batch has no ephemeral resources.
        .generate_default_stubs(true)
        // Only the tests ask the server.
        .client_mod_attribute(".", "#[cfg(test)]")
        .include_file("messages.rs")
        .compile_fds(files)?;
    Ok(())
}
