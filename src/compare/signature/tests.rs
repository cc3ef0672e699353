use planfuzz_core::schema::{Nesting, Schema};

use super::*;
use crate::compare::difference::Place;

fn read(text: &str) -> Signature {
    text.parse().unwrap_or_else(|problem| panic!("{text}: {problem}"))
}

fn of(subjects: &str) -> Signature {
    read(&format!("proposed_new diverge:keys root {subjects}"))
}

#[test]
fn the_blamed_subject_follows_from_the_first_one_whatever_is_in_a_name() {
    assert_eq!(of("reference/exec:./a/b").blamed("reference"), "exec:./a/b");
    assert_eq!(of("exec:./a/b").blamed("reference"), "exec:./a/b");
    assert!(of("reference/exec:./a/b").is_about("reference", "reference"));
    assert!(of("reference/exec:./a/b").is_about("exec:./a/b", "reference"));
    assert!(!of("reference/optimized").is_about("opt", "reference"));
    assert!(of("optimized/provider").is_about("optimized", "reference"));
    assert_eq!(of("a").class(), SignatureClass::Diverge);
}

#[test]
fn a_broken_rule_follows_from_a_difference_of_the_same_subject_and_operation() {
    let differs = of("reference/b");
    let follows = |text: &str| read(text).follows_from(&differs, "reference");
    assert!(follows("proposed_new rule_broken:M10 root b"));
    assert!(follows("proposed_new rule_broken:I20 root provider"));
    assert!(!follows("proposed_new rule_broken:M10 root reference"));
    assert!(!follows("proposed_new rule_broken:M10 root c"));
    assert!(!follows("assert_plan_valid rule_broken:M10 root b"));
    assert!(!differs.follows_from(&differs, "reference"));
}

#[test]
fn a_general_signature_leaves_out_parts_that_differ_from_case_to_case() {
    let general = |text: &str| read(&format!("proposed_new {text} a/b")).generalised().to_string();
    assert_eq!(general("diverge:null_known leaf"), "proposed_new diverge:value attribute a/b");
    assert_eq!(general("diverge:elements nested_set[]"), "proposed_new diverge:value nested a/b");
    assert_eq!(general("diverge:state block_map"), "proposed_new diverge:state block a/b");
    assert_eq!(general("crash:merge.rs:7 root"), "proposed_new crash:merge.rs:7 root a/b");
    assert_eq!(general("rule_broken:M10 unknown_member"), "proposed_new rule_broken:M10 unknown_member a/b");
}

#[test]
fn a_key_is_an_element_even_where_it_has_the_name_of_a_member() {
    let schema = r#"{"block": {"block_types": {"m": {"nesting_mode": "map", "block": {
        "attributes": {"k": {"type": ["list", "string"], "optional": true}}}}}}}"#;
    let schema = Schema::parse(schema).expect("a schema");
    let kind = |path: &str| PlaceKind::of(&schema.block, &Place::Text(path.to_owned())).to_string();
    assert_eq!(kind(""), "root");
    assert_eq!(kind(".m"), "block_map");
    assert_eq!(kind(".m.k"), "block_map[]");
    assert_eq!(kind(".m[\"k\"].k"), "attribute");
    assert_eq!(kind(".m.k.k[0]"), "leaf");
    assert_eq!(kind(".none"), "unknown_member");
    assert_eq!(kind(".m.k.none"), "unknown_member");
}

/// Every kind of place, with and without a schema.
fn places() -> Vec<PlaceKind> {
    let inner = Nesting::ALL.into_iter().flat_map(|nesting| {
        let inner = move |is_block, element| PlaceKind::Inner { is_block, nesting, element };
        [inner(false, false), inner(false, true), inner(true, false), inner(true, true)]
    });
    let texts = ["", "root", "block_set[]", "Invalid index", "value", "diagnostics: the Ä", "nested_list", "root x"];
    let others =
        [PlaceKind::Root, PlaceKind::Attribute, PlaceKind::Leaf, PlaceKind::UnknownMember, PlaceKind::Unreadable];
    others.into_iter().chain(inner).chain(texts.map(PlaceKind::of_text)).collect()
}

/// Every kind, with sites that are hard to separate from the text after them.
fn kinds() -> Vec<Kind> {
    let sites =
        ["merge.rs:7", "a < b", "exit status: 3", "x root y", "x root root y", "x root", "root", "", " ", "a  b"];
    let crashes = sites.map(|site| Kind::Crash(Site::new(site)));
    let classes = Class::ALL.iter().map(|class| Kind::Diverge(*class));
    let rules = ["M10", "MP08", "W_1"].map(|rule| Kind::RuleBroken(RuleId::new(rule)));
    crashes.into_iter().chain(classes).chain(rules).chain([Kind::OverBudget]).collect()
}

#[test]
fn written_signatures_are_read_back_unchanged() {
    let subjects =
        [Subjects::one("a b"), Subjects::pair("reference", "exec:./x root y"), Subjects::provider(), Subjects::one("")];
    let mut texts = 0;
    for op in [Op::ProposedNew, Op::Workspace] {
        for kind in kinds() {
            for place in places() {
                // A crash has no place.
                if matches!(kind, Kind::Crash(_)) && place != PlaceKind::Root {
                    continue;
                }
                for subjects in &subjects {
                    let signature =
                        Signature { op, kind: kind.clone(), place: place.clone(), subjects: subjects.clone() };
                    let text = signature.to_string();
                    assert_eq!(text.parse(), Ok(signature), "{text}");
                    texts += 1;
                }
            }
        }
    }
    assert!(texts > 5_000, "{texts}");
}

#[test]
fn texts_of_old_files_are_read_and_written_as_they_were() {
    for text in [
        "proposed_new diverge:null_known block_list[] reference/exec:a b c",
        "proposed_new crash:exit status: 3 root bad",
        "normalize_legacy over_budget root bad",
        "scenario rule_broken:I24 attribute provider",
        "scenario crash:zclconf/go-cty/cty.ListVal < plans/objchange.proposedNewNestingList root terraform",
        "workspace diverge:diagnostics error_unsupported_attribute reference/optimized",
        "workspace rule_broken:L1 workspace fault:x",
        "proposed_new rule_broken:NOT_OF_THIS_BUILD attribute planfuzz optimized #2",
    ] {
        assert_eq!(read(text).to_string(), text);
    }
}

#[test]
fn a_text_that_is_no_signature_is_an_error_that_names_the_wrong_part() {
    let problem = |text: &str| text.parse::<Signature>().expect_err(text);
    let owned = str::to_owned;
    assert_eq!(problem("old"), SignatureError::Parts(owned("old")));
    assert_eq!(problem(""), SignatureError::Parts(owned("")));
    assert_eq!(problem("codecs law:x json"), SignatureError::Op(owned("codecs")));
    assert_eq!(problem("scenario diverge:nothing root a"), SignatureError::Kind(owned("diverge:nothing")));
    assert_eq!(problem("scenario rule_broken: root a"), SignatureError::Kind(owned("rule_broken:")));
    assert_eq!(problem("scenario over_budget:1 root a"), SignatureError::Kind(owned("over_budget:1")));
    assert_eq!(problem("scenario diverge:keys Root a"), SignatureError::Place(owned("Root")));
    assert_eq!(problem("scenario diverge:keys root"), SignatureError::Parts(owned("scenario diverge:keys root")));
    assert_eq!(problem("scenario crash:x y"), SignatureError::Parts(owned("scenario crash:x y")));
}
