//! Reading the stored object (section 4).

use std::sync::Arc;

use planfuzz_core::json::Json;
use planfuzz_core::planner::{RawState, UpgradeState, summary};
use planfuzz_core::plans::Marked;
use planfuzz_core::state::{Object, Stored};
use planfuzz_core::value::{Number, Type, ValueRef, WrittenPath};

use super::answered::without_unknowns;
use super::typed_object::TypedObject;
use super::walk::{Step, Stop, Walk, stop_if};
use crate::at::At;

impl Walk<'_, '_> {
    /// L05.
    pub fn read_stored(&mut self, object: &Object) -> Step<TypedObject> {
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
        stop_if(!conforms)?;
        // An answer that has unknowns and write-only values is reported twice.
        self.refuse_write_only(&answer.upgraded, summary::INVALID_STATE_UPGRADE, "L05")?;
        stop_if(!is_known)?;
        let is_storable = is_finite(answer.upgraded.view());
        if !is_storable && self.dialect().dies_of_unstorable_upgrades() {
            return Err(Stop::Refused(
                At::ROOT.refusal("L05", "expected a number that a state can hold, found an infinite one"),
            ));
        }
        if !is_storable {
            self.error(summary::UNSTORABLE_STATE_UPGRADE, WrittenPath::default(), "L05");
        }
        stop_if(!is_storable)?;

        Ok(TypedObject {
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
                let json = match *version == current {
                    true => Arc::new(known_members(attributes, self.ty())),
                    false => Arc::clone(attributes),
                };
                Ok(UpgradeState { version: *version, state: RawState::Json(json) })
            }
        }
    }
}

/// Whether no number in a value is infinite.
fn is_finite(value: ValueRef<'_>) -> bool {
    !value.as_number().is_some_and(Number::is_infinite) && value.children().all(|(_, part)| is_finite(part))
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
        _ => json.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::known_members;
    use crate::lifecycle::fixture::{fixture, object, summaries};
    use planfuzz_core::dialect::Dialect;
    use planfuzz_core::json::Json;
    use planfuzz_core::planner::{Exchange, RawState};
    use planfuzz_core::state::Stored;
    use planfuzz_core::value::Type;
    use planfuzz_core::value::Value;

    fn raw(version: u64, attributes: &str) -> Stored {
        Stored::Raw { version, attributes: Json::parse(attributes).expect("JSON").into() }
    }

    #[test]
    fn l05_members_that_the_schema_lacks_are_dropped_at_equal_versions_only() {
        let attributes = r#"{"id":"1","gone":true,"list":[{"x":"a","y":"b"}]}"#;
        for (version, want) in [(3, r#"{"id":"1","list":[{"x":"a"}]}"#), (2, attributes)] {
            let mut fixture = fixture("{}", r#"{"name":"a"}"#);
            fixture.state.current.as_mut().expect("an object").stored = raw(version, attributes);
            let run = fixture.plan();
            let [Exchange::Validate(..), Exchange::Upgrade(request, _), ..] = run.exchanges.as_slice() else {
                panic!("{}", run.calls());
            };
            let RawState::Json(json) = &request.state else { panic!("JSON is sent") };
            assert_eq!((request.version, json.to_compact().as_str()), (version, want));
        }
    }

    #[test]
    fn l05_a_version_above_the_schemas_is_an_error_without_a_call() {
        let mut fixture = fixture("{}", r#"{"name":"a"}"#);
        fixture.state.current.as_mut().expect("an object").stored = raw(4, "{}");
        let run = fixture.plan();
        assert_eq!(run.calls(), "validate");
        assert_eq!(summaries(&run.answer.diagnostics), ["E Resource instance managed by newer provider version"]);
        for state in [&run.answer.previous_run, &run.answer.refreshed] {
            let kept = state.current.as_ref().map(|object| &object.stored);
            assert!(matches!(kept, Some(Stored::Raw { version: 4, .. })), "LD06");
        }
    }

    #[test]
    fn l05_an_answer_conforms_is_known_and_has_no_write_only_values() {
        let irs = "E Invalid resource state upgrade";
        let of = |dialect, upgrade| {
            let mut fixture = fixture(r#"{"id":"1"}"#, r#"{"name":"a"}"#);
            fixture.dialect = dialect;
            fixture.provider.upgrade = upgrade;
            summaries(&fixture.plan().answer.diagnostics)
        };
        let (terraform, opentofu) = (Dialect::TERRAFORM_1_11, Dialect::OPENTOFU_1_12);
        assert_eq!(of(terraform, |answer| answer.upgraded = Value::bool(true)), [irs]);
        assert_eq!(of(terraform, |answer| answer.upgraded = object(r#"{"id":{"$unknown":true}}"#)), [irs]);
        assert!(of(opentofu, |answer| answer.upgraded = object(r#"{"id":{"$unknown":true}}"#)).is_empty());
        assert_eq!(of(terraform, |answer| answer.upgraded = object(r#"{"wo":"x"}"#)), [format!("{irs} .wo")]);
        let both = of(terraform, |answer| answer.upgraded = object(r#"{"id":{"$unknown":true},"wo":"x"}"#));
        assert_eq!(both, [irs.to_owned(), format!("{irs} .wo")]);
        let strictly = of(opentofu, |answer| answer.upgraded = object(r#"{"wo":"x"}"#));
        assert_eq!(strictly, ["E Invalid provider response .wo"]);
    }

    #[test]
    fn l07_an_upgrade_is_never_drift() {
        let mut fixture = fixture(r#"{"id":"1"}"#, r#"{"name":"a"}"#);
        fixture.provider.upgrade = |answer| answer.upgraded = object(r#"{"id":"2","name":"a"}"#);
        let run = fixture.plan();
        assert!(run.answer.drift.is_none());
        assert_eq!(run.changes(), "no_op");
    }

    #[test]
    fn l05_nothing_is_dropped_inside_tuples_and_dynamic_values() {
        let ty = Type::parse(
            r#"["object",{"d":"dynamic","m":["map",["object",{"a":"string"}]],"t":["tuple",[["object",{"a":"string"}]]]}]"#,
        );
        let stored = r#"{"d":{"gone":1},"m":{"k":{"a":"x","gone":1}},"t":[{"a":"x","gone":1}],"gone":1}"#;
        let kept = known_members(&Json::parse(stored).expect("JSON"), &ty.expect("a type"));
        assert_eq!(kept.to_compact(), r#"{"d":{"gone":1},"m":{"k":{"a":"x"}},"t":[{"a":"x","gone":1}]}"#);
    }
}
