//! Users of the library, the fuzz targets first, do not compile what only the command needs.

use std::collections::BTreeSet;
use std::process::Command;

/// Packages that only the command needs: options, colours, bars, pages.
const OF_THE_COMMAND: [&str; 11] = [
    "anstream",
    "anstyle",
    "clap",
    "clap_complete",
    "clap_mangen",
    "console",
    "ctrlc",
    "indicatif",
    "maud",
    "plotters",
    "similar",
];

/// The packages that a package of the workspace is built from, as cargo resolves them.
fn packages(package: &str) -> BTreeSet<String> {
    let cargo = std::env::var_os("CARGO").expect("cargo runs the tests");
    let tree = Command::new(cargo)
        .args([
            "tree",
            "--offline",
            "--locked",
            "--edges",
            "normal",
            "--prefix",
            "none",
            "--format",
            "{p}",
            "--package",
        ])
        .arg(package)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo can be asked");
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let text = String::from_utf8(tree.stdout).expect("text");
    text.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

#[test]
fn the_fuzz_targets_compile_nothing_of_the_command() {
    let of_targets = packages("planfuzz-fuzz");
    assert!(of_targets.contains("planfuzz") && of_targets.len() > 20, "{of_targets:?}");
    let needless: Vec<&str> = OF_THE_COMMAND.into_iter().filter(|name| of_targets.contains(*name)).collect();
    assert_eq!(needless, Vec::<&str>::new());
    // The command itself has them: otherwise the list would be out of date unnoticed.
    let of_command = packages("planfuzz");
    let unknown: Vec<&str> = OF_THE_COMMAND.into_iter().filter(|name| !of_command.contains(*name)).collect();
    assert_eq!(unknown, Vec::<&str>::new());
}
