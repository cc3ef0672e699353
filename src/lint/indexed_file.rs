//! A file with its parts indexed, for the lookups of checks.

use std::collections::HashMap;
use std::sync::Arc;

use crate::artifact::{
    Artifact, Candidate, Catalogue, Content, Encoded, Fit, ObjectChange, ObjectId, Plan, SchemaFinder, State,
    StateObject, StateOutput, Untyped,
};

use super::case::{ChangeCase, List, ObjectCase, OutputCase, StateSide, Typed};
use super::configuration::{Expressions, expressions};

/// A file with its parts indexed.
#[derive(Debug)]
pub struct IndexedFile<'a> {
    /// The file.
    pub artifact: &'a Artifact,
    finder: SchemaFinder<'a>,
    prior: Places<'a, StateObject>,
    previous: Places<'a, StateObject>,
    planned: Places<'a, StateObject>,
    changes: Places<'a, ObjectChange>,
    drift: Places<'a, ObjectChange>,
    expressions: Expressions<'a>,
    planned_outputs: HashMap<&'a str, &'a StateOutput>,
}

/// Items by the object that they are about; the first of each object.
#[derive(Debug)]
struct Places<'a, T>(HashMap<(&'a str, Option<&'a str>), &'a T>);

impl<'a, T> Places<'a, T> {
    fn of(things: impl Iterator<Item = (&'a ObjectId, &'a T)>) -> Places<'a, T> {
        let mut places = HashMap::new();
        for (id, thing) in things {
            places.entry((id.written.as_str(), id.deposed.as_deref())).or_insert(thing);
        }
        Places(places)
    }

    fn get(&self, id: &ObjectId) -> Option<&'a T> {
        self.0.get(&(id.written.as_str(), id.deposed.as_deref())).copied()
    }
}

/// The outputs of a state, by name.
fn outputs(state: Option<&State>) -> HashMap<&str, &StateOutput> {
    state.into_iter().flat_map(|state| &state.outputs).map(|output| (output.name.as_str(), output)).collect()
}

impl<'a> IndexedFile<'a> {
    /// Indexes a file.
    pub fn new(artifact: &'a Artifact, given: &'a Catalogue) -> IndexedFile<'a> {
        let plan = artifact.plan();
        let objects =
            |state: Option<&'a State>| Places::of(state.into_iter().flat_map(|it| &it.objects).map(|it| (&it.id, it)));
        let changes =
            |list: Option<&'a Vec<ObjectChange>>| Places::of(list.into_iter().flatten().map(|it| (&it.id, it)));
        IndexedFile {
            artifact,
            finder: SchemaFinder::new(artifact, given),
            prior: objects(plan.and_then(|plan| plan.prior.as_ref())),
            previous: objects(plan.and_then(|plan| plan.previous.as_ref())),
            planned: objects(plan.and_then(|plan| plan.planned.as_ref())),
            changes: changes(plan.map(|plan| &plan.changes)),
            drift: changes(plan.map(|plan| &plan.drift)),
            planned_outputs: outputs(plan.and_then(|plan| plan.planned.as_ref())),
            expressions: plan.and_then(|plan| plan.configuration.as_ref()).map(expressions).unwrap_or_default(),
        }
    }

    /// The plan, if the file is one.
    pub fn plan(&self) -> Option<&'a Plan> {
        self.artifact.plan()
    }

    /// The object of the refreshed state.
    pub fn prior(&self, id: &ObjectId) -> Option<&'a StateObject> {
        self.prior.get(id)
    }

    /// The object of the state of the previous run.
    pub fn previous(&self, id: &ObjectId) -> Option<&'a StateObject> {
        self.previous.get(id)
    }

    /// The object of the planned state.
    pub fn planned(&self, id: &ObjectId) -> Option<&'a StateObject> {
        self.planned.get(id)
    }

    /// The change of an object.
    pub fn change(&self, id: &ObjectId) -> Option<&'a ObjectChange> {
        self.changes.get(id)
    }

    /// The change of an object made outside.
    pub fn drifted(&self, id: &ObjectId) -> Option<&'a ObjectChange> {
        self.drift.get(id)
    }

    /// The output of the planned state.
    pub fn planned_output(&self, name: &str) -> Option<&'a StateOutput> {
        self.planned_outputs.get(name).copied()
    }

    /// The expressions of the configuration, by the address of the resource there; empty where the file has no
    /// configuration.
    pub fn expressions(&self) -> &Expressions<'a> {
        &self.expressions
    }

    /// Reads values of an object, all with one schema.
    ///
    /// # Errors
    /// Why the values stay encoded.
    pub fn read(&self, id: &ObjectId, values: &[&Encoded], version: Option<u64>) -> Result<Typed, Untyped> {
        let Fit { schema, is_same_version, values } = self.finder.read(id, values, version)?;
        Ok(Typed { schema, is_same_version, values })
    }

    /// The values, read with each other schema that they fit.
    pub fn others(&self, id: &ObjectId, values: &[&Encoded], version: Option<u64>, first: &Typed) -> Vec<Typed> {
        let others = self.finder.others(id, values, version, &first.schema);
        let typed = |Fit { schema, is_same_version, values }| Typed { schema, is_same_version, values };
        others.map(typed).collect()
    }

    /// The schemas of an object's type.
    pub fn candidates(&self, id: &ObjectId) -> Arc<[Arc<Candidate>]> {
        self.finder.candidates(id).unwrap_or_else(|_| Arc::new([]))
    }

    /// The changes of objects, each read when it is reached.
    pub fn changes(&'a self) -> impl Iterator<Item = ChangeCase<'a>> {
        let lists = self.plan().map(|plan| {
            let of = |list: List, changes: &'a [ObjectChange]| changes.iter().map(move |change| (list, change));
            of(List::Changes, &plan.changes)
                .chain(of(List::Drift, &plan.drift))
                .chain(of(List::Deferred, &plan.deferred))
        });
        lists.into_iter().flatten().map(|(list, change)| {
            let typed = self.read(&change.id, &[&change.before, &change.after], None);
            ChangeCase { file: self, list, change, typed }
        })
    }

    /// The objects of states, likewise.
    pub fn objects(&'a self) -> impl Iterator<Item = ObjectCase<'a>> {
        let own = match &self.artifact.content {
            Content::State(state) => vec![(StateSide::Own, &**state)],
            Content::Plan(plan) => {
                let prior = plan.prior.iter().map(|state| (StateSide::Prior, state));
                prior.chain(plan.previous.iter().map(|state| (StateSide::Previous, state))).collect()
            }
        };
        let objects = own.into_iter().flat_map(|(side, state)| state.objects.iter().map(move |it| (side, it)));
        objects.map(|(side, object)| {
            let typed = match object.is_flat {
                true => Err(Untyped::NoSchema),
                false => self.read(&object.id, &[&object.value], object.schema_version),
            };
            ObjectCase { file: self, side, object, typed }
        })
    }

    /// The changes of root outputs.
    pub fn outputs(&'a self) -> impl Iterator<Item = OutputCase<'a>> {
        let outputs = self.plan().into_iter().flat_map(|plan| &plan.outputs);
        outputs.map(|output| OutputCase { file: self, output })
    }
}
