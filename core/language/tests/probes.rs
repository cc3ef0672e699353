//! Replays a real engine's diagnostics of four hundred small configurations.

mod common;

use common::Corpus;
use planfuzz_language::config::load;
use planfuzz_language::laws::{Syntax, round_trip};

/// The diagnostics of every configuration equal the engine's, place for place. Configurations whose diagnostics need values are counted and
/// printed, and still have to differ: an outdated mark fails here.
#[test]
fn diagnostics_are_those_of_the_engine() {
    let corpus = Corpus::read();
    let (mut held, mut crashed, mut open, mut wrong) = (0, 0, Vec::new(), Vec::new());
    for probe in &corpus.probes {
        let ours = corpus.diagnostics(probe);
        let Some(theirs) = &probe.diagnostics else {
            crashed += 1;
            continue;
        };
        let mut theirs = theirs.clone();
        theirs.sort();
        match (ours == theirs, probe.needs_values) {
            (true, false) => held += 1,
            (false, true) => open.push(probe.name.as_str()),
            (true, true) => wrong.push(format!("{}: needs no values any more", probe.name)),
            (false, false) => wrong.push(format!("{}\n  ours   {ours:?}\n  theirs {theirs:?}", probe.name)),
        }
    }
    println!("{held} as the engine, {} that need values: {open:?}; the engine crashed in {crashed}", open.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(held > 380, "the corpus is there");
}

/// tree → JSON syntax → tree, and native → tree → JSON syntax → tree, for every file of the corpus.
#[test]
fn written_configurations_are_read_as_the_same() {
    let corpus = Corpus::read();
    let mut taken = 0;
    for probe in &corpus.probes {
        for (path, text) in &probe.files {
            let syntax = if path.ends_with(".json") { Syntax::Json } else { Syntax::Native };
            let outcome =
                round_trip(text.as_bytes(), syntax).unwrap_or_else(|law| panic!("{} {path}: {law}", probe.name));
            taken += usize::from(outcome);
        }
    }
    assert!(taken > 300, "only {taken} files were without errors");
}

/// Native syntax and its JSON form have the same declarations.
#[test]
fn both_syntaxes_declare_the_same() {
    let corpus = Corpus::read();
    for probe in &corpus.probes {
        let sources = common::sources(probe);
        let loaded = load(&sources, "");
        if loaded.diagnostics.iter().any(planfuzz_language::Diagnostic::is_error) {
            continue;
        }
        let module = &loaded.configuration.module;
        let text = planfuzz_language::write::write_module(module, &sources, &Default::default()).to_text();
        let mut again = planfuzz_language::Sources::new();
        again.add("main.tf.json", text.into_bytes()).expect("a small file");
        let second = load(&again, "").configuration.module;
        let names = |module: &planfuzz_language::config::Module| {
            let resources: Vec<_> = module
                .resources
                .iter()
                .map(|found| (found.mode, found.type_name.text.clone(), found.name.text.clone()))
                .collect();
            let variables: Vec<_> =
                module.variables.iter().map(|found| (found.name.text.clone(), found.ty.clone())).collect();
            let outputs: Vec<_> =
                module.outputs.iter().map(|found| (found.name.text.clone(), found.depends_on.len())).collect();
            let calls: Vec<_> = module
                .calls
                .iter()
                .map(|found| (found.name.text.clone(), found.inputs.len(), found.providers.len()))
                .collect();
            let references: Vec<usize> = module.locals.iter().map(|found| found.value.references.len()).collect();
            (resources, variables, outputs, calls, references)
        };
        let sorted = |module| {
            let mut all = names(module);
            all.0.sort();
            all
        };
        assert_eq!(sorted(module), sorted(&second), "{}", probe.name);
    }
}
