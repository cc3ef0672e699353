//! The phases that measure the suite itself: what the generator makes, and what planning takes.

use std::collections::BTreeMap;
use std::fs;

use planfuzz_core::json::{Json, JsonError, ObjectReader};

use super::field::Field;
use super::ground::Ground;
use super::record::{Feature, Timing};
use super::trouble::Trouble;

/// The cases of the feature table: floors are for a fifth of that, and rare features need more to be told from missing ones.
const FEATURE_CASES: &str = "100000";

/// The sizes that planning is timed on: the same cases every night, so that nights can be compared.
const CLASSES: [&str; 4] = ["tiny", "small", "medium", "large"];

/// The seed of these cases, and how many of each size.
const TIMED_SEED: &str = "1";
const TIMED_CASES: &str = "12";

/// How long one operation is timed.
const TIMED_FOR: &str = "8ms";

/// The feature table.
///
/// # Errors
/// A command that fails or takes too long, and the end of the night.
pub fn features(ground: &Ground<'_>) -> Result<Vec<Feature>, Trouble> {
    let order = ground
        .command("features", &["features", "--json", "--cases", FEATURE_CASES])
        .option("--seed", super::seat::seed_of(&ground.options.seed, "features").to_string());
    let ended = order.run(ground.clock.end_of("features"), ground.stop)?;
    match ended.code {
        // 1 says that some are below their floor, which the table shows.
        Some(0 | 1) => lines(&ended.printed()?),
        _ => Err(ended.trouble("features")),
    }
}

/// The planners' times, a size each.
///
/// # Errors
/// A command that fails or takes too long, and the end of the night.
pub fn timing(ground: &Ground<'_>) -> Result<Vec<Timing>, Trouble> {
    CLASSES.iter().map(|class| timing_of(class, ground)).collect()
}

fn timing_of(class: &str, ground: &Ground<'_>) -> Result<Timing, Trouble> {
    let until = ground.clock.end_of("measure");
    // The merge: what both planners of this process are asked directly.
    let arguments = ["gen", "--op", "proposed_new", "--preset", class, "--cases", TIMED_CASES, "--seed", TIMED_SEED];
    let made = ground.command(&format!("gen-{class}"), &arguments).run(until, ground.stop)?;
    if made.code != Some(0) {
        return Err(made.trouble("gen"));
    }
    let folder = ground.options.work.join("timed").join(class);
    let write = || {
        fs::create_dir_all(&folder)?;
        let cases = made.printed().map_err(std::io::Error::other)?;
        (1..).zip(cases.lines()).try_for_each(|(number, case)| fs::write(folder.join(format!("{number}.json")), case))
    };
    write().map_err(|problem| Trouble::of_file("write", &folder, &problem))?;
    let order = ground.command(&format!("measure-{class}"), &["measure", "--json", "--time", TIMED_FOR]);
    let order = order.option("--subject", "reference").option("--subject", "optimized").with(folder);
    let ended = order.run(until, ground.stop)?;
    if ended.code != Some(0) {
        return Err(ended.trouble("measure"));
    }
    summed(class, &ended.printed()?)
}

/// The lines of `measure` as medians of one size.
fn summed(class: &str, printed: &str) -> Result<Timing, Trouble> {
    let mut pairs: BTreeMap<(String, String), [Option<f64>; 2]> = BTreeMap::new();
    for line in parse(printed)? {
        let read = || -> Result<_, JsonError> {
            let mut reader = ObjectReader::new(&line, "a measurement")?;
            let key = (reader.required("id", String::read)?, reader.required("op", String::read)?);
            Ok((key, reader.required("subject", String::read)?, reader.required("ns_per_op", f64::read)?))
        };
        let (key, subject, time) = read().map_err(no_line)?;
        pairs.entry(key).or_default()[usize::from(subject == "optimized")] = Some(time);
    }
    let both = |[reference, optimized]: &[Option<f64>; 2]| (*reference).zip(*optimized);
    let times: Vec<(f64, f64)> = pairs.values().filter_map(both).collect();
    let ratios =
        times.iter().filter(|(_, optimized)| *optimized > 0.0).map(|(reference, optimized)| reference / optimized);
    let ratios: Vec<f64> = ratios.collect();
    let (Some(reference), Some(optimized), Some(ratio)) = (
        median(times.iter().map(|(reference, _)| *reference)),
        median(times.iter().map(|(_, optimized)| *optimized)),
        median(ratios.iter().copied()),
    ) else {
        return Err(Trouble::Failed(format!("measure told nothing of {class} cases")));
    };
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let operations = times.len() as u64;
    Ok(Timing { class: class.to_owned(), operations, reference, optimized, ratio, least })
}

fn median(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied()
}

/// Parts, one a line.
///
/// # Errors
/// A line that is none.
pub fn lines<T: Field>(text: &str) -> Result<Vec<T>, Trouble> {
    parse(text)?.iter().map(|json| T::read(json).map_err(no_line)).collect()
}

fn parse(text: &str) -> Result<Vec<Json>, Trouble> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| Json::parse(line).map_err(no_line)).collect()
}

fn no_line(problem: JsonError) -> Trouble {
    Trouble::Failed(format!("a line is not as expected: {problem}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_summed_by_pairs() {
        let line = |id: &str, subject: &str, time: f64| {
            format!(
                r#"{{"id": "{id}", "op": "o", "subject": "{subject}", "ns_per_op": {time}, "p99_ns": 1.0, "runs": 3}}"#
            )
        };
        let printed = [
            line("a", "reference", 100.0),
            line("a", "optimized", 50.0),
            line("b", "reference", 300.0),
            line("b", "optimized", 100.0),
            line("c", "reference", 700.0),
        ];
        let timing = summed("tiny", &printed.join("\n")).unwrap();
        assert_eq!((timing.operations, timing.reference, timing.optimized), (2, 300.0, 100.0));
        assert_eq!((timing.ratio, timing.least), (3.0, 2.0));
        assert!(summed("tiny", "").is_err());
        assert!(summed("tiny", "{}").is_err());
    }

    #[test]
    fn features_are_read_as_they_are_printed() {
        let printed = "{\"feature\":\"a\",\"hits\":3,\"share\":0.5,\"floor\":0.1}\n{\"feature\":\"b\",\"hits\":0,\"share\":0,\"floor\":null}\n";
        let features: Vec<Feature> = lines(printed).unwrap();
        assert_eq!((features[0].floor, features[1].floor), (Some(0.1), None));
    }
}
