//! A folder of its own for each test of the command, so that tests do not affect one another; it is removed when the test
//! ends. A test adds its own methods to the same type.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A folder that the command runs in.
pub struct Place(pub TempDir);

impl Place {
    /// An empty one.
    pub fn new() -> Place {
        Place(tempfile::tempdir().expect("a folder"))
    }

    /// The path of a file or a folder in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file, with the folders that it is in.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Place {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, bytes).expect("a file");
        self
    }

    /// The command, in this folder and without input, not started yet.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_planfuzz"));
        command.current_dir(&self.0).args(arguments).stdin(Stdio::null());
        command
    }
}
