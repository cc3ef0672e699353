//! For builds with the feature `faults`: the sources with all planted mistakes, by the means of the crate `planfuzz-core`.
//!
//! Its build script and its list of mistakes in the library are taken as they stand in the checkout, so the feature is for checkouts alone.

#[cfg(feature = "faults")]
#[path = "../../build/planting.rs"]
mod planting;

#[cfg(not(feature = "faults"))]
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
}

#[cfg(feature = "faults")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    use std::fmt::Write as _;

    for path in ["build.rs", "src", "planted", "../../build/planting.rs", "../../src/planted.rs"] {
        println!("cargo:rerun-if-changed={path}");
    }
    let out = std::env::var_os("OUT_DIR").ok_or("cargo names no OUT_DIR")?;
    let target = std::path::PathBuf::from(out).join("planted");
    planting::plant("src".as_ref(), "planted".as_ref(), &target)?;
    // The modules of this crate are private, those that the other lists are public.
    let mut modules = String::new();
    for name in std::fs::read_to_string("src/lib.rs")?.lines().filter_map(|line| line.strip_prefix("mod ")) {
        let name = name.trim_end_matches(';');
        let folder = target.join(name).join("mod.rs");
        let file = if folder.exists() { folder } else { target.join(format!("{name}.rs")) };
        writeln!(modules, "#[path = {file:?}]\nmod {name};")?;
    }
    Ok(std::fs::write(target.join("modules.rs"), modules)?)
}
