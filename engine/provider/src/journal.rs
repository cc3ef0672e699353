//! The objects that exist because of this run, on disk: a run that is killed leaves objects behind, and the next one must know them.
//!
//! An object is added when an apply answers with it, and struck off when an apply destroys it. A line is written before each apply that
//! creates, so that an object is at least reported if its answer is missing. A journal belongs to one run, which locks it while it lives; a
//! journal that is not locked belongs to a run that has ended, and is taken over.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use planfuzz_core::json::{Json, JsonError};
use planfuzz_core::state::Private;

use crate::lock::lock;

/// An object that a run left behind.
#[derive(Clone, Debug, PartialEq)]
pub struct Left {
    /// Its type.
    pub type_name: String,
    /// The object, as states have it; `None` if an apply never answered.
    pub object: Option<Json>,
    /// Its private data.
    pub private: Private,
    /// Its identity, if it has one.
    pub identity: Option<Json>,
}

/// The journal of a run.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: Mutex<Open>,
}

#[derive(Debug)]
struct Open {
    file: File,
    next: u64,
    /// The existing objects, by number: the type, and whether an apply answered with the object.
    there: BTreeMap<u64, (String, bool)>,
    failure: Option<io::Error>,
}

const PREFIX: &str = "objects-";
const SUFFIX: &str = ".jsonl";

impl Journal {
    /// Makes a new one in a folder, with a name of its own.
    ///
    /// # Errors
    /// The file cannot be made.
    pub fn begin(folder: &Path) -> io::Result<Journal> {
        fs::create_dir_all(folder)?;
        for number in 0u32.. {
            let path = folder.join(format!("{PREFIX}{}-{number}{SUFFIX}", std::process::id()));
            match File::create_new(&path) {
                Ok(file) => {
                    file.lock()?;
                    return Ok(Journal {
                        path,
                        file: Mutex::new(Open { file, next: 0, there: BTreeMap::new(), failure: None }),
                    });
                }
                Err(problem) if problem.kind() == io::ErrorKind::AlreadyExists => {}
                Err(problem) => return Err(problem),
            }
        }
        unreachable!("a number is free")
    }

    /// Notes that an apply begins; returns the number of its object.
    pub fn under_way(&self, type_name: &str) -> u64 {
        let mut open = lock(&self.file);
        let number = open.next;
        open.next += 1;
        open.there.insert(number, (type_name.to_owned(), false));
        open.write(number, vec![("type", Json::string(type_name))]);
        number
    }

    /// Notes that an object exists or has changed.
    pub fn is_there(&self, number: u64, type_name: &str, object: Json, private: &Private, identity: Option<Json>) {
        let private = Json::string(&STANDARD.encode(private.as_bytes()));
        let mut members = vec![("type", Json::string(type_name)), ("object", object), ("private", private)];
        members.extend(identity.map(|identity| ("identity", identity)));
        let mut open = lock(&self.file);
        open.there.insert(number, (type_name.to_owned(), true));
        open.write(number, members);
    }

    /// Notes that an object is gone, or was never created.
    pub fn is_gone(&self, number: u64) {
        let mut open = lock(&self.file);
        open.there.remove(&number);
        open.write(number, vec![("gone", Json::Bool(true))]);
    }

    /// Applies that never answered: the number, and the type. Whether they created an object is unknown.
    pub fn unanswered(&self) -> Vec<(u64, String)> {
        let open = lock(&self.file);
        let unanswered = open.there.iter().filter(|(_, (_, is_answered))| !is_answered);
        unanswered.map(|(number, (type_name, _))| (*number, type_name.clone())).collect()
    }

    /// Ends the journal; removes the file if no objects are left.
    ///
    /// # Errors
    /// A line could not be written.
    pub fn end(self) -> io::Result<()> {
        let open = self.file.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        if open.there.is_empty() {
            fs::remove_file(&self.path)?;
        }
        open.failure.map_or(Ok(()), Err)
    }
}

impl Open {
    fn write(&mut self, number: u64, mut members: Vec<(&'static str, Json)>) {
        members.insert(0, ("number", Json::int(number)));
        let line = Json::object(members).to_compact() + "\n";
        if let Err(problem) = self.file.write_all(line.as_bytes()) {
            self.failure.get_or_insert(problem);
        }
    }
}

/// A journal of a run that has ended. Its lock is held until it is dropped.
#[derive(Debug)]
pub struct Orphan {
    path: PathBuf,
    _lock: File,
    /// The objects that its run left behind.
    pub left: Vec<Left>,
}

impl Orphan {
    /// The journals of ended runs in a folder.
    ///
    /// # Errors
    /// A folder or a file cannot be read, or has invalid lines.
    pub fn all(folder: &Path) -> io::Result<Vec<Orphan>> {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(problem) if problem.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(problem) => return Err(problem),
        };
        let mut orphans = Vec::new();
        for entry in entries {
            let path = entry?.path();
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            if !(name.starts_with(PREFIX) && name.ends_with(SUFFIX)) {
                continue;
            }
            let file = File::options().read(true).write(true).open(&path)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => continue,
                Err(TryLockError::Error(problem)) => return Err(problem),
            }
            let left = left(&fs::read_to_string(&path)?).map_err(|problem| {
                io::Error::new(io::ErrorKind::InvalidData, format!("{}: {problem}", path.display()))
            })?;
            orphans.push(Orphan { path, _lock: file, left });
        }
        orphans.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(orphans)
    }

    /// Removes the file: none of its objects is left.
    ///
    /// # Errors
    /// The file cannot be removed.
    pub fn remove(self) -> io::Result<()> {
        fs::remove_file(&self.path)
    }
}

/// The objects that are left according to the lines of a journal.
fn left(text: &str) -> Result<Vec<Left>, JsonError> {
    let mut there: BTreeMap<i64, Left> = BTreeMap::new();
    // A line without an end was being written when the run was killed.
    for line in text.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
        let json = Json::parse(line.trim_end())?;
        let number = json.member("number").ok_or_else(|| json.unexpected("a number"))?.expect_i64()?;
        if json.member("gone").is_some() {
            there.remove(&number);
            continue;
        }
        let type_name = json.member("type").ok_or_else(|| json.unexpected("a type"))?.expect_string()?.to_owned();
        let private = json.member("private").map(Json::expect_string).transpose()?.unwrap_or_default();
        let private = STANDARD.decode(private).map_err(|_| json.unexpected("base64"))?;
        let (object, identity) = (json.member("object").cloned(), json.member("identity").cloned());
        there.insert(number, Left { type_name, object, private: Private::from(&*private), identity });
    }
    Ok(there.into_values().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_that_are_not_gone_are_left() {
        let temp = tempfile::tempdir().expect("a folder");
        let journal = Journal::begin(temp.path()).expect("a journal");
        assert!(journal.unanswered().is_empty());
        let (a, b, c) = (journal.under_way("x_a"), journal.under_way("x_a"), journal.under_way("x_b"));
        let private = Private::from(&b"p"[..]);
        journal.is_there(a, "x_a", Json::int(1u64), &Private::NONE, None);
        journal.is_there(b, "x_a", Json::int(2u64), &private, Some(Json::int(3u64)));
        journal.is_gone(a);
        assert_eq!(journal.unanswered(), [(c, "x_b".to_owned())]);
        assert!(Orphan::all(temp.path()).expect("a folder").is_empty(), "its run lives");
        let path = journal.path.clone();
        drop(journal);
        // The run was killed while it wrote.
        let mut file = File::options().append(true).open(&path).expect("a file");
        file.write_all(b"{\"number\":7,\"ty").expect("written");
        drop(file);
        let mut orphans = Orphan::all(temp.path()).expect("a folder");
        let orphan = orphans.pop().expect("a journal");
        let two =
            Left { type_name: "x_a".into(), object: Some(Json::int(2u64)), private, identity: Some(Json::int(3u64)) };
        let open = Left { type_name: "x_b".into(), object: None, private: Private::NONE, identity: None };
        assert_eq!((orphan.left.as_slice(), c), ([two, open].as_slice(), 2));
        orphan.remove().expect("removed");
        assert!(!path.exists());
    }

    #[test]
    fn a_run_that_leaves_nothing_leaves_no_journal() {
        let temp = tempfile::tempdir().expect("a folder");
        let journal = Journal::begin(temp.path()).expect("a journal");
        let number = journal.under_way("x_a");
        journal.is_gone(number);
        journal.end().expect("ended");
        assert_eq!(fs::read_dir(temp.path()).expect("a folder").count(), 0);
    }
}
