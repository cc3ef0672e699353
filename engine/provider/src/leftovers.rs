//! Destroys objects that earlier runs left behind.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::state::Object;
use planfuzz_core::value::Value;
use planfuzz_engine::plugin::Plugin;

use crate::journal::{Journal, Left, Orphan};
use crate::play::destroy;
use crate::responder::{Live, Objects};
use crate::script::Script;
use crate::subject::Subject;

/// Destroys what earlier runs left behind.
pub struct Cleaner<'a> {
    /// The provider, configured.
    pub plugin: &'a mut Plugin,
    /// The types, by address.
    pub types: &'a BTreeMap<String, Subject>,
    /// The types whose objects may be destroyed.
    pub applied: &'a BTreeSet<String>,
    /// This run's journal, which gets the objects that cannot be destroyed now.
    pub journal: &'a Journal,
    /// The engine version that Core is.
    pub dialect: Dialect,
    /// Whether the provider wants to be asked to plan destructions.
    pub plan_destroy: bool,
}

/// The result for the journals of earlier runs.
#[derive(Debug, Default)]
pub struct Cleaned {
    /// How many objects were destroyed.
    pub destroyed: u64,
    /// The objects that are left: the type, and a description.
    pub left: Vec<(String, String)>,
}

impl Cleaned {
    /// The result if no objects may be destroyed.
    pub fn untouched(orphans: &[Orphan]) -> Cleaned {
        let all = orphans.iter().flat_map(|orphan| &orphan.left);
        let left = all.map(|it| (it.type_name.clone(), "left by an earlier run: --apply destroys it".to_owned()));
        Cleaned { destroyed: 0, left: left.collect() }
    }
}

impl Cleaner<'_> {
    /// Destroys the objects in these journals, and removes the journals.
    ///
    /// # Errors
    /// A journal cannot be removed.
    pub fn clean(&mut self, orphans: Vec<Orphan>) -> std::io::Result<Cleaned> {
        let mut cleaned = Cleaned::default();
        for orphan in orphans {
            for left in &orphan.left {
                match self.destroyed(left) {
                    Ok(is_gone) => cleaned.destroyed += u64::from(is_gone),
                    Err(why) => cleaned.left.push((left.type_name.clone(), format!("{why}, left by an earlier run"))),
                }
            }
            // This run's journal has the objects that are left.
            orphan.remove()?;
        }
        Ok(cleaned)
    }

    /// Whether the object is gone. An apply that never answered is not gone; it is reported at the end.
    fn destroyed(&mut self, left: &Left) -> Result<bool, String> {
        let Left { type_name, object, private, identity } = left;
        let Some(json) = object else {
            self.journal.under_way(type_name);
            return Ok(false);
        };
        let shown = json.to_compact();
        let Some(subject) = self.types.get(type_name).filter(|_| self.applied.contains(type_name)) else {
            let number = self.journal.under_way(type_name);
            self.journal.is_there(number, type_name, json.clone(), private, identity.clone());
            return Err(format!("{shown}, not of a type in --apply"));
        };
        let object = Value::from_json(json, &subject.ty).map_err(|problem| problem.to_string())?;
        let known = subject.identity.as_ref().zip(identity.as_ref());
        let known = known.map(|(of, json)| Value::from_json(json, &of.ty())).transpose();
        let known = known.map_err(|problem| problem.to_string())?;
        let mut objects = Objects::new(self.journal, type_name, subject);
        objects.adopt(&object, private, known.as_ref());
        let script = Script {
            type_name: type_name.clone(),
            schema: Arc::clone(&subject.schema),
            identity: subject.identity.clone(),
            configs: Vec::new(),
            acts: Vec::new(),
        };
        let mut live = Live { plugin: &mut *self.plugin, kind: &subject.kind, objects: Some(objects) };
        let object = Object { private: private.clone(), ..Object::ready(object) };
        let left = destroy(&script, &mut live, (self.dialect, self.plan_destroy), (object, known));
        left.map_or(Ok(true), |_| Err(format!("{shown}, which cannot be destroyed")))
    }
}
