//! The output for a command's cases: lines on standard output or in a file, or a file each in a folder.

use std::path::{Path, PathBuf};

use super::error::CliError;
use super::{files, output};
use crate::case::CaseFile;

/// The output for cases.
pub enum CasePlace<'a> {
    /// A line each on standard output.
    Out,
    /// A line each in a file, which is written at the end.
    Lines {
        /// The file.
        path: &'a Path,
        /// The lines so far.
        lines: Vec<Vec<u8>>,
    },
    /// A file each in a folder.
    Folder(&'a Path),
}

impl<'a> CasePlace<'a> {
    /// The output that an option names.
    pub fn of(output: Option<&'a Path>) -> CasePlace<'a> {
        match output {
            None => CasePlace::Out,
            Some(path) if files::is_lines(path) => CasePlace::Lines { path, lines: Vec::new() },
            Some(path) => CasePlace::Folder(path),
        }
    }

    /// Writes a case.
    ///
    /// # Errors
    /// A file that cannot be written, standard output that is closed.
    pub fn put(&mut self, file: CaseFile) -> Result<(), CliError> {
        match self {
            CasePlace::Out => output::json_line(&file.to_json()),
            CasePlace::Lines { path: _, lines } => {
                let mut line = file.to_json().to_compact().into_bytes();
                line.push(b'\n');
                lines.push(line);
                Ok(())
            }
            CasePlace::Folder(folder) => files::write_case(&file_of(folder, &file), &file),
        }
    }

    /// Writes the file of lines, if that is the output.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn finish(self) -> Result<(), CliError> {
        match self {
            CasePlace::Lines { path, lines } => {
                files::write_lines(path, lines.into_iter().map(Ok::<_, std::convert::Infallible>))
            }
            CasePlace::Out | CasePlace::Folder(_) => Ok(()),
        }
    }
}

/// The path of a case: its operation, and a hash of its content.
fn file_of(folder: &Path, file: &CaseFile) -> PathBuf {
    let text = file.case.to_json().to_compact();
    let op = file.case.ops().first().map_or("case", |op| op.name());
    let hash = crc32fast::hash(text.as_bytes());
    folder.join(format!("{op}-{hash:08x}.json"))
}
