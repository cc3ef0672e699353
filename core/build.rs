//! For builds with the feature `faults`: writes the sources with all planted mistakes.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    #[cfg(feature = "faults")]
    plant()?;
    Ok(())
}

/// The sources with all planted mistakes.
#[cfg(feature = "faults")]
fn plant() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=src");
    println!("cargo:rerun-if-changed=planted");
    let out = std::env::var_os("OUT_DIR").ok_or("cargo names no OUT_DIR")?;
    planfuzz_planting::plant("src".as_ref(), "planted".as_ref(), &std::path::PathBuf::from(out).join("planted"), 1)
}
