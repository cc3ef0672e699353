//! Values made typed: which of the schemas they are of.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use planfuzz_core::plans::Marked;

use super::Artifact;
use super::catalogue::{Candidate, Catalogue};
use super::encoded::{Encoded, Misfit};
use super::object::{ObjectId, ResourceKey};

/// Finds the schemas of the objects of one artifact: its own ones first, then those that were given.
///
/// Of several schemas of a type the first one counts whose structure the values fit.
#[derive(Debug)]
pub struct Typist<'a> {
    catalogues: Vec<&'a Catalogue>,
    /// What was asked: the same types are asked for thousands of objects.
    known: RefCell<HashMap<ResourceKey, Arc<[Arc<Candidate>]>>>,
}

/// A schema that values fit, and the values.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The schema.
    pub schema: Arc<Candidate>,
    /// Whether the schema is of the version that the values were written with, as far as that is told.
    pub is_same_version: bool,
    /// The values, in the order they were given.
    pub values: Vec<Marked>,
}

/// Why values stay encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Untyped {
    /// The address is none, so nobody knows the type.
    NoAddress,
    /// No schemas are known at all.
    NoSchemas,
    /// No schema of the type is known.
    NoSchema,
    /// None of the type's schemas fits; what does not fit the first of them.
    Misfit {
        /// How many were tried.
        tried: usize,
        /// Where the first one is from.
        source: Arc<str>,
        /// What is wrong.
        misfit: Misfit,
    },
}

impl Untyped {
    /// The reason in a few words, the same for all of its kind.
    pub fn reason(&self) -> &'static str {
        match self {
            Untyped::NoAddress => "the address is none, so the type is not known",
            Untyped::NoSchemas => "no schemas are known (--schemas)",
            Untyped::NoSchema => "no schema of the type is known",
            Untyped::Misfit { .. } => "no schema fits",
        }
    }
}

impl<'a> Typist<'a> {
    /// The typist of an artifact, with schemas that were given.
    pub fn new(artifact: &'a Artifact, given: &'a Catalogue) -> Typist<'a> {
        let catalogues = artifact.schemas.iter().chain([given]).filter(|catalogue| !catalogue.is_empty()).collect();
        Typist { catalogues, known: RefCell::default() }
    }

    /// Reads values of an object, all against one schema. Where the version of the schema is told that they were written with,
    /// schemas of this version come first.
    ///
    /// # Errors
    /// Why they stay encoded.
    pub fn read(&self, id: &ObjectId, values: &[&Encoded], version: Option<u64>) -> Result<Fit, Untyped> {
        if self.catalogues.is_empty() {
            return Err(Untyped::NoSchemas);
        }
        let candidates = self.candidates(id)?;
        let is_same = |schema: &&Arc<Candidate>| version.is_none_or(|version| version == schema.schema.version);
        let others = candidates.iter().filter(|schema| !is_same(schema));
        let mut first: Option<(Arc<str>, Misfit)> = None;
        for schema in candidates.iter().filter(is_same).chain(others) {
            match fit(schema, values) {
                Ok(values) => return Ok(Fit { is_same_version: is_same(&schema), schema: Arc::clone(schema), values }),
                Err(misfit) => {
                    first.get_or_insert((Arc::clone(&schema.source), misfit));
                }
            }
        }
        match first {
            None => Err(Untyped::NoSchema),
            Some((source, misfit)) => Err(Untyped::Misfit { tried: candidates.len(), source, misfit }),
        }
    }

    /// Every other schema than `first` that the values fit, and the values read with it.
    pub fn others(
        &self,
        id: &ObjectId,
        values: &[&Encoded],
        version: Option<u64>,
        first: &Arc<Candidate>,
    ) -> impl Iterator<Item = Fit> {
        let candidates = self.candidates(id).unwrap_or_else(|_| Arc::new([]));
        let others = candidates.iter().filter(|schema| !Arc::ptr_eq(schema, first));
        let fits = others.filter_map(|schema| {
            let is_same_version = version.is_none_or(|version| version == schema.schema.version);
            Some(Fit { schema: Arc::clone(schema), is_same_version, values: fit(schema, values).ok()? })
        });
        fits.collect::<Vec<_>>().into_iter()
    }

    /// The schemas of an object's type, in the order in which they are tried.
    ///
    /// # Errors
    /// An address that is none.
    pub fn candidates(&self, id: &ObjectId) -> Result<Arc<[Arc<Candidate>]>, Untyped> {
        let key = id.resource_key().ok_or(Untyped::NoAddress)?;
        if let Some(known) = self.known.borrow().get(&key) {
            return Ok(Arc::clone(known));
        }
        let found: Arc<[_]> = self.catalogues.iter().flat_map(|catalogue| catalogue.candidates(&key)).collect();
        self.known.borrow_mut().insert(key, Arc::clone(&found));
        Ok(found)
    }
}

fn fit(schema: &Candidate, values: &[&Encoded]) -> Result<Vec<Marked>, Misfit> {
    values.iter().map(|value| value.decode(&schema.ty)).collect()
}
