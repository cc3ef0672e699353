//! Generates the tables of docs/lint.md from the checks.

use std::fmt::Write;

use crate::artifact::Kind;

use super::check::{Needs, Severity};
use super::checks::checks;

/// The invariants of lifecycle.md and the rules of plans.md that no check is about, because finished files do not show them.
const NOT_SHOWN: [(&str, &str); 13] = [
    (
        "I01 to I04, I20 to I28, I33, I35, I37, I38, I41, I45, I46, I52, I54, I55",
        "They are about what is sent to a provider and what it answers, and a file keeps neither.",
    ),
    ("I08", "It gives leave: there is nothing to break."),
    (
        "I09, P10",
        "The configured blocks are expressions in a plan, and may be made by dynamic ones: how many there are is not recorded. The schema's bounds are held (S52).",
    ),
    ("I10, I12, I13", "They are about answers. What is left of them in a plan is held by I15, L82 and L84."),
    ("I29 to I32, I56, I57", "They compare the states around an apply: one state does not show what was there."),
    ("I34", "What a refresh read is not kept; that a plan which only refreshes changes nothing is held (L151)."),
    ("I36, I47", "They compare two plans."),
    (
        "I40, PL20 to PL23",
        "Simplify is a function of this library over any change, so it holds or not whatever the file: it is tested there.",
    ),
    ("I42, I43, I48", "They compare instances by references, whose values a plan does not record."),
    (
        "I50",
        "The bytes of each value are held (PF50); that a whole file is read and written again as it was is tested with the reader.",
    ),
    ("I53", "Diagnostics are not kept in files."),
    ("I58", "Data resources have no write-only attributes in any known schema; where one has, I11 finds the value."),
    ("I59", "What a provider warned of in an upgrade is in no artifact."),
];

/// The tables of docs/lint.md: each check with the files that show it, and the rules that no file shows.
pub fn page() -> String {
    let mut page = String::from(
        "| check | severity | what must hold | plan file | plan JSON | state JSON | state file | needs | written in |\n",
    );
    page += "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
    for check in checks() {
        let shown = |kind: Kind| if check.kinds.contains(&kind) { "✓" } else { "" };
        let needs = match check.needs {
            Needs::Nothing => "",
            Needs::Schema | Needs::Flag(_) => "schema",
        };
        let severity = match check.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let [plan_file, plan_json, state_json, state_file] = Kind::ALL.map(shown);
        // Writing to a string cannot fail.
        let _ = writeln!(
            page,
            "| {} | {severity} | {} | {plan_file} | {plan_json} | {state_json} | {state_file} | {needs} | {} |",
            check.id, check.must, check.spec
        );
    }
    page += "\n| not checked | why not |\n| --- | --- |\n";
    for (rules, why) in NOT_SHOWN {
        let _ = writeln!(page, "| {rules} | {why} |");
    }
    page
}
