//! Makes the messages of plan files from their definition and, for builds with the feature `faults`, the sources with all
//! planted mistakes.

#[path = "build/planting.rs"]
mod planting;

use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=build");
    println!("cargo:rerun-if-changed=proto/planfile.proto");
    let definition = protox::compile(["proto/planfile.proto"], ["proto"])?;
    prost_build::Config::new().btree_map(["."]).compile_fds(definition)?;
    if std::env::var_os("CARGO_FEATURE_FAULTS").is_some() {
        println!("cargo:rerun-if-changed=src");
        println!("cargo:rerun-if-changed=planted");
        let out = std::env::var_os("OUT_DIR").ok_or("cargo names no OUT_DIR")?;
        planting::plant("src".as_ref(), "planted".as_ref(), &PathBuf::from(out).join("planted"))?;
    }
    Ok(())
}
