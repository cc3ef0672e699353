//! Apply, read and semantic equality.

use super::*;

const BLOCK: &str = r#"{"attributes":{"a":{"type":"string","optional":true},"id":{"type":"string","computed":true},
    "l":{"type":["list","string"],"optional":true},"s":{"type":["set","string"],"optional":true},
    "w":{"type":"string","optional":true,"write_only":true}},"block_types":{"b":{"nesting_mode":"set","block":{
    "attributes":{"k":{"type":"string","optional":true},"v":{"type":"string","computed":true}}}}}}"#;

const CASE: &str = r#"{"a":{"equal":"case"},"l":{"equal":"case"},"s":{"equal":"case"},"b.k":{"equal":"case"}}"#;

fn object(members: &str) -> String {
    let all = [("a", "null"), ("b", "[]"), ("id", "\"i\""), ("l", "null"), ("s", "null"), ("w", "null")];
    let given = json(&format!("{{{members}}}"));
    let members = all.map(|(name, default)| {
        let value = given.member(name).map_or_else(|| default.to_owned(), Json::to_compact);
        format!("{name:?}:{value}")
    });
    format!("{{{}}}", members.join(","))
}

impl Provider {
    #[track_caller]
    fn applies(&self, prior: &str, planned: &str, returned: Option<&str>, is_error: bool, want: (&str, &[&str])) {
        let [prior, planned] = [prior, planned].map(|text| self.value(text));
        let returned = returned.map(|text| self.value(text));
        let returned = Returned { value: returned.as_ref(), is_error };
        let applied = self.program.apply(&prior, &planned, &planned, returned).expect("values of the schema");
        self.is_state(&applied, want);
    }

    #[track_caller]
    fn reads(&self, current: &str, returned: &str, is_error: bool, want: (&str, &[&str])) {
        let [current, returned] = [current, returned].map(|text| self.value(text));
        let read = self.program.read(&current, Returned { value: Some(&returned), is_error });
        self.is_state(&read.expect("values of the schema"), want);
    }

    #[track_caller]
    fn is_state(&self, applied: &Applied, (want, rules): (&str, &[&str])) {
        let written = applied.new_state.to_json(&self.ty).to_compact();
        assert_eq!(written, self.value(want).to_json(&self.ty).to_compact());
        let errors: Vec<&str> = applied.errors.iter().map(|error| error.rule).collect();
        assert_eq!(errors, rules);
    }
}

#[test]
fn f100_prior_null_is_a_create_with_any_plan() {
    provider(BLOCK, "{}").applies("null", "null", Some(&object("")), false, (&object(""), &[]));
}

#[test]
fn f102_an_update_that_sets_nothing_returns_prior() {
    let (prior, planned) = (object(r#""a":"p""#), object(r#""a":"q""#));
    provider(BLOCK, "{}").applies(&prior, &planned, None, false, (&prior, &[]));
}

#[test]
fn f103_no_state_without_errors_is_an_error() {
    let plain = provider(BLOCK, "{}");
    plain.applies("null", &object(""), None, false, ("null", &["F103"]));
    plain.applies("null", &object(""), None, true, ("null", &["F104"]));
    plain.applies(&object(""), &object(""), Some("null"), false, ("null", &["F103"]));
}

#[test]
fn f104_with_errors_the_state_is_as_it_was_left_but_for_f03() {
    let left = object(r#""a":"A","b":null,"w":"s""#);
    let want = object(r#""a":"A","w":"s""#);
    provider(BLOCK, CASE).applies("null", &object(r#""a":"a""#), Some(&left), true, (&want, &["F104"]));
    provider(BLOCK, CASE).reads(&object(r#""a":"a""#), &left, true, (&want, &["F104"]));
}

#[test]
fn f105_f110_without_errors_equivalent_values_stay_and_write_only_ones_go() {
    let left = object(r#""a":"A","b":null,"w":"s""#);
    let want = object(r#""a":"a""#);
    provider(BLOCK, CASE).applies("null", &object(r#""a":"a""#), Some(&left), false, (&want, &[]));
    provider(BLOCK, CASE).reads(&object(r#""a":"a""#), &left, false, (&want, &[]));
    provider(BLOCK, CASE).reads(&object(""), "null", false, ("null", &[]));
}

#[test]
fn f106_a_delete_leaves_nothing_but_on_errors() {
    let plain = provider(BLOCK, "{}");
    plain.applies(&object(""), "null", Some(&object("")), false, ("null", &[]));
    plain.applies(&object(""), "null", None, true, (&object(""), &["F104"]));
}

#[test]
fn f120_null_and_unknown_are_left_alone() {
    let new = object(r#""a":{"$unknown":true},"l":["A",null]"#);
    provider(BLOCK, CASE).reads(
        &object(r#""a":"a","l":["a","b"]"#),
        &new,
        false,
        (&object(r#""a":{"$unknown":true},"l":["a",null]"#), &[]),
    );
}

#[test]
fn f122_lists_go_by_position_and_keep_extra_elements() {
    let new = object(r#""l":["B","A","C"]"#);
    provider(BLOCK, CASE).reads(&object(r#""l":["b","x"]"#), &new, false, (&object(r#""l":["b","A","C"]"#), &[]));
}

#[test]
fn f123_each_new_element_of_a_set_takes_the_first_old_one_that_changes_it() {
    let read = |old: &str, new: &str, want: &str, rules: &[&str]| {
        let of = |set: &str| object(&format!(r#""s":{set}"#));
        provider(BLOCK, CASE).reads(&of(old), &of(new), false, (&of(want), rules));
    };
    read(r#"["a","b"]"#, r#"["A","B"]"#, r#"["a","b"]"#, &[]);
    // F124: compared from the left, every element already exists.
    read(r#"["b"]"#, r#"["B","b"]"#, r#"["B","b"]"#, &[]);
    // F125: two elements became one.
    read(r#"["b","x"]"#, r#"["B","b","X"]"#, r#"["B","X","b"]"#, &["F125"]);
}

#[test]
fn f123_in_blocks_the_fields_decide() {
    let of = |k: &str, v: &str| object(&format!(r#""b":[{{"k":"{k}","v":"{v}"}}]"#));
    provider(BLOCK, CASE).reads(&of("a", "old"), &of("A", "new"), false, (&of("a", "new"), &[]));
}

#[test]
fn f126_a_set_that_comes_back_as_it_was_may_change() {
    let of =
        |first: &str, second: &str| object(&format!(r#""b":[{{"k":"A","v":"{first}"}},{{"k":"a","v":"{second}"}}]"#));
    provider(BLOCK, CASE).reads(&of("1", "2"), &of("1", "2"), false, (&of("2", "1"), &[]));
}

#[test]
fn every_step_of_an_apply_is_the_planned_objects_business() {
    // In an apply, semantic equality compares with the planned object, not with prior.
    let (prior, planned) = (object(r#""a":"AA""#), object(r#""a":"aA""#));
    let applied = object(r#""a":"aa""#);
    provider(BLOCK, CASE).applies(&prior, &planned, Some(&applied), false, (&planned, &[]));
    let value = provider(BLOCK, CASE).value(&planned);
    assert_eq!(member(&value, "a").as_text().map(|text| text.as_str()), Some("aA"));
}
