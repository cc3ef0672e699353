//! Makes the messages of plan files from their definition.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=proto/planfile.proto");
    let definition = protox::compile(["proto/planfile.proto"], ["proto"])?;
    prost_build::Config::new().btree_map(["."]).compile_fds(definition)?;
    Ok(())
}
