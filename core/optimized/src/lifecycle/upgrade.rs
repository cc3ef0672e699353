//! Reading stored objects (L05).

use std::sync::Arc;

use planfuzz_core::json::Json;
use planfuzz_core::planner::{RawState, Refusal, UpgradeState, summary};
use planfuzz_core::plans::Marked;
use planfuzz_core::state::{Object, Stored};
use planfuzz_core::value::{Node, Path, Type, Value};

use super::typed_object::TypedObject;
use super::unknowns::without_unknowns;
use super::walk::{Stop, Walk, Walked};

impl Walk<'_> {
    /// L05: reads an object of the state, with an upgrade by the provider.
    pub(super) fn upgrade(&mut self, object: &Object) -> Walked<TypedObject> {
        let request = self.upgrade_request(&object.stored)?;
        let answer = self.provider.upgrade(request);
        let failed = self.remark(&answer.remarks);
        if failed | self.decoded(&answer.upgraded, "L05")? {
            return Err(Stop::Error);
        }
        let value = self.upgraded(answer.upgraded)?;
        Ok(TypedObject {
            object: Marked::new(value, &object.sensitive),
            private: object.private.clone(),
            status: object.status,
            dependencies: object.dependencies.clone(),
            create_before_destroy: object.create_before_destroy,
            skip_destroy: object.skip_destroy,
        })
    }

    fn upgrade_request(&mut self, stored: &Stored) -> Walked<UpgradeState> {
        let current = self.program.version;
        match stored {
            Stored::Value(value) => Ok(UpgradeState { version: current, state: RawState::Value(value.clone()) }),
            Stored::Raw { version, .. } if *version > current => self.fail(summary::NEWER_PROVIDER, "L05"),
            Stored::Raw { version, attributes } => {
                let pruned = if *version == current { pruned(attributes, self.ty()) } else { None };
                let attributes = pruned.map_or_else(|| Arc::clone(attributes), Arc::new);
                Ok(UpgradeState { version: *version, state: RawState::Json(attributes) })
            }
        }
    }

    fn upgraded(&mut self, upgraded: Value) -> Walked<Value> {
        let upgraded = self.conforming(upgraded, summary::INVALID_STATE_UPGRADE, "L05")?;
        let known = match self.program.dialect.refuses_unknowns_in_reads() && !upgraded.is_wholly_known() {
            true => self.fail(summary::INVALID_STATE_UPGRADE, "L05"),
            false => Ok(()),
        };
        // Write-only values are reported too.
        self.without_write_only(&upgraded, summary::INVALID_STATE_UPGRADE, "L05")?;
        known?;
        if has_infinity(upgraded.node()) {
            if self.program.dialect.dies_of_unstorable_upgrades() {
                return Err(Refusal::new("L05", &Path::root(), "no state can hold an infinite number").into());
            }
            return self.fail(summary::UNSTORABLE_STATE_UPGRADE, "L05");
        }
        Ok(without_unknowns(upgraded))
    }
}

/// Whether a number is infinite, which no state file can hold.
fn has_infinity(node: &Node) -> bool {
    match node {
        Node::Number(number) => number.is_infinite(),
        node => node.parts().iter().any(has_infinity),
    }
}

/// The document without members that the type lacks; `None` if it has no such members.
fn pruned(json: &Json, ty: &Type) -> Option<Json> {
    match (json, ty) {
        (Json::Object(members), Type::Object(object)) => {
            prune_members(members, |name| object.attribute_type(name).map_or(Pruning::Drop, Pruning::Keep))
        }
        (Json::Object(members), Type::Map(element)) => prune_members(members, |_| Pruning::Keep(element)),
        (Json::Array(items), Type::List(element) | Type::Set(element)) => {
            let mut changed: Option<Vec<Json>> = None;
            for (index, item) in items.iter().enumerate() {
                if let Some(item) = pruned(item, element) {
                    changed.get_or_insert_with(|| items.clone())[index] = item;
                }
            }
            changed.map(Json::Array)
        }
        _ => None,
    }
}

/// The treatment of a member.
enum Pruning<'a> {
    Keep(&'a Type),
    Drop,
}

fn prune_members<'a>(members: &[(Box<str>, Json)], pruning: impl Fn(&str) -> Pruning<'a>) -> Option<Json> {
    let mut changed: Option<Vec<(Box<str>, Json)>> = None;
    for (index, (name, member)) in members.iter().enumerate() {
        let new = match pruning(name) {
            Pruning::Drop => None,
            Pruning::Keep(ty) => match (pruned(member, ty), &changed) {
                (None, None) => continue,
                (new, _) => Some(new.unwrap_or_else(|| member.clone())),
            },
        };
        let changed = changed.get_or_insert_with(|| members[..index].to_vec());
        changed.extend(new.map(|new| (name.clone(), new)));
    }
    changed.map(Json::Object)
}
