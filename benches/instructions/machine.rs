//! Everything besides the code that counts depend on: they are compared only if all of it is the same.

use std::process::{Command, Stdio};

/// The tools and the processor of a baseline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The version of the compiler.
    pub rustc: String,
    /// The version of Valgrind.
    pub valgrind: String,
    /// The C library: its allocator and its copying of memory are counted too.
    pub libc: String,
    /// The features of the processor that the C library uses.
    pub processor: String,
    /// How this bench was built, if not in the usual way.
    pub build: String,
}

/// Whether anything can be counted here.
///
/// # Errors
/// What is missing.
pub fn can_count() -> Result<(), String> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err("callgrind is asked on Linux on x86-64 alone".to_owned());
    }
    first_line("valgrind", &["--version"]).map(|_| ()).ok_or_else(|| "there is no valgrind on the PATH".to_owned())
}

impl Machine {
    /// The machine of this process.
    pub fn here() -> Machine {
        let or_unknown = |line: Option<String>| line.unwrap_or_else(|| "unknown".to_owned());
        // Built incrementally, a crate is divided otherwise, and less is inlined.
        let incremental = option_env!("CARGO_INCREMENTAL").is_some_and(|set| set != "0");
        Machine {
            rustc: or_unknown(first_line("rustc", &["--version"])),
            valgrind: or_unknown(first_line("valgrind", &["--version"])),
            libc: or_unknown(first_line("getconf", &["GNU_LIBC_VERSION"])),
            processor: processor(),
            build: if incremental { "incremental" } else { "usual" }.to_owned(),
        }
    }

    /// What differs, in words.
    pub fn differences(&self, here: &Machine) -> Vec<String> {
        let pairs = self.members().into_iter().zip(here.members());
        let differing = pairs.filter(|((_, baseline), (_, here))| baseline != here);
        differing.map(|((name, baseline), (_, here))| format!("{name} was {baseline}, and is {here}")).collect()
    }

    /// The members by their names in the file.
    pub fn members(&self) -> [(&'static str, &str); 5] {
        let Machine { rustc, valgrind, libc, processor, build } = self;
        [("rustc", rustc), ("valgrind", valgrind), ("libc", libc), ("processor", processor), ("build", build)]
    }
}

/// Callgrind supports nothing beyond AVX2, whatever the processor has.
#[cfg(target_arch = "x86_64")]
fn processor() -> String {
    if std::arch::is_x86_feature_detected!("avx2") { "x86-64 with AVX2" } else { "x86-64 without AVX2" }.to_owned()
}

#[cfg(not(target_arch = "x86_64"))]
fn processor() -> String {
    std::env::consts::ARCH.to_owned()
}

/// The first line that a program prints, if it runs and prints one.
fn first_line(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().next().map(str::to_owned).filter(|line| output.status.success() && !line.is_empty())
}
