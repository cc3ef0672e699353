//! Saved findings, without the provider: judged again, shown call by call, grouped.

use std::collections::BTreeMap;
use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};

use planfuzz_core::json::Json;
use planfuzz_files::folder;

use crate::case::{Case, CaseError};
use crate::ending::{Kept, MAX_FILE, ProviderError, file_error, read_json};
use crate::report;

/// Saved findings, by their files.
pub struct Saved {
    cases: Vec<(PathBuf, Case)>,
}

/// Findings of one promise of one type at one place.
#[derive(Default)]
struct Bucket {
    files: u64,
    breaks: u64,
    /// The smallest file, with its size.
    smallest: Option<(usize, PathBuf)>,
}

impl Saved {
    /// Reads files and folders; `None` if they contain anything but findings of providers, or no findings. A pipe can be read only once,
    /// by who reads cases, so it counts as something else.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn read(paths: &[PathBuf]) -> Result<Option<Saved>, ProviderError> {
        let mut cases = Vec::new();
        for path in files_below(paths)? {
            if fs::metadata(&path).is_ok_and(|about| !about.is_dir() && (!about.is_file() || about.len() > MAX_FILE)) {
                return Ok(None);
            }
            let document = match read_json(&path) {
                Ok(document) => document,
                Err(ProviderError::Json { .. }) => return Ok(None),
                Err(problem) => return Err(problem),
            };
            if document.member("provider_case").is_none() {
                return Ok(None);
            }
            let case = Case::from_json(&document).map_err(in_case(&path))?;
            cases.push((path, case));
        }
        Ok((!cases.is_empty()).then_some(Saved { cases }))
    }

    /// Judges each again, and prints a line for it.
    ///
    /// # Errors
    /// The planner asks something else today than a case has recorded.
    pub fn replay(&self, json: bool, out: &mut dyn FnMut(&str)) -> Result<Kept, ProviderError> {
        self.each(&mut |path, case, breaks| {
            let verdict = if breaks { "breaks" } else { "holds" };
            out(&match json {
                true => line(path, case, breaks).to_compact(),
                false => format!("{verdict} {}: {}", path.display(), case.purpose()),
            });
        })
    }

    /// Shows each, call by call.
    ///
    /// # Errors
    /// As for [`Saved::replay`].
    pub fn show(&self, json: bool, out: &mut dyn FnMut(&str)) -> Result<Kept, ProviderError> {
        self.each(&mut |path, case, breaks| {
            let verdict = if breaks { "it breaks the promise" } else { "today it breaks no promise" };
            out(&match json {
                true => case.to_json().to_compact(),
                false => format!("{}\n{}\n{verdict}", path.display(), report::case_text(case)),
            });
        })
    }

    /// Groups them: a line for each promise of each type and place, with the smallest file.
    ///
    /// # Errors
    /// As for [`Saved::replay`].
    pub fn triage(&self, json: bool, out: &mut dyn FnMut(&str)) -> Result<Kept, ProviderError> {
        let mut buckets: BTreeMap<(String, &'static str, String), Bucket> = BTreeMap::new();
        let held = self.each(&mut |path, case, breaks| {
            let bucket = buckets.entry(case.bucket()).or_default();
            let size = case.to_json().to_compact().len();
            bucket.files += 1;
            bucket.breaks += u64::from(breaks);
            if bucket.smallest.as_ref().is_none_or(|(smallest, _)| size < *smallest) {
                bucket.smallest = Some((size, path.to_owned()));
            }
        })?;
        for ((name, promise, place), of) in &buckets {
            let file = of.smallest.as_ref().map(|(_, path)| path.display().to_string()).unwrap_or_default();
            out(&match json {
                true => Json::object([
                    ("type", Json::string(name)),
                    ("promise", Json::string(promise)),
                    ("place", Json::string(place)),
                    ("files", Json::int(of.files)),
                    ("breaks", Json::int(of.breaks)),
                    ("smallest", Json::string(&file)),
                ])
                .to_compact(),
                false => {
                    let at = if place.is_empty() { String::new() } else { format!(" at {place}") };
                    format!("{name} {promise}{at}: {} of {} files break it; smallest {file}", of.breaks, of.files)
                }
            });
        }
        Ok(held)
    }

    fn each(&self, visit: &mut dyn FnMut(&Path, &Case, bool)) -> Result<Kept, ProviderError> {
        let mut held = Kept::Yes;
        for (path, case) in &self.cases {
            let breaks = case.replay().map_err(in_case(path))?;
            if breaks {
                held = Kept::No;
            }
            visit(path, case, breaks);
        }
        Ok(held)
    }
}

fn line(path: &Path, case: &Case, breaks: bool) -> Json {
    Json::object([
        ("file", Json::string(&path.display().to_string())),
        ("breaks", Json::Bool(breaks)),
        ("purpose", Json::string(&case.purpose())),
    ])
}

fn in_case(path: &Path) -> impl FnOnce(CaseError) -> ProviderError {
    let path = path.display().to_string();
    move |problem| ProviderError::Case { path, problem }
}

/// The named files, and those of named folders in the order of their names.
fn files_below(paths: &[PathBuf]) -> Result<Vec<PathBuf>, ProviderError> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let inside = folder::entries(path).map_err(|problem| file_error(path, problem))?;
        let inside = inside.iter().map(DirEntry::path);
        files.extend(inside.filter(|path| path.extension().is_some_and(|it| it == "json")));
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_file_that_cannot_be_read_is_an_error() {
        let folder = tempfile::tempdir().expect("a directory");
        let read = || Saved::read(&[folder.path().to_owned()]);
        assert!(matches!(read(), Ok(None)));
        fs::write(folder.path().join("a.json"), "no JSON").expect("a file");
        assert!(matches!(read(), Ok(None)));
        fs::create_dir(folder.path().join("0.json")).expect("a directory in the place of a file");
        assert!(matches!(read(), Err(ProviderError::File { .. })));
    }
}
