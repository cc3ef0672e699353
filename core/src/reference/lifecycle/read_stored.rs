//! Reading the stored object (section 4).

use crate::json::Json;
use crate::planner::{RawState, UpgradeState, summary};
use crate::plans::Marked;
use crate::state::{Object, Stored};
use crate::value::{Type, WrittenPath};

use super::answered::without_unknowns;
use super::held::Held;
use super::walk::{Step, Walk, stop_if};

impl Walk<'_, '_> {
    /// L05.
    pub fn read_stored(&mut self, object: &Object) -> Step<Held> {
        let request = self.upgrade_request(&object.stored)?;
        let answer = self.provider.upgrade(request);
        let failed = self.hear(answer.remarks);
        let undecodable = self.decode(&answer.upgraded, "L05")?;
        stop_if(failed || undecodable)?;

        let conforms = self.conforms(&answer.upgraded);
        if !conforms {
            self.error(summary::INVALID_STATE_UPGRADE, WrittenPath::default(), "L05");
        }
        let is_known = answer.upgraded.is_wholly_known() || !self.dialect().refuses_unknowns_in_reads();
        if !is_known {
            self.error(summary::INVALID_STATE_UPGRADE, WrittenPath::default(), "L05");
        }
        stop_if(!conforms || !is_known)?;
        self.refuse_write_only(&answer.upgraded, summary::INVALID_STATE_UPGRADE, "L05")?;

        Ok(Held {
            value: Marked::new(without_unknowns(&answer.upgraded)?, &object.sensitive),
            private: object.private.clone(),
            status: object.status,
            dependencies: object.dependencies.clone(),
            create_before_destroy: object.create_before_destroy,
            skip_destroy: object.skip_destroy,
        })
    }

    fn upgrade_request(&mut self, stored: &Stored) -> Step<UpgradeState> {
        let current = self.source().version;
        match stored {
            Stored::Value(value) => Ok(UpgradeState { version: current, state: RawState::Value(value.clone()) }),
            Stored::Raw { version, .. } if *version > current => Err(self.fail(summary::NEWER_PROVIDER, "L05")),
            Stored::Raw { version, attributes } => {
                let json = if *version == current { known_members(attributes, self.ty()) } else { attributes.clone() };
                Ok(UpgradeState { version: *version, state: RawState::Json(json) })
            }
        }
    }
}

/// Attributes as they are stored, without the members that an object type lacks; nothing is dropped inside a value of
/// type `dynamic`.
fn known_members(json: &Json, ty: &Type) -> Json {
    match (json, ty) {
        (Json::Object(members), Type::Object(object)) => {
            let known = members.iter().filter_map(|(name, member)| {
                let ty = object.attribute_type(name)?;
                Some((name.clone(), known_members(member, ty)))
            });
            Json::Object(known.collect())
        }
        (Json::Object(members), Type::Map(element)) => {
            let members = members.iter().map(|(name, member)| (name.clone(), known_members(member, element)));
            Json::Object(members.collect())
        }
        (Json::Array(items), Type::List(element) | Type::Set(element)) => {
            Json::Array(items.iter().map(|item| known_members(item, element)).collect())
        }
        (Json::Array(items), Type::Tuple(tuple)) if items.len() == tuple.len() => {
            let items = items.iter().zip(tuple.elements());
            Json::Array(items.map(|(item, ty)| known_members(item, ty)).collect())
        }
        _ => json.clone(),
    }
}
