//! A fixed number of generated cases and pairs of actions, run with both planners: every step is the same, and none is refused.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_workspace_cases::agree::{Agreement, agree};
use planfuzz_workspace_cases::case::{Command, Step};
use planfuzz_workspace_cases::generate::{Choices, Settings, case};
use planfuzz_workspace_cases::model::{Fail, How};
use planfuzz_workspace_cases::play::play;
use planfuzz_workspace_cases::{Case, pairs, stored};
use planfuzz_workspace_optimized::Optimized;
use planfuzz_workspace_reference::Reference;

mod generated;

use generated::generated;

/// Runs cases with both planners; there are at least `least` steps.
fn hold(cases: impl Iterator<Item = (u64, Case)>, least: usize) {
    let mut steps = 0;
    for (number, case) in cases {
        for (step, agreement) in agree(&case, &Reference, &Optimized).expect("a case").iter().enumerate() {
            match agreement {
                Agreement::Same => steps += 1,
                Agreement::Refused(_) | Agreement::Different(_) => panic!("case {number}, step {step}: {agreement:?}"),
            }
        }
    }
    println!("{steps} steps are the same");
    assert!(steps >= least, "only {steps} steps");
}

#[test]
fn small_workspaces_are_the_same() {
    hold(generated(Settings::SMALL, 5, 250), 450);
}

#[test]
fn medium_workspaces_are_the_same() {
    hold(generated(Settings::MEDIUM, 5, 40), 100);
}

/// The generator makes few excludes, so that its targets are excluded here.
#[test]
fn g117_both_planners_leave_excluded_objects_out() {
    let excluded = |mut case: Case| {
        for step in &mut case.steps {
            step.options.excludes.append(&mut step.options.targets);
        }
        case.steps.iter().any(|step| !step.options.excludes.is_empty()).then_some(case)
    };
    let made = |number| case(Settings::SMALL, Dialect::OPENTOFU_1_12, &mut Choices::seeded(6, number)).case;
    hold((0..1500).filter_map(|number| Some((number, excluded(made(number))?))), 250);
}

#[test]
fn pairs_of_actions_are_the_same() {
    for dialect in [Dialect::TERRAFORM_1_11, Dialect::OPENTOFU_1_12] {
        let numbers = (0..pairs::COUNT as u64).step_by(7);
        hold(numbers.map(|number| (number, pairs::pair(number as usize, dialect))), 380);
    }
}

#[test]
fn what_is_stored_is_planned_the_same_however_it_is_stored() {
    for dialect in [Dialect::TERRAFORM_1_11, Dialect::OPENTOFU_1_12] {
        let numbers = (0..stored::COUNT as u64).step_by(5);
        hold(numbers.map(|number| (number, stored::stored(number as usize, dialect))), 680);
    }
}

/// In OpenTofu an instance in a module with a key does not wait for its block, so that it may be visited although the block is not: it then
/// sees no `count` and `each`, whatever was evaluated before.
#[test]
fn u33_an_instance_whose_block_was_not_expanded_sees_nothing_that_is_repeated() {
    let inner = r#"{"variable": {"at": {"type": "string"}}, "resource": {"w_thing": {
        "dove": {"count": 2, "name": "dove${var.at}-${count.index}"},
        "eel": {"for_each": {"k": "v"}, "name": "eel${var.at}-${each.key}", "list": "${w_thing.dove[*].note}"}}}}"#;
    let main = r#"{"module": {"m": {"source": "./m", "count": 2, "at": "-${count.index}"}}}"#;
    let json = |text: &str| Json::parse(text).expect("a document");
    let files = [("main.tf.json", main), ("m/main.tf.json", inner)];
    let mut step = Step::of(Command::Apply);
    step.events.fails = vec![Fail { call: "apply".into(), name: "dove-0-1".into(), how: How::Prior }];
    let case = Case {
        files: files.into_iter().map(|(path, text)| (path.to_owned(), json(text))).collect(),
        state: None,
        steps: vec![step],
        ..pairs::pair(0, Dialect::OPENTOFU_1_12)
    };
    let played = play(&case, &Reference).expect("a case");
    let diagnostics = played.steps[0].late_diagnostics();
    let none = "Reference to \"each\" in context without for_each";
    assert!(diagnostics.iter().any(|one| one.summary == none), "{diagnostics:?}");
    hold([(0, case)].into_iter(), 1);
}
