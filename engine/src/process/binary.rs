//! Finding the binary of an engine.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::run::{RunError, RunOutcome, RunRequest, run};
use super::runs::{Runs, RunsError};
use super::version::{Followed, Version};

/// The commands that are looked for, in this order.
const NAMES: [&str; 2] = ["terraform", "tofu"];

/// How long a binary may take to print its version.
const VERSION_TIME: Duration = Duration::from_secs(30);

/// A binary with a known version.
#[derive(Clone, Debug)]
pub struct Binary {
    path: PathBuf,
    version: Version,
}

/// Why there is no engine.
#[derive(Debug, thiserror::Error)]
pub enum BinaryError {
    /// No program was named, and neither is installed.
    #[error("expected terraform or tofu in the directories of PATH, found neither")]
    None,
    /// The named program does not exist.
    #[error("expected an engine's binary at {0}, found no program")]
    NotThere(PathBuf),
    /// It did not print its version.
    #[error("expected {path} to print its version, {did}")]
    NoVersion {
        /// The binary.
        path: PathBuf,
        /// What it did.
        did: String,
    },
    /// It could not be run.
    #[error(transparent)]
    Run(#[from] RunError),
    /// There is no directory to run it in.
    #[error(transparent)]
    Runs(#[from] RunsError),
}

impl Binary {
    /// The binary at `program`; if that is a bare name, the command of `PATH`; without one, `terraform`, or else `tofu`.
    ///
    /// # Errors
    /// There is no such program, or it does not print its version.
    pub fn find(program: Option<&Path>, runs: &Runs) -> Result<Binary, BinaryError> {
        let path = locate(program, std::env::var_os("PATH").as_deref())?;
        let dir = runs.make()?;
        let none = AtomicBool::new(false);
        let ended = run(&RunRequest {
            program: &path,
            dir: &dir,
            args: &["version"],
            variables: &[],
            limit: VERSION_TIME,
            stop: &none,
        })?;
        dir.close()?;
        let did = match ended {
            RunOutcome::Finished(finished) => {
                let printed = String::from_utf8_lossy(&finished.stdout);
                match Version::parse(&printed) {
                    Some(version) => return Ok(Binary { path, version }),
                    None => format!("found exit status {} and {:?}", finished.exit, beginning(&printed)),
                }
            }
            RunOutcome::Crashed(crash) => format!("it crashed: {}", crash.message),
            RunOutcome::TimedOut { limit } => format!("no output within {} s", limit.as_secs()),
            RunOutcome::Interrupted => "it was interrupted".to_owned(),
        };
        Err(BinaryError::NoVersion { path, did })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its version.
    pub fn version(&self) -> &Version {
        &self.version
    }

    /// The dialect it follows.
    pub fn dialect(&self) -> Followed {
        self.version.dialect()
    }
}

fn beginning(text: &str) -> String {
    text.chars().take(120).collect()
}

fn locate(program: Option<&Path>, path: Option<&OsStr>) -> Result<PathBuf, BinaryError> {
    let found = match program {
        None => NAMES.iter().find_map(|name| on_path(name.as_ref(), path)).ok_or(BinaryError::None)?,
        Some(program) => {
            let bare = program.components().count() == 1 && !program.has_root();
            let found = match bare {
                true => on_path(program, path).or_else(|| is_program(program).then(|| program.to_owned())),
                false => is_program(program).then(|| program.to_owned()),
            };
            found.ok_or_else(|| BinaryError::NotThere(program.to_owned()))?
        }
    };
    // Its runs work in other directories. Links are kept: version managers look at the name they are called by.
    std::path::absolute(&found).map_err(|_| BinaryError::NotThere(found))
}

fn on_path(name: &Path, path: Option<&OsStr>) -> Option<PathBuf> {
    let name = match name.extension() {
        None => name.with_extension(std::env::consts::EXE_EXTENSION),
        Some(_) => name.to_owned(),
    };
    std::env::split_paths(path?).map(|dir| dir.join(&name)).find(|candidate| is_program(candidate))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn put(dir: &Path, name: &str, text: &str) -> PathBuf {
        let path = dir.join(name);
        std::fs::write(&path, text).expect("written");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("executable");
        path
    }

    #[test]
    fn terraform_comes_before_tofu_and_files_that_are_no_programs_are_skipped() {
        let (one, two) = (tempfile::tempdir().expect("a directory"), tempfile::tempdir().expect("a directory"));
        let path = std::env::join_paths([one.path(), two.path()]).expect("a path");
        assert!(matches!(locate(None, Some(&path)), Err(BinaryError::None)));
        assert!(matches!(locate(None, None), Err(BinaryError::None)));
        let tofu = put(one.path(), "tofu", "");
        assert_eq!(locate(None, Some(&path)).expect("found"), tofu);
        std::fs::write(one.path().join("terraform"), "no program").expect("written");
        let terraform = put(two.path(), "terraform", "");
        assert_eq!(locate(None, Some(&path)).expect("found"), terraform);
        assert_eq!(locate(Some("tofu".as_ref()), Some(&path)).expect("found"), tofu);
        assert_eq!(locate(Some(&tofu), None).expect("found"), tofu);
        let missing = locate(Some(&two.path().join("tofu")), Some(&path));
        assert!(matches!(missing, Err(BinaryError::NotThere(_))));
    }

    #[test]
    fn an_installed_engine_is_found() {
        let temp = tempfile::tempdir().expect("a directory");
        let runs = Runs::open(temp.path()).expect("runs");
        match Binary::find(None, &runs) {
            Ok(binary) => println!("{}: {}", binary.version(), binary.dialect().dialect),
            Err(BinaryError::None) => {
                assert!(std::env::var_os("PLANFUZZ_REQUIRE_ENGINE").is_none(), "expected an engine on the path");
                println!("skipped: no engine is installed");
            }
            Err(problem) => panic!("{problem}"),
        }
    }

    #[test]
    fn a_binary_prints_its_version_or_is_refused() {
        let (temp, programs) = (tempfile::tempdir().expect("a directory"), tempfile::tempdir().expect("a directory"));
        let runs = Runs::open(temp.path()).expect("runs");
        let good = put(programs.path(), "good", "#!/bin/sh\necho 'OpenTofu v1.13.0'\n");
        let binary = Binary::find(Some(&good), &runs).expect("a binary");
        assert_eq!(binary.dialect().dialect.to_string(), "opentofu-1.13");
        let bad = put(programs.path(), "bad", "#!/bin/sh\necho hello\nexit 3\n");
        let problem = Binary::find(Some(&bad), &runs).expect_err("no version").to_string();
        assert!(problem.ends_with("found exit status 3 and \"hello\\n\""), "{problem}");
    }
}
