//! Import (section 6).

use planfuzz_core::planner::{ImportState, summary};
use planfuzz_core::plans::Marked;
use planfuzz_core::state::Object;
use planfuzz_core::value::{PathSet, Text, WrittenPath};

use super::typed_object::TypedObject;
use super::walk::{Step, Walk, stop_if};

impl Walk<'_, '_> {
    /// L20, L21: imports the object under an id and reads it. `seen` is the object for the previous-run state, also after errors
    /// (L22).
    pub fn import(&mut self, id: &Text, configured: &PathSet, seen: &mut Option<Object>) -> Step<TypedObject> {
        let before = self.diagnostics.len();
        let answer = self.provider.import(ImportState { id: id.clone() });
        let failed = self.hear(answer.remarks);
        let mut undecodable = false;
        for (value, _) in &answer.imported {
            undecodable |= self.decode(value, "L21")?;
        }
        stop_if(failed || undecodable)?;
        let are_many = answer.imported.len() > 1;
        let Some((value, private)) = answer.imported.into_iter().next() else {
            return Err(self.fail(summary::IMPORT_NONE, "L21"));
        };
        // These two are errors, but the object is read all the same; if there are many, only in Terraform.
        if are_many {
            self.error(summary::IMPORT_MANY, WrittenPath::default(), "L21");
            stop_if(!self.dialect().reads_first_of_many())?;
        }
        let is_null = value.is_null();
        if is_null {
            self.error(summary::IMPORT_NULL, WrittenPath::default(), "L21");
        }
        self.refuse_write_only(&value, summary::IMPORT_WRITE_ONLY, "L21")?;
        // LD26
        let is_kept = !is_null && self.conforms(&value);
        let imported = TypedObject::ready(Marked::plain(value), private);
        *seen = is_kept.then(|| imported.store());
        let found = self.read(&imported)?.object().map(|found| self.marked_import(found, configured));
        *seen = found.as_ref().map(TypedObject::store);
        stop_if(are_many || is_null)?;
        found.ok_or_else(|| {
            // Warnings of the provider are dropped.
            self.diagnostics.truncate(before);
            self.fail(summary::IMPORT_ABSENT, "L21")
        })
    }

    /// L22: OpenTofu puts the marks of the configuration on an imported object.
    fn marked_import(&self, found: TypedObject, configured: &PathSet) -> TypedObject {
        if !self.dialect().marks_imported_by_configuration() {
            return found;
        }
        let (value, marks) = found.value.clone().into_parts();
        TypedObject { value: Marked::new(value, &marks.union(configured)), ..found }
    }
}

#[cfg(test)]
mod tests {
    use crate::lifecycle::fixture::{fixture, key, object, path, remark, stored, summaries, text_of, value_of};
    use planfuzz_core::dialect::Dialect;
    use planfuzz_core::planner::{ImportAnswer, Severity};
    use planfuzz_core::plans::{Action, Marked, Mode};
    use planfuzz_core::state::{Object, Private};
    use planfuzz_core::value::Value;

    fn imported(dialect: Dialect, import: fn(&mut ImportAnswer)) -> Vec<String> {
        let mut fixture = fixture("", r#"{"name":"a"}"#);
        fixture.dialect = dialect;
        fixture.options.import = Some("7".into());
        fixture.provider.import = import;
        let run = fixture.plan();
        assert!(run.calls().starts_with("validate import"), "{}", run.calls());
        let plan = run.answer;
        assert!(plan.changes.is_empty() && plan.refreshed.is_absent());
        assert_eq!(plan.drift.is_some(), !plan.previous_run.is_absent(), "L22");
        summaries(&plan.diagnostics)
    }

    #[test]
    fn l20_l22_an_imported_object_is_read_and_planned_without_drift() {
        let mut fixture = fixture("", r#"{"name":"a"}"#);
        fixture.options.import = Some("7".into());
        fixture.options.skip_refresh = true;
        let run = fixture.plan();
        assert_eq!(run.calls(), "validate import read validate plan");
        assert_eq!(run.changes(), "update");
        assert_eq!(run.change().change.importing, Some(planfuzz_core::plans::Importing::Id("7".into())));
        let plan = &run.answer;
        assert!(plan.drift.is_none() && plan.applyable);
        assert_eq!(value_of(&plan.previous_run.current), object(r#"{"id":"7"}"#));
        assert_eq!(text_of(&plan.refreshed.current.clone().expect("an object").private), "R");
    }

    #[test]
    fn l22_an_imported_object_is_stored_without_the_flag_of_the_configuration() {
        let mut fixture = fixture("", r#"{"name":"a"}"#);
        fixture.options.import = Some("7".into());
        fixture.configured().lifecycle.create_before_destroy = true;
        let plan = fixture.plan().answer;
        for object in [plan.previous_run.current, plan.refreshed.current] {
            assert!(!object.expect("an object").create_before_destroy);
        }
    }

    #[test]
    fn ld26_opentofu_stores_the_flag_where_nothing_is_refreshed() {
        for (dialect, is_stored) in [(Dialect::TERRAFORM_1_11, false), (Dialect::OPENTOFU_1_12, true)] {
            let mut fixture = fixture("", r#"{"name":"a"}"#);
            fixture.dialect = dialect;
            fixture.options.import = Some("7".into());
            fixture.options.skip_refresh = true;
            fixture.configured().lifecycle.create_before_destroy = true;
            let plan = fixture.plan().answer;
            let flag = |object: Option<Object>| object.expect("an object").create_before_destroy;
            assert_eq!((flag(plan.previous_run.current), flag(plan.refreshed.current)), (false, is_stored));
        }
    }

    #[test]
    fn l22_opentofu_puts_the_marks_of_the_configuration_on_imported_objects() {
        for (dialect, action) in [(Dialect::TERRAFORM_1_11, "update"), (Dialect::OPENTOFU_1_12, "no_op")] {
            let mut fixture = fixture("", r#"{"name":"a"}"#);
            fixture.dialect = dialect;
            fixture.options.import = Some("7".into());
            fixture.provider.read = |answer| answer.new_state = object(r#"{"id":"7","name":"a"}"#);
            let configured = fixture.configured();
            configured.config = Marked::new(configured.config.value().clone(), &[path(".name")].into_iter().collect());
            let run = fixture.plan();
            assert_eq!(run.changes(), action, "{dialect}");
            let marks = run.answer.previous_run.current.expect("an object").sensitive;
            assert_eq!(marks.contains(&path(".name")), action == "no_op");
        }
    }

    #[test]
    fn l21_of_many_opentofu_reads_none() {
        for (dialect, calls) in
            [(Dialect::TERRAFORM_1_11, "validate import read"), (Dialect::OPENTOFU_1_12, "validate import")]
        {
            let mut fixture = fixture("", r#"{"name":"a"}"#);
            fixture.dialect = dialect;
            fixture.options.import = Some("7".into());
            fixture.provider.import = |answer| answer.imported.push(answer.imported[0].clone());
            assert_eq!(fixture.plan().calls(), calls);
        }
    }

    #[test]
    fn l20_an_address_with_an_object_is_skipped() {
        let mut fixture = fixture(r#"{"id":"1","name":"a"}"#, r#"{"name":"a"}"#);
        fixture.options.import = Some("7".into());
        let run = fixture.plan();
        assert_eq!(run.calls(), "validate upgrade read validate plan");
        assert!(run.change().change.importing.is_none() && !run.answer.applyable);
    }

    #[test]
    fn l21_unusable_imports_are_reported() {
        let (terraform, opentofu) = (Dialect::TERRAFORM_1_11, Dialect::OPENTOFU_1_12);
        assert_eq!(imported(terraform, |answer| answer.imported.clear()), ["E Import returned no resources"]);
        let twice = |answer: &mut ImportAnswer| answer.imported.push(answer.imported[0].clone());
        assert_eq!(imported(terraform, twice), ["E Multiple import states not supported"]);
        let null = |answer: &mut ImportAnswer| answer.imported[0].0 = Value::null(object("{}").ty().clone());
        assert_eq!(imported(terraform, null), ["E Import returned null resource"]);
        let write_only = |answer: &mut ImportAnswer| answer.imported[0].0 = object(r#"{"wo":"x"}"#);
        let reported = imported(terraform, write_only);
        assert_eq!(reported, ["E Import returned a non-null value for a write-only attribute .wo"]);
        assert_eq!(imported(opentofu, write_only), ["E Invalid provider response .wo"]);
    }

    #[test]
    fn l21_l22_an_object_of_a_faulty_import_is_read() {
        let mut fixture = fixture("", r#"{"name":"a"}"#);
        fixture.options.import = Some("7".into());
        fixture.provider.import = |answer| answer.imported.insert(0, (object(r#"{"id":"8"}"#), Private::NONE));
        let run = fixture.plan();
        assert_eq!(run.calls(), "validate import read");
        let plan = run.answer;
        assert_eq!(summaries(&plan.diagnostics), ["E Multiple import states not supported"]);
        assert_eq!(value_of(&plan.previous_run.current), object(r#"{"id":"8"}"#), "the first");
        assert!(plan.refreshed.is_absent() && plan.changes.is_empty());
        assert_eq!(plan.drift.expect("a drift").action, Action::Delete);

        fixture.provider.import = |answer| answer.imported[0].0 = Value::null(object("{}").ty().clone());
        fixture.provider.read = |answer| answer.new_state = object(r#"{"id":"9"}"#);
        let run = fixture.plan();
        assert_eq!(run.calls(), "validate import read");
        assert_eq!(summaries(&run.answer.diagnostics), ["E Import returned null resource"]);
        assert_eq!(value_of(&run.answer.previous_run.current), object(r#"{"id":"9"}"#));
        fixture.provider.read = |answer| answer.new_state = Value::null(object("{}").ty().clone());
        let run = fixture.plan();
        assert_eq!(summaries(&run.answer.diagnostics), ["E Import returned null resource"], "only the first error");
        assert!(run.answer.previous_run.is_absent() && run.answer.drift.is_none());
    }

    #[test]
    fn l22_ld26_a_read_that_fails_leaves_the_imported_object_behind() {
        let mut fixture = fixture("", r#"{"name":"a"}"#);
        fixture.options.import = Some("7".into());
        fixture.provider.import = |answer| answer.imported[0].0 = object(r#"{"id":{"$unknown":true}}"#);
        fixture.provider.read = |answer| answer.remarks.push(remark(Severity::Error, "no"));
        let plan = fixture.plan().answer;
        assert_eq!(value_of(&plan.previous_run.current), object("{}"));
        assert!(plan.refreshed.is_absent());
        let before = plan.drift.expect("a drift").before;
        assert_eq!(*before.value(), object(r#"{"id":{"$unknown":true}}"#));
    }

    #[test]
    fn l20_a_deposed_object_is_an_object_of_the_address() {
        let mut fixture = fixture("", r#"{"name":"a"}"#);
        fixture.options.import = Some("7".into());
        fixture.state.deposed.insert(key("00000009"), stored(r#"{"id":"1"}"#));
        let run = fixture.plan();
        assert!(!run.calls().contains("import"), "{}", run.calls());
        assert!(run.answer.changes[0].change.importing.is_none());
    }

    #[test]
    fn l21_an_import_that_the_read_does_not_find_is_an_error() {
        let mut fixture = fixture("", r#"{"name":"a"}"#);
        fixture.options.import = Some("7".into());
        fixture.provider.read = |answer| answer.new_state = Value::null(answer.new_state.ty().clone());
        let run = fixture.plan();
        assert_eq!(summaries(&run.answer.diagnostics), ["E Cannot import non-existent remote object"]);
        assert!(run.answer.refreshed.is_absent() && run.answer.previous_run.is_absent());
    }

    #[test]
    fn l21_warnings_of_an_import_that_finds_nothing_are_lost() {
        let mut fixture = fixture("", r#"{"name":"a"}"#);
        fixture.options.import = Some("7".into());
        fixture.provider.import = |answer| answer.remarks.push(remark(Severity::Warning, "odd"));
        fixture.provider.read = |answer| {
            answer.new_state = Value::null(answer.new_state.ty().clone());
            answer.remarks.push(remark(Severity::Warning, "odd"));
        };
        assert_eq!(summaries(&fixture.plan().answer.diagnostics), ["E Cannot import non-existent remote object"]);
    }

    #[test]
    fn l23_only_a_normal_plan_imports() {
        for mode in [Mode::Destroy, Mode::RefreshOnly] {
            let mut fixture = fixture("", r#"{"name":"a"}"#);
            fixture.options.import = Some("7".into());
            fixture.mode = mode;
            let run = fixture.plan();
            assert!(!run.calls().contains("import"), "{mode}: {}", run.calls());
            assert!(run.answer.changes.is_empty() && run.answer.refreshed.is_absent());
        }
    }

    #[test]
    fn l22_ld26_a_value_that_is_no_object_is_not_left_behind_where_the_read_fails() {
        let mut fixture = fixture("", r#"{"name":"a"}"#);
        fixture.options.import = Some("7".into());
        fixture.provider.read = |answer| answer.remarks.push(remark(Severity::Error, "no"));
        fixture.provider.import = |answer| answer.imported[0].0 = Value::null(object("{}").ty().clone());
        let plan = fixture.plan().answer;
        assert_eq!(summaries(&plan.diagnostics), ["E Import returned null resource", "E no"]);
        assert!(plan.previous_run.is_absent() && plan.drift.is_none());
        fixture.provider.import = |answer| answer.imported[0].0 = Value::bool(true);
        let plan = fixture.plan().answer;
        assert_eq!(summaries(&plan.diagnostics), ["E no"]);
        assert!(plan.previous_run.is_absent() && plan.drift.is_none());
    }
}
