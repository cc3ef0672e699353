//! Every implementation has every function that the specification lists, and accepts the same numbers of arguments.

use planfuzz_core::dialect::Dialect;
use planfuzz_language::expression::notation::{Locals, outcome_of};
use planfuzz_language_judge::records::shown;
use planfuzz_language_judge::{Evaluate, WRITINGS};

/// The functions of Terraform 1.11 as the specification lists them.
fn listed() -> Vec<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/spec/workspace-language.md");
    let text = std::fs::read_to_string(path).expect("the specification");
    let (_, behind) = text.split_once("The functions of T11,").expect("the list of functions");
    let line = behind.lines().nth(1).expect("the names").trim_matches(|letter| matches!(letter, '`' | '.'));
    line.split(' ').map(str::to_owned).collect()
}

fn outcome(text: &str, evaluate: Evaluate) -> String {
    let dialect: Dialect = "terraform-1.11".parse().expect("a dialect");
    shown(&outcome_of(text, &Locals::default(), dialect, &evaluate))
}

#[test]
fn every_listed_function_is_known_to_every_writing() {
    let names = listed();
    assert!(names.len() >= 118, "only {} names: the test has gone blind", names.len());
    for (writing, evaluate) in WRITINGS {
        for name in &names {
            let made = outcome(&format!("{name}()"), *evaluate);
            assert!(!made.contains("Call to unknown function"), "{writing} lacks {name}");
        }
        let made = outcome("nofunction()", *evaluate);
        assert!(made.contains("Call to unknown function"), "{writing}: {made}");
    }
}

/// With none to four arguments, all null.
#[test]
fn functions_take_as_many_arguments_in_every_writing() {
    let is_of_number = |made: &str| made.contains("Not enough") || made.contains("Too many");
    for name in listed() {
        for count in 0..5 {
            let call = format!("{name}({})", vec!["null"; count].join(", "));
            let all: Vec<bool> =
                WRITINGS.iter().map(|(_, evaluate)| is_of_number(&outcome(&call, *evaluate))).collect();
            assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{call}: {all:?}");
        }
    }
}
