//! Makes Rust of the messages and the service in `proto/`.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=proto");
    let files = protox::compile(["tfplugin6.proto"], ["proto"])?;
    tonic_prost_build::configure()
        .build_transport(false)
        .build_client(false)
        .include_file("messages.rs")
        .compile_fds(files)?;
    Ok(())
}
