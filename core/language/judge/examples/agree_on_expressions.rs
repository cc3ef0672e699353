//! Compares the implementations of the evaluator with one another, without an engine: generates many expressions and groups the differences
//! by likely cause.
//!
//! ```text
//! agree_on_expressions COUNT SEED
//! ```
//! Compressed strings are compared by their decompressed text. Expressions that exceed an implementation's budget are counted separately.

use std::collections::BTreeMap;
use std::time::Instant;

use planfuzz_core::dialect::Dialect;
use planfuzz_language::expression::notation::{Locals, outcome_of};
use planfuzz_language_compiled::TOO_LARGE;
use planfuzz_language_judge::records::shown_as_stored;
use planfuzz_language_judge::{WRITINGS, generate, parts, scope};

type Anything = Box<dyn std::error::Error>;

/// The number of smallest differences printed per cause.
const SHOWN: usize = 3;

fn main() -> Result<(), Anything> {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().ok_or("agree_on_expressions COUNT SEED").map(|word| word.parse::<u64>());
    let (count, seed) = (next()??, next()??);
    let dialect = std::env::var("PLANFUZZ_DIALECT").unwrap_or_else(|_| "terraform-1.11".to_owned()).parse()?;
    let locals = scope()?;
    let mut causes: BTreeMap<String, (usize, Vec<String>)> = BTreeMap::new();
    let begun = Instant::now();
    let (mut differing, mut too_large) = (0, 0);
    for number in 0..count {
        let line = generate::expression(&locals, seed, number);
        if difference(&line, &locals, dialect).is_none() {
            continue;
        }
        if WRITINGS
            .iter()
            .any(|(_, evaluate)| outcome_of(&line, &locals, dialect, evaluate) == Err(vec![TOO_LARGE.to_owned()]))
        {
            too_large += 1;
            continue;
        }
        differing += 1;
        let part =
            parts::parts(&line).into_iter().find(|part| difference(part, &locals, dialect).is_some()).unwrap_or(line);
        let cause = causes.entry(parts::kind(&part)).or_default();
        cause.0 += 1;
        cause.1.push(part);
    }
    for (cause, (count, mut parts)) in causes {
        println!("{cause}: {count}");
        parts.sort_by_key(String::len);
        for part in parts.iter().take(SHOWN) {
            println!("  {part}{}", difference(part, &locals, dialect).unwrap_or_default());
        }
    }
    println!(
        "{count} expressions, {differing} differ, {too_large} are too large for one, {:.1} s",
        begun.elapsed().as_secs_f64()
    );
    if differing == 0 { Ok(()) } else { Err("the writings differ".into()) }
}

/// The outcome of each implementation, if they differ.
fn difference(line: &str, locals: &Locals, dialect: Dialect) -> Option<String> {
    let all: Vec<(&str, String)> = WRITINGS
        .iter()
        .map(|(name, evaluate)| (*name, shown_as_stored(&outcome_of(line, locals, dialect, evaluate))))
        .collect();
    let is_same = all.iter().all(|(_, outcome)| *outcome == all[0].1);
    (!is_same).then(|| all.iter().map(|(name, outcome)| format!("\n    {name} {outcome}")).collect())
}
