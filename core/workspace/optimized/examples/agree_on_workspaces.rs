//! Generated workspaces, put to the reference and to the optimized planner: `agree_on_workspaces CASES [SEED [PRESET [DIALECT]]]`, with `pairs` all
//! pairs of actions, with `stored` all ways of being stored, and `shrink` behind it all. Prints how many steps were the same, refused and different, each kind of difference with the number of its first case, and
//! the smallest case that shows the first.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Instant;

use planfuzz_core::dialect::Dialect;
use planfuzz_workspace_cases::Case;
use planfuzz_workspace_cases::agree::{Agreement, agree};
use planfuzz_workspace_cases::generate::{Choices, Settings, case};
use planfuzz_workspace_cases::scope::Scope;
use planfuzz_workspace_cases::shrink::shrink;
use planfuzz_workspace_cases::signature::first_signature;
use planfuzz_workspace_optimized::Optimized;
use planfuzz_workspace_reference::Reference;

fn made(dialect: Dialect, preset: &str, seed: u64, number: u64) -> Option<Case> {
    if let Some(scope) = Scope::from_name(preset) {
        return Some(scope.case(number as usize, dialect));
    }
    Some(case(Settings::preset(preset)?, dialect, &mut Choices::seeded(seed, number)).case)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: u64| arguments.get(at).and_then(|text| text.parse().ok()).unwrap_or(default);
    let (mut cases, seed) = (number(0, 1000), number(1, 1));
    let preset = arguments.get(2).map_or("small", String::as_str);
    let dialect = arguments.get(3).and_then(|text| text.parse().ok()).unwrap_or_default();
    if let Some(scope) = Scope::from_name(preset) {
        cases = cases.min(scope.count() as u64);
    }
    let (mut same, mut refused): (u64, BTreeMap<String, u64>) = (0, BTreeMap::new());
    let mut different: BTreeMap<String, (u64, u64, String)> = BTreeMap::new();
    let begun = Instant::now();
    for number in 0..cases {
        let Some(case) = made(dialect, preset, seed, number) else {
            eprintln!("expected tiny, small, medium, pairs or stored, found {preset}");
            return ExitCode::from(2);
        };
        let steps = match agree(&case, &Reference, &Optimized) {
            Ok(steps) => steps,
            Err(error) => {
                eprintln!("case {number} cannot be played: {error}");
                return ExitCode::from(3);
            }
        };
        for (step, agreement) in steps.into_iter().enumerate() {
            match agreement {
                Agreement::Same => same += 1,
                Agreement::Refused(why) => *refused.entry(why).or_default() += 1,
                Agreement::Different(found) => {
                    let signature = first_signature(&found).unwrap_or_default();
                    let text = format!("step {step}: {}", found[0].text);
                    different.entry(signature).or_insert((0, number, text)).0 += 1;
                }
            }
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    let counts = [refused.values().sum::<u64>(), different.values().map(|(count, _, _)| count).sum()];
    println!(
        "{cases} {preset} cases of seed {seed} in {dialect} in {seconds:.1} s: {same} steps the same, {} refused, {} different",
        counts[0], counts[1]
    );
    for (why, count) in &refused {
        println!("refused {count}: {why}");
    }
    for (signature, (count, first, text)) in &different {
        println!("different {count}: {signature} (case {first})");
        println!("    {}", text.chars().take(2500).collect::<String>());
    }
    let Some((signature, (_, first, _))) = different.iter().min_by_key(|(_, (_, first, _))| *first) else {
        return ExitCode::SUCCESS;
    };
    let shrinks = arguments.last().is_some_and(|word| word == "shrink");
    if let Some(case) = made(dialect, preset, seed, *first).filter(|_| shrinks) {
        let mut shows = |case: &Case| {
            agree(case, &Reference, &Optimized).is_ok_and(|steps| {
                steps.iter().any(|agreement| match agreement {
                    Agreement::Different(found) => first_signature(found).as_ref() == Some(signature),
                    Agreement::Same | Agreement::Refused(_) => false,
                })
            })
        };
        println!("{}", shrink(&case, 3000, &Reference, &mut shows).to_json().to_compact());
    }
    ExitCode::FAILURE
}
