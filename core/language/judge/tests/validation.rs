//! Replays a real engine's diagnostics of four hundred small configurations, with an evaluator of values.

#[path = "../../tests/common/mod.rs"]
mod common;

use common::{ComparedDiagnostic, Corpus};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_language::Sources;
use planfuzz_language::check::{Schemas, validate_with};
use planfuzz_language::config::load;
use planfuzz_language::expression::{Evaluated, Expression, Scope};

/// Probes whose diagnostics still differ, and why.
const DEVIATIONS: &[(&str, &str)] = &[("plan/target-validate-error", ASKS), ("plan/validate-walk", ASKS)];
const ASKS: &str = "the provider's own validation fails";

fn naive(tree: &Expression, scope: &dyn Scope) -> Evaluated {
    let dialect: Dialect = "terraform-1.11".parse().expect("a dialect");
    planfuzz_language_naive::evaluate(tree, scope, dialect)
}

#[test]
fn diagnostics_are_those_of_the_engine() {
    let corpus = Corpus::read();
    let (mut held, mut wrong) = (0, Vec::new());
    for probe in &corpus.probes {
        let Some(mut theirs) = probe.diagnostics.clone() else { continue };
        theirs.sort();
        let ours = corpus.diagnostics_by(probe, &|configuration, sources, schemas| {
            validate_with(configuration, sources, schemas, &naive)
        });
        let deviates = DEVIATIONS.iter().any(|(name, _)| *name == probe.name);
        match (ours == theirs, deviates) {
            (true, false) => held += 1,
            (false, true) => {}
            (true, true) => wrong.push(format!("{}: has the diagnostics of the engine", probe.name)),
            (false, false) => {
                let only = |a: &[ComparedDiagnostic], b: &[ComparedDiagnostic]| {
                    a.iter().filter(|one| !b.contains(one)).cloned().collect::<Vec<_>>()
                };
                wrong.push(format!(
                    "{}\n  ours   {:?}\n  theirs {:?}",
                    probe.name,
                    only(&ours, &theirs),
                    only(&theirs, &ours)
                ));
            }
        }
    }
    println!("{held} as the engine; deviating: {DEVIATIONS:#?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A real engine reports no errors here, with evaluated values either.
#[test]
fn configurations_of_people_are_without_errors() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../corpus/workspaces/native.jsonl");
    let text = std::fs::read_to_string(path).expect("the corpus");
    let mut seen = 0;
    for line in text.lines() {
        let json = Json::parse(line).expect("a line of the corpus is JSON");
        let mut sources = Sources::new();
        for (path, content) in json.member("files").expect("files").expect_object().expect("an object") {
            sources.add(&**path, content.expect_string().expect("a text")).expect("a small file");
        }
        let loaded = load(&sources, "");
        let mut diagnostics = loaded.diagnostics;
        diagnostics.extend(validate_with(&loaded.configuration, &sources, &Schemas::default(), &naive));
        diagnostics.retain(planfuzz_language::Diagnostic::is_error);
        assert!(diagnostics.is_empty(), "{:?}: {diagnostics:#?}", json.member("name"));
        seen += 1;
    }
    assert_eq!(seen, 24);
}
