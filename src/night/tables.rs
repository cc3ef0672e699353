//! The phases that measure the suite itself: the features that the generator makes, and the time of planning.

use planfuzz_core::json::{Field, Json, JsonError};
use planfuzz_workspace_cases::shapes::Shape;

use super::context::{Context, OWN_PLANNERS};
use super::error::PhaseError;
use super::record::{Feature, Night, WorkspaceCost};

/// The cases of the feature table: floors are for a fifth of that, and rare features need more cases to be distinguished from missing ones.
const FEATURE_CASES: &str = "100000";

/// How long one operation is timed.
const TIMED_FOR: &str = "2ms";

/// The size of each workspace that is measured: all shapes together take some seconds, as the lists that a chain stores grow with its square.
const INSTANCES: &str = "200";

/// The feature table.
///
/// # Errors
/// A command that fails or takes too long, and the end of the night.
pub fn features(context: &Context<'_>) -> Result<Vec<Feature>, PhaseError> {
    let order = context
        .command("features", &["features", "--json", "--cases", FEATURE_CASES])
        .option("--seed", super::worker::seed_of(&context.options.seed, "features").to_string());
    let order = context.options.asked.schemas.iter().fold(order, |order, argument| order.with(argument));
    let ended = order.run(context.clock.end_of("features"), context.stop)?;
    match ended.code {
        // Exit code 1: some features are below their floor, which the table shows.
        Some(0 | 1) => lines(&ended.printed()?),
        _ => Err(ended.error("features")),
    }
}

/// The planners' times, on the same cases and workspaces every night, so that nights can be compared. Measurements made before an error are
/// kept.
///
/// # Errors
/// A command that fails or takes too long, and the end of the night.
pub fn measure(context: &Context<'_>, night: &mut Night) -> Result<(), PhaseError> {
    if context.options.asked.is_of_user() {
        return Err(PhaseError::Skipped(OWN_PLANNERS.to_owned()));
    }
    night.timing = lines(&measured(context, "measure", &["--time", TIMED_FOR])?)?;
    let workspaces: &mut Vec<WorkspaceCost> = night.workspaces.insert(Vec::new());
    for (_, shape) in Shape::ALL {
        let log = format!("measure-{shape}");
        let printed = measured(context, &log, &["--workspace", shape, "--instances", INSTANCES])?;
        workspaces.extend(lines(&printed)?);
    }
    Ok(())
}

/// The output of `measure --json`. Each shape has a process of its own, so that the memory peak of one does not affect the next.
fn measured(context: &Context<'_>, log: &str, arguments: &[&str]) -> Result<String, PhaseError> {
    let order = context.command(log, &["measure", "--json"]);
    let order = arguments.iter().fold(order, |order, argument| order.with(argument));
    let ended = order.run(context.clock.end_of("measure"), context.stop)?;
    if ended.code != Some(0) {
        return Err(ended.error(log));
    }
    ended.printed()
}

/// Reads parts of a record, one a line.
///
/// # Errors
/// A line that is no such part.
pub fn lines<T: Field>(text: &str) -> Result<Vec<T>, PhaseError> {
    parse(text)?.iter().map(|json| T::read(json).map_err(no_line)).collect()
}

fn parse(text: &str) -> Result<Vec<Json>, PhaseError> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| Json::parse(line).map_err(no_line)).collect()
}

fn no_line(problem: JsonError) -> PhaseError {
    PhaseError::Failed(format!("a line is not as expected: {problem}"))
}

#[cfg(test)]
mod tests {
    use super::super::record::Timing;
    use super::*;

    #[test]
    fn features_are_read_as_they_are_printed() {
        let printed = "{\"feature\":\"a\",\"hits\":3,\"share\":0.5,\"floor\":0.1}\n{\"feature\":\"b\",\"hits\":0,\"share\":0,\"floor\":null}\n";
        let features: Vec<Feature> = lines(printed).unwrap();
        assert_eq!((features[0].floor, features[1].floor), (Some(0.1), None));
    }

    #[test]
    fn times_are_read_as_they_are_printed() {
        let times = [200.0, 50.0, 100.0];
        let [reference, optimized, clone] = times;
        let timing = crate::measure::sum("a", &[crate::measure::Times { reference, optimized, clone }]).unwrap();
        assert_eq!(lines::<Timing>(&timing.write().to_compact()).unwrap(), [timing]);
        assert!(lines::<Timing>("{}").is_err());
    }

    #[test]
    fn costs_of_workspaces_are_read_as_they_are_printed() {
        let printed = concat!(
            r#"{"workspace":"chain","instances":9,"subject":"reference","op":"create","ns_per_instance":7.5,"bytes_per_instance":null,"calls":9}"#,
            "\n",
            r#"{"workspace":"chain","instances":9,"subject":"incremental","op":"file_again","ns_per_change":80.0,"bytes_per_instance":null,"calls":1}"#,
        );
        let costs: Vec<WorkspaceCost> = lines(printed).unwrap();
        let times: Vec<_> = costs.iter().map(|cost| (cost.ns_per_instance, cost.ns_per_change)).collect();
        assert_eq!(times, [(Some(7.5), None), (None, Some(80.0))]);
        assert!(lines::<WorkspaceCost>("{}").is_err());
    }
}
