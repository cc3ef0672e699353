//! The interface that all implementations of the evaluator share: scopes, surroundings and outcomes.

use std::collections::BTreeMap;
use std::sync::Arc;

use planfuzz_core::value::Text;

use super::marked::Marked;
use crate::place::SourcePlace;

/// One fault.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The engine's summary.
    pub summary: &'static str,
    /// The place of the failed expression.
    pub place: SourcePlace,
}

/// The outcome of an evaluation without a value.
#[derive(Clone, Debug)]
pub struct Failure {
    /// All faults.
    pub faults: Vec<Fault>,
    /// The value that the engine continues with, as far as there is one.
    pub value: Marked,
}

/// A value or the faults.
pub type Evaluated = Result<Marked, Failure>;

/// Resolves names.
pub trait Scope {
    /// The value of a reference's first name, and of the attribute after it if there is one; the flag: whether the attribute was used.
    fn value(&self, root: &str, attribute: Option<&str>) -> Option<(Marked, bool)>;

    /// The surroundings of the evaluation.
    fn surroundings(&self) -> Surroundings {
        Surroundings::default()
    }
}

/// The inputs of functions besides their arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The available files.
    pub files: Files,
    /// The time of the plan, as `plantimestamp` returns it; `None` during validation.
    pub plan_time: Option<Text>,
    /// The folder for relative paths of `abspath`; without it their result is unknown.
    pub folder: Option<Text>,
    /// The home folder for `~` in `pathexpand`; without it the result is unknown.
    pub home: Option<Text>,
}

/// Files by their cleaned paths, such as `a/b`, `/a/b` or `../a`; all files are read before the evaluation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files(Arc<BTreeMap<String, Arc<[u8]>>>);

impl Files {
    /// Files with their contents.
    pub fn new(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Files {
        Files(Arc::new(files.into_iter().map(|(path, bytes)| (path, bytes.into())).collect()))
    }

    /// The contents of a file.
    pub fn read(&self, path: &str) -> Option<&[u8]> {
        self.0.get(path).map(|bytes| &**bytes)
    }

    /// All paths in order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}
