//! Refresh (section 5).

use planfuzz_core::planner::{ReadResource, summary};
use planfuzz_core::plans::Marked;
use planfuzz_core::schema::{Attribute, Block, Shape};
use planfuzz_core::state::Private;
use planfuzz_core::value::{Text, Type, WrittenPath};

use super::typed_object::TypedObject;
use super::walk::{Step, Walk, stop_if};
use crate::at::At;
use crate::compatible::violations_of_marked;
use crate::normalize::normalize;

/// The result of a refresh.
pub(super) enum ReadOutcome {
    /// The object as it is now.
    There(TypedObject),
    /// It is gone; the private data of the answer.
    Gone(Private),
}

impl ReadOutcome {
    /// The object, if it is there.
    pub fn object(self) -> Option<TypedObject> {
        match self {
            ReadOutcome::There(object) => Some(object),
            ReadOutcome::Gone(_) => None,
        }
    }
}

impl Walk<'_, '_> {
    /// L10 to L18.
    pub fn refresh(&mut self, object: &TypedObject, configured_dependencies: &[Text]) -> Step<ReadOutcome> {
        let read = match self.read(object)? {
            ReadOutcome::There(read) => read,
            gone => return Ok(gone),
        };
        // L18
        let mut dependencies = [read.dependencies.as_slice(), configured_dependencies].concat();
        dependencies.sort_unstable();
        dependencies.dedup();
        Ok(ReadOutcome::There(TypedObject { dependencies, ..read }))
    }

    /// L10 to L17.
    pub fn read(&mut self, object: &TypedObject) -> Step<ReadOutcome> {
        let request = ReadResource { current: object.value.value().clone(), private: object.private.clone() };
        let answer = self.provider.read(request);
        let failed = self.hear(answer.remarks);
        let undecodable = self.decode(&answer.new_state, "L13")?;
        // L10
        stop_if(failed || undecodable)?;
        if answer.deferred && self.dialect().has_deferrals() {
            return Err(self.fail(summary::REFRESH_DEFERRED, "L56a"));
        }
        // L11 and L12, reported together
        let is_known = answer.new_state.is_wholly_known() || !self.dialect().refuses_unknowns_in_reads();
        if !is_known {
            self.error(summary::INVALID_OBJECT, WrittenPath::default(), "L11");
        }
        let conforms = self.conforms(&answer.new_state);
        if !conforms {
            self.error(summary::INVALID_OBJECT, WrittenPath::default(), "L12");
        }
        stop_if(!is_known || !conforms)?;
        // L13
        self.refuse_write_only(&answer.new_state, summary::INVALID_OBJECT, "L13")?;
        // L17
        if answer.new_state.is_null() {
            return Ok(ReadOutcome::Gone(answer.private));
        }
        // L14
        let value = match self.dialect().normalizes_every_read() || can_be_legacy(&self.source().block) {
            true => normalize(self.dialect(), self.schema(), answer.new_state.view(), &At::ROOT)?,
            false => answer.new_state,
        };
        // L15
        if self.dialect().compares_what_it_read() {
            let plain = Marked::plain(object.value.value().clone());
            violations_of_marked(self.dialect(), self.schema(), &plain, &Marked::plain(value.clone()))?;
        }
        // L16
        let marks = object.value.sensitive().union(&self.sensitive_paths(&value)?);
        let value = Marked::new(value, &marks);
        Ok(ReadOutcome::There(TypedObject { value, private: answer.private, ..object.clone() }))
    }
}

/// K03: whether a schema can be one of the legacy SDK, which has no computed blocks, no nested types and few leaf types.
fn can_be_legacy(block: &Block) -> bool {
    let nested = || block.block_types.values().all(|nested| can_be_legacy(&nested.block));
    !block.computed && block.attributes.values().all(is_legacy) && nested()
}

fn is_legacy(attribute: &Attribute) -> bool {
    let Shape::Leaf(ty) = &attribute.shape else { return false };
    match ty {
        Type::Tuple(_) | Type::Object(_) => false,
        Type::Map(element) if matches!(**element, Type::Object(_)) => false,
        Type::List(element) | Type::Set(element) | Type::Map(element) => match &**element {
            Type::List(inner) | Type::Set(inner) | Type::Map(inner) => inner.is_primitive(),
            _ => true,
        },
        Type::Dynamic | Type::Bool | Type::Number | Type::String => true,
    }
}

#[cfg(test)]
mod tests {
    use super::can_be_legacy;
    use crate::lifecycle::fixture::{
        configured, depends_on, fixture, object, remark, stored, summaries, text_of, value_of,
    };
    use planfuzz_core::address::ResourceKind;
    use planfuzz_core::dialect::Dialect;
    use planfuzz_core::json::Json;
    use planfuzz_core::planner::{Link, Presence, ReadAnswer, Severity};
    use planfuzz_core::plans::{Action, Mode};
    use planfuzz_core::schema::Schema;
    use planfuzz_core::state::Object;
    use planfuzz_core::value::{Tri, Type, Value};

    const OLD: &str = r#"{"id":"1","name":"a"}"#;

    fn refused(dialect: Dialect, read: fn(&mut ReadAnswer)) -> Vec<String> {
        let mut fixture = fixture(OLD, r#"{"name":"a"}"#);
        fixture.dialect = dialect;
        fixture.provider.read = read;
        let run = fixture.plan();
        assert_eq!(run.calls(), "validate upgrade read");
        assert!(run.answer.changes.is_empty() && run.answer.working.is_none());
        assert_eq!(value_of(&run.answer.refreshed.current), object(OLD), "L10");
        summaries(&run.answer.diagnostics)
    }

    #[test]
    fn l10_a_read_that_fails_leaves_the_flag() {
        let mut fixture = fixture(OLD, r#"{"name":"a"}"#);
        fixture.configured().lifecycle.create_before_destroy = true;
        fixture.provider.read = |answer| answer.remarks.push(remark(Severity::Error, "no"));
        assert!(!fixture.plan().answer.refreshed.current.expect("an object").create_before_destroy);
    }

    #[test]
    fn l10_to_l13_a_bad_read_ends_the_walk_and_keeps_the_object() {
        let (terraform, opentofu) = (Dialect::TERRAFORM_1_11, Dialect::OPENTOFU_1_12);
        let failed = refused(terraform, |answer| answer.remarks.push(remark(Severity::Error, "no")));
        assert_eq!(failed, ["E no"]);
        let pio = "E Provider produced invalid object";
        assert_eq!(refused(terraform, |answer| answer.new_state = Value::bool(true)), [pio]);
        assert_eq!(refused(terraform, |answer| answer.new_state = object(r#"{"oc":{"$unknown":true}}"#)), [pio]);
        let both = |answer: &mut ReadAnswer| answer.new_state = Value::unknown(Type::Bool);
        assert_eq!(refused(terraform, both), [pio, pio]);
        assert_eq!(refused(terraform, |answer| answer.new_state = object(r#"{"wo":"x"}"#)), [format!("{pio} .wo")]);
        let strictly = refused(opentofu, |answer| answer.new_state = object(r#"{"wo":"x"}"#));
        assert_eq!(strictly, ["E Invalid provider response .wo"]);
        let deferred = refused(terraform, |answer| answer.deferred = true);
        assert_eq!(deferred, ["E Provider deferred changes when Terraform did not allow deferrals"]);
    }

    #[test]
    fn l11_ld23_opentofu_has_nulls_for_unknowns_in_the_states_only_and_ignores_deferrals() {
        let mut fixture = fixture(OLD, r#"{"name":"a"}"#);
        fixture.dialect = Dialect::OPENTOFU_1_12;
        fixture.provider.read = |answer| {
            answer.new_state = object(r#"{"id":"1","name":"a","oc":{"$unknown":true}}"#);
            answer.deferred = true;
        };
        let run = fixture.plan();
        assert_eq!(value_of(&run.answer.refreshed.current), object(OLD));
        assert_eq!(run.changes(), "update");
        let before = run.change().change.before.value().clone();
        assert_eq!(before, object(r#"{"id":"1","name":"a","oc":{"$unknown":true}}"#));
    }

    #[test]
    fn l14_null_blocks_become_empty_unless_the_schema_cannot_be_a_legacy_one() {
        let mut fixture = fixture(OLD, r#"{"name":"a"}"#);
        fixture.provider.read = |answer| answer.new_state = object(r#"{"id":"1","name":"a","list":null}"#);
        assert_eq!(value_of(&fixture.plan().answer.refreshed.current), object(OLD));
        let schema = |attributes: &str| {
            let text = format!(r#"{{"block":{{"attributes":{attributes}}}}}"#);
            Schema::from_json(&Json::parse(&text).expect("JSON")).expect("a schema")
        };
        for (ty, legacy) in [
            (r#""string""#, true),
            (r#"["list","string"]"#, true),
            (r#"["map","string"]"#, true),
            (r#"["list",["map","string"]]"#, true),
            (r#"["list",["object",{"a":"string"}]]"#, true),
            (r#"["map",["object",{"a":"string"}]]"#, false),
            (r#"["object",{"a":"string"}]"#, false),
            (r#"["tuple",["string"]]"#, false),
            (r#"["set",["list",["object",{"a":"string"}]]]"#, false),
        ] {
            let schema = schema(&format!(r#"{{"a":{{"type":{ty},"optional":true}}}}"#));
            assert_eq!(can_be_legacy(&schema.block), legacy, "{ty}");
        }
        let nested = r#"{"a":{"optional":true,"nested_type":{"nesting_mode":"single","attributes":{}}}}"#;
        assert!(!can_be_legacy(&schema(nested).block));
    }

    #[test]
    fn l16_l18_private_data_of_the_answer_marks_and_dependencies_of_both() {
        let mut fixture = fixture(OLD, "");
        let mut wanted = configured(r#"{"name":"b"}"#);
        wanted.dependencies = vec![
            depends_on("x.b", ResourceKind::Managed, Link::Reference, &[]),
            depends_on("data.x.a", ResourceKind::Data, Link::Transitive, &[]),
        ];
        fixture.presence = Presence::Configured(Box::new(wanted));
        fixture.state.current.as_mut().expect("an object").dependencies = vec!["x.c".into(), "x.b".into()];
        let run = fixture.plan();
        let refreshed = run.answer.refreshed.current.clone().expect("an object");
        assert_eq!(text_of(&refreshed.private), "R");
        assert_eq!(refreshed.sensitive.texts(), [".pass"]);
        assert_eq!(refreshed.dependencies, ["data.x.a", "x.b", "x.c"].map(Into::into));
    }

    #[test]
    fn l17_a_missing_object_is_created_again_and_is_drift() {
        let mut fixture = fixture(OLD, r#"{"name":"a"}"#);
        fixture.provider.read = |answer| answer.new_state = Value::null(answer.new_state.ty().clone());
        let run = fixture.plan();
        assert_eq!(run.changes(), "create");
        let drift = run.answer.drift.clone().expect("drift");
        assert_eq!(drift.action, Action::Delete);
        assert!(drift.after.is_null() && run.answer.refreshed.is_absent());
        assert_eq!(*drift.before.value(), object(OLD));
    }

    #[test]
    fn l153_without_a_refresh_upgrade_and_flag_remain() {
        let mut fixture = fixture(OLD, r#"{"name":"a"}"#);
        fixture.options.skip_refresh = true;
        fixture.configured().lifecycle.forced_create_before_destroy = true;
        let run = fixture.plan();
        assert_eq!(run.calls(), "validate upgrade validate plan");
        let flag = |object: &Option<Object>| object.as_ref().map(|object| object.create_before_destroy);
        assert_eq!(flag(&run.answer.previous_run.current), Some(false));
        assert_eq!(flag(&run.answer.refreshed.current), Some(true), "L06");
    }

    #[test]
    fn l151_a_refresh_plans_nothing_and_conditions_are_warnings() {
        let mut fixture = fixture(OLD, r#"{"name":"b"}"#);
        fixture.mode = Mode::RefreshOnly;
        fixture.configured().preconditions = vec![Tri::False, Tri::Unknown];
        fixture.configured().postconditions = vec![Tri::False];
        fixture.provider.read = |answer| answer.new_state = object(r#"{"id":"1","name":"x"}"#);
        fixture.state.deposed.insert(Default::default(), stored(OLD));
        let run = fixture.plan();
        assert_eq!(run.calls(), "validate upgrade read upgrade read");
        assert_eq!(
            summaries(&run.answer.diagnostics),
            ["W Resource postcondition failed", "W Resource precondition failed"]
        );
        assert!(run.answer.changes.is_empty() && run.answer.applyable);
        assert_eq!(run.answer.drift.clone().expect("drift").action, Action::Update);
        assert_eq!(*run.answer.working.clone().expect("a value").value(), object(r#"{"id":"1","name":"x"}"#));
    }

    #[test]
    fn l14_the_head_alone_looks_whether_a_schema_can_be_legacy() {
        let (t11, ot, th) = (Dialect::TERRAFORM_1_11, Dialect::OPENTOFU_1_12, Dialect::TERRAFORM_1_17);
        for (dialect, is_modern, stays_null) in
            [(t11, false, false), (t11, true, false), (ot, true, false), (th, false, false), (th, true, true)]
        {
            let mut fixture = fixture(OLD, r#"{"name":"a"}"#);
            fixture.dialect = dialect;
            fixture.mode = Mode::RefreshOnly;
            // K03: no legacy schema has a computed block; the implied type is the same.
            fixture.schema.block.block_types.get_mut("list").expect("the block").block.computed = is_modern;
            fixture.provider.read = |answer| answer.new_state = object(r#"{"id":"1","name":"a","list":null}"#);
            let found = value_of(&fixture.plan().answer.refreshed.current);
            let list = found.view().member("list").expect("the block");
            assert_eq!(list.is_null(), stays_null, "{dialect} {is_modern}");
        }
    }
}
