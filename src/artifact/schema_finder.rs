//! Finds the schemas of values, and makes the values typed.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use planfuzz_core::plans::Marked;

use super::Artifact;
use super::catalogue::{Candidate, Catalogue};
use super::encoded::{Encoded, Misfit};
use super::object::{ObjectId, ResourceKey};

/// Finds the schemas of the objects of one artifact: in its own schemas first, then in the given ones.
///
/// Of several schemas of a type the first one counts whose structure the values fit.
#[derive(Debug)]
pub struct SchemaFinder<'a> {
    catalogues: Vec<&'a Catalogue>,
    /// Candidates found before: thousands of objects have the same types.
    known: RefCell<HashMap<ResourceKey, Arc<[Arc<Candidate>]>>>,
}

/// A schema that values fit, and the values.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The schema.
    pub schema: Arc<Candidate>,
    /// Whether the schema is of the version that the values were written with, as far as the file records it.
    pub is_same_version: bool,
    /// The values, in the order they were given.
    pub values: Vec<Marked>,
}

/// Why values stay encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Untyped {
    /// The address cannot be parsed, so the type is not known.
    NoAddress,
    /// No schemas are known at all.
    NoSchemas,
    /// No schema of the type is known.
    NoSchema,
    /// None of the type's schemas fits; the misfit is that of the first.
    Misfit {
        /// How many were tried.
        tried: usize,
        /// The source of the first one.
        source: Arc<str>,
        /// Its misfit.
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

impl<'a> SchemaFinder<'a> {
    /// The finder for an artifact, with the given schemas.
    pub fn new(artifact: &'a Artifact, given: &'a Catalogue) -> SchemaFinder<'a> {
        let catalogues = artifact.schemas.iter().chain([given]).filter(|catalogue| !catalogue.is_empty()).collect();
        SchemaFinder { catalogues, known: RefCell::default() }
    }

    /// Reads values of an object, all with one schema. If `version` is given, schemas of this version are tried first.
    ///
    /// # Errors
    /// Why the values stay encoded.
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
    /// The object has no address.
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
