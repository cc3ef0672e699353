//! Where engine versions differ, there is one named decision in `core/src/dialect.rs`, and every writing that the decision concerns asks it.
//!
//! The table lists which writings use which decision. The test fails if no writing calls a method, if a writing begins or stops to call one,
//! or if a writing looks at the engine without a decision.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The writings, and their sources from the root of the project.
const WRITINGS: [(&str, &str); 9] = [
    ("shared", "core/src"),
    ("naive", "core/naive/src"),
    ("reference", "core/reference/src"),
    ("optimized", "core/optimized/src"),
    ("rules", "core/rules/src"),
    ("language-naive", "core/language/naive/src"),
    ("language-compiled", "core/language/compiled/src"),
    ("workspace-reference", "core/workspace/reference/src"),
    ("workspace-optimized", "core/workspace/optimized/src"),
];

/// Who asks a decision. What stands behind `but` is why a writing of the level does not ask, or why one of another level does.
struct Row {
    decision: &'static str,
    askers: &'static [&'static str],
    but: Option<&'static str>,
}

/// What all three writings of the planning level decide.
const PLANNERS: &[&str] = &["reference", "optimized", "rules"];
/// What the two writings of what planners share decide.
const SHARED: &[&str] = &["shared", "naive"];
/// What the two writings of the configuration language decide.
const LANGUAGE: &[&str] = &["language-naive", "language-compiled"];
/// What both planners of workspaces decide.
const WORKSPACES: &[&str] = &["workspace-reference", "workspace-optimized"];
/// What planners of instances and of workspaces decide, each on its level.
const BOTH_LEVELS: &[&str] = &["reference", "optimized", "workspace-reference", "workspace-optimized"];
/// What only the two planners decide.
const WALKS: &[&str] = &["reference", "optimized"];
const NO_RULE: Option<&str> = Some("no rule is about it: what it decides shows in no answer that a rule looks at");

const fn all(decision: &'static str, askers: &'static [&'static str]) -> Row {
    Row { decision, askers, but: None }
}

const fn walks(decision: &'static str) -> Row {
    Row { decision, askers: WALKS, but: NO_RULE }
}

const ROWS: &[Row] = &[
    all("merges_new_map_elements", PLANNERS),
    all("decides_write_only_first", PLANNERS),
    all("reads_members_of_null_nested_objects", PLANNERS),
    all("forbids_null_planned_blocks", PLANNERS),
    Row {
        decision: "has_computed_blocks",
        askers: &["shared", "naive", "reference", "optimized", "rules"],
        but: Some("schemas and answers both depend on it"),
    },
    Row {
        decision: "has_group_nested_types",
        askers: &["shared", "naive", "reference", "optimized", "rules"],
        but: Some("schemas and answers both depend on it"),
    },
    all("forbids_write_only_in_sets", SHARED),
    all("coerces_dynamic_map_blocks_by_schema", SHARED),
    Row {
        decision: "lists_sensitive_of_absent_blocks",
        askers: &["shared", "naive", "optimized"],
        but: Some("the optimized planner lists the sensitive parts of a compiled schema itself"),
    },
    all("checks_deprecation_messages", SHARED),
    Row {
        decision: "tries_every_pair",
        askers: &["rules"],
        but: Some("the planners match sets without pairs; only whether the engine surely crashes depends on it"),
    },
    all("refuses_unknowns_in_reads", PLANNERS),
    all("decodes_write_only_strictly", PLANNERS),
    all("keeps_prior_of_unusable_result", PLANNERS),
    all("normalizes_every_read", PLANNERS),
    Row {
        decision: "finds_ephemeral_values_first",
        askers: BOTH_LEVELS,
        but: Some("no rule is about it; a workspace makes the validation call of a block itself"),
    },
    walks("dies_of_unstorable_upgrades"),
    walks("compares_what_it_read"),
    all("reads_first_of_many", PLANNERS),
    walks("marks_imported_by_configuration"),
    walks("stores_flags_of_imported"),
    walks("forces_create_before_destroy_in_applies"),
    all("forgets_absent_deposed", PLANNERS),
    Row {
        decision: "warns_of_forgetting",
        askers: BOTH_LEVELS,
        but: Some("no rule is about it; what is not reported of each object is reported once of the plan (G47)"),
    },
    walks("marks_data_by_schema"),
    all("refreshes_orphans_first", PLANNERS),
    walks("is_triggered_by_creation"),
    walks("triggers_see_marks"),
    all("sends_planned_private", PLANNERS),
    walks("can_keep_on_destroy"),
    walks("evaluates_prevent_destroy"),
    walks("has_enabled"),
    walks("refreshes_what_it_forgets"),
    all("has_deferrals", PLANNERS),
    Row { decision: "marks_sets_whole", askers: &["shared"], but: Some("the naive writing has no plans as JSON") },
    all("short_circuits", LANGUAGE),
    all("marks_conditionals_by_all_parts", LANGUAGE),
    all("keeps_marks_of_unknown_lookups", LANGUAGE),
    all("refuses_negative_elements_of_tuples", LANGUAGE),
    all("forgets_marks_of_unknown_conversions", LANGUAGE),
    all("leaves_untyped_formats_open", LANGUAGE),
    all("knows_sensitivity_is_not_null", LANGUAGE),
    all("has_functions_of_opentofu", LANGUAGE),
    all("fails_by_unknown_message", WORKSPACES),
    all("waits_for_messages", WORKSPACES),
    all("hides_validated_variable", WORKSPACES),
    all("looks_for_import_blocks_first", WORKSPACES),
    all("reports_undeclared_imports_late", WORKSPACES),
    all("evaluates_imports_in_validation", WORKSPACES),
    all("ephemeral_outputs_want_ephemeral", WORKSPACES),
    all("distinguishes_provider_functions", LANGUAGE),
    all("looks_at_imports_in_destructions", WORKSPACES),
    all("moves_across_in_walks", WORKSPACES),
    all("orders_deposed_by_lists", WORKSPACES),
    all("holds_variables_to_plan", WORKSPACES),
    all("compares_refreshed_states", WORKSPACES),
    all("misses_elements_in_postconditions", WORKSPACES),
    all("marks_seen_by_schema", WORKSPACES),
    all("knows_types_in_validation", WORKSPACES),
    all("drops_unused_in_applies", WORKSPACES),
    all("forces_by_made_instances", WORKSPACES),
    all("separates_module_instances", WORKSPACES),
];

/// Where an engine is looked at as such, and why that is no decision of a planner.
const LOOKS: [(&str, &str); 5] = [
    (
        "core/workspace/cases/src/",
        "cases: which options are drawn for an engine's command line is no decision of a planner",
    ),
    (
        "core/workspace/rules/",
        "rules of workspaces: they plan nothing, and state themselves for which engine each holds",
    ),
    ("core/workspace/src/run/", "recorded runs: what an engine leaves open is no decision of a planner"),
    ("engine/workspaces/src/crash.rs", "what an engine's program dies of is no decision of a planner"),
    ("src/", "the suite plans nothing: faults that are named after an engine, artifacts, options of the command"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The sources below a folder, without the tests of the crates.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|problem| panic!("{}: {problem}", folder.display())) {
        let path = entry.expect("an entry").path();
        let is_source = path.extension().is_some_and(|extension| extension == "rs");
        match path.file_name().and_then(|name| name.to_str()) {
            Some("target" | "tests" | "planted") => {}
            _ if path.is_dir() => sources(&path, found),
            _ if is_source => found.push(path),
            _ => {}
        }
    }
}

fn below(folder: &str) -> Vec<(String, String)> {
    let mut files = Vec::new();
    sources(&root().join(folder), &mut files);
    assert!(!files.is_empty(), "{folder} has sources");
    let read = |path: PathBuf| {
        let name = path.strip_prefix(root()).expect("below the root").display().to_string();
        (name, fs::read_to_string(&path).expect("a source"))
    };
    files.into_iter().map(read).collect()
}

/// The decisions that there are.
fn decisions() -> BTreeSet<String> {
    let text = fs::read_to_string(root().join("core/src/dialect.rs")).expect("the dialect");
    let named = text.split("pub fn ").skip(1).filter_map(|rest| rest.split_once("(self) -> bool"));
    named
        .map(|(name, _)| name.to_owned())
        .filter(|name| name.chars().all(|c| c == '_' || c.is_alphanumeric()))
        .collect()
}

#[test]
fn every_decision_is_asked_by_the_writings_that_it_concerns() {
    let rows: BTreeMap<&str, &Row> = ROWS.iter().map(|row| (row.decision, row)).collect();
    let listed: BTreeSet<String> = rows.keys().map(|name| (*name).to_owned()).collect();
    let decisions = decisions();
    assert!(decisions.len() > 40, "found only {decisions:?}: the reader has gone blind");
    assert_eq!(listed, decisions, "the rows are those of the dialect");
    let writings = WRITINGS.map(|(writing, folder)| {
        let asking = below(folder).into_iter().filter(|(name, _)| !name.ends_with("/dialect.rs"));
        (writing, asking.collect::<Vec<_>>())
    });
    for row in ROWS {
        let call = format!(".{}(", row.decision);
        let asks = |files: &[(String, String)]| files.iter().any(|(_, text)| text.contains(&call));
        let found = writings.iter().filter(|(_, files)| asks(files)).map(|(writing, _)| *writing);
        assert_eq!(found.collect::<Vec<_>>(), row.askers, "{}: who asks", row.decision);
        let is_whole = [PLANNERS, SHARED, LANGUAGE, WORKSPACES].contains(&row.askers);
        assert_eq!(is_whole, row.but.is_none(), "{}: a reason where a level does not ask as a whole", row.decision);
    }
}

/// Whether a source compares the engine or the version of a dialect.
fn looks(text: &str) -> bool {
    let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    ["engine() ==", "engine() !=", ".minor() <", ".minor() >", ".minor() =="].iter().any(|look| text.contains(look))
}

#[test]
fn only_decisions_look_at_the_engine() {
    let mut seen = BTreeSet::new();
    let all = ["core", "engine", "src"].into_iter().flat_map(below);
    for (name, _) in all.filter(|(_, text)| looks(text)) {
        let known = LOOKS.iter().find(|(place, _)| name.starts_with(place));
        let (place, _) = known.unwrap_or_else(|| panic!("{name} looks at the engine: give the decision a name"));
        seen.insert(*place);
    }
    let unused = LOOKS.iter().filter(|(place, _)| !seen.contains(place));
    assert_eq!(unused.map(|(place, _)| place).collect::<Vec<_>>(), Vec::<&&str>::new(), "nothing looks there any more");
    assert!(looks("if self.dialect().engine()\n   == Engine::Terraform") && !looks("match dialect.engine() {"));
}
