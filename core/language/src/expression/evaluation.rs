//! What every writing of the evaluator has in common: what names mean to it, what it may look at, and what it tells.

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
    /// The expression that is at fault.
    pub place: SourcePlace,
}

/// What is told where there is no value.
#[derive(Clone, Debug)]
pub struct Failure {
    /// All of it.
    pub faults: Vec<Fault>,
    /// What the engine goes on with: as much of the value as there is.
    pub value: Marked,
}

/// A value or the faults.
pub type Evaluated = Result<Marked, Failure>;

/// What names mean.
pub trait Scope {
    /// The value of a reference's first name, and of the attribute behind it where there is one; whether that was used.
    fn value(&self, root: &str, attribute: Option<&str>) -> Option<(Marked, bool)>;

    /// What is beside the values.
    fn surroundings(&self) -> Surroundings {
        Surroundings::default()
    }
}

/// What functions look at beside their arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The files that there are.
    pub files: Files,
    /// The time of the plan as `plantimestamp` tells it; the validation does not know it.
    pub plan_time: Option<Text>,
    /// The folder that `abspath` starts from; what it gives of other paths than absolute ones is not known without.
    pub folder: Option<Text>,
    /// What `~` means to `pathexpand`; not known without.
    pub home: Option<Text>,
}

/// Files by their paths, made plain as `a/b`, `/a/b` or `../a`; whoever has a folder reads it beforehand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files(Arc<BTreeMap<String, Arc<[u8]>>>);

impl Files {
    /// Files with what is in them.
    pub fn new(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Files {
        Files(Arc::new(files.into_iter().map(|(path, bytes)| (path, bytes.into())).collect()))
    }

    /// What is in a file.
    pub fn read(&self, path: &str) -> Option<&[u8]> {
        self.0.get(path).map(|bytes| &**bytes)
    }

    /// All paths, in their order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}
