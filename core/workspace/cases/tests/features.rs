//! Checks that each feature occurs often enough in generated workspaces, and that every case reads back as it was written.

use std::collections::BTreeMap;

use planfuzz_core::dialect::Dialect;
use planfuzz_workspace_cases::Case;
use planfuzz_workspace_cases::generate::{Choices, Settings, case};

/// Features with the least number of cases in a thousand of the medium preset that have them.
const FLOORS: [(&str, u64); 85] = [
    ("locals", 300),
    ("variables", 300),
    ("outputs", 300),
    ("check", 20),
    ("data in a check", 10),
    ("provider alias", 50),
    ("provider alias taken", 50),
    ("provider of a module", 50),
    ("default provider", 100),
    ("validation", 10),
    ("module repeated", 50),
    ("module in a module", 50),
    ("block in a module", 300),
    ("count", 200),
    ("for_each", 200),
    ("depends_on", 100),
    ("data", 200),
    ("ephemeral", 30),
    ("terraform_data", 180),
    ("null_resource", 80),
    ("write-only value", 200),
    ("ephemeral value", 25),
    ("misused ephemeral value", 6),
    ("nested blocks", 50),
    ("dynamic blocks", 40),
    ("dynamic blocks of what may be unknown", 10),
    ("blocks in blocks", 30),
    ("blocks with labels", 30),
    ("single blocks", 30),
    ("whole reference", 40),
    ("ephemeral variable", 50),
    ("ephemeral output", 10),
    ("misused ephemeral output", 2),
    ("create_before_destroy", 300),
    ("prevent_destroy", 20),
    ("ignore_changes", 100),
    ("replace_triggered_by", 50),
    ("precondition", 50),
    ("postcondition", 50),
    ("edit: value", 100),
    ("edit: value that replaces", 50),
    ("edit: renamed", 20),
    ("edit: renamed and moved", 20),
    ("edit: module renamed", 5),
    ("edit: module renamed and moved", 5),
    ("edit: count changed", 2),
    ("edit: keys changed", 2),
    ("edit: count to for_each", 5),
    ("edit: for_each to count", 5),
    ("edit: one to many", 20),
    ("edit: many to one", 10),
    ("edit: block taken out", 20),
    ("edit: block forgotten", 5),
    ("edit: over a module's border and moved", 5),
    ("edit: create_before_destroy", 20),
    ("edit: flaw", 10),
    ("edit: import", 10),
    ("edit: import by for_each", 10),
    ("command: refresh", 60),
    ("command: import", 60),
    ("command: apply of a saved plan", 60),
    ("saved plan of another state", 20),
    ("saved plan with variables", 5),
    ("variable given", 30),
    ("edit: takes a name that was taken", 5),
    ("edit: moves that meet", 5),
    ("edit: module takes a name that was taken", 5),
    ("edit: module split off", 10),
    ("edit: module merged", 3),
    ("parallelism", 50),
    ("signal", 50),
    ("old object stays", 10),
    ("old object alone", 10),
    ("edit: provider switched where an old object is", 1),
    ("edit: provider configuration removed", 1),
    ("edit: to another type", 10),
    ("edit: one instance to another type", 3),
    ("destroy", 20),
    ("refresh-only", 10),
    ("refresh-only of a target", 2),
    ("target", 20),
    ("replace", 10),
    ("apply fails", 20),
    ("drifted", 20),
    ("gone outside", 10),
];

#[test]
fn every_feature_is_made_often_enough() {
    let mut found: BTreeMap<&str, u64> = BTreeMap::new();
    for number in 0..1000 {
        let made = case(Settings::MEDIUM, Dialect::TERRAFORM_1_11, &mut Choices::seeded(7, number));
        for feature in made.features {
            *found.entry(feature).or_default() += 1;
        }
    }
    let few: Vec<String> = FLOORS
        .iter()
        .filter(|(feature, floor)| found.get(feature).copied().unwrap_or(0) < *floor)
        .map(|(feature, floor)| format!("{feature}: {} of {floor}", found.get(feature).copied().unwrap_or(0)))
        .collect();
    assert!(few.is_empty(), "{few:?}");
}

#[test]
fn cases_read_back_as_they_were_written() {
    for number in 0..200 {
        let made = case(Settings::MEDIUM, Dialect::TERRAFORM_1_11, &mut Choices::seeded(8, number));
        let text = made.case.to_json().to_compact();
        assert_eq!(Case::parse(&text).expect("a case").to_json().to_compact(), text);
    }
}

#[test]
fn bytes_that_run_out_make_a_plain_case() {
    let made = case(Settings::MEDIUM, Dialect::TERRAFORM_1_11, &mut Choices::bytes(&[]));
    assert!(made.features.is_empty(), "{:?}", made.features);
}
