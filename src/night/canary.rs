//! The phase that tests the suite itself: unless it finds mistakes planted on purpose, finding nothing else means nothing.

use std::path::PathBuf;

use planfuzz_core::json::{Field, Json, JsonError, ObjectReader};

use super::context::Context;
use super::error::PhaseError;
use super::program::Order;
use super::record::{Canary, CanaryOutcome};

/// Subjects that are wrong on purpose: one always, one in a place that a generator has to reach.
const PLANTED: [&str; 2] = ["canary", "fault:b161-unknown-config-gives-prior"];

/// The cases in which they have to be found.
const CASES: &str = "20000";

/// The binary that has them, beside the targets.
const BINARY: &str = "planfuzz-faults";

/// Looks for the planted mistakes.
///
/// # Errors
/// No binary that has them, a campaign that fails or takes too long, and the end of the night.
pub fn canary(context: &Context<'_>) -> Result<Canary, PhaseError> {
    let program = binary(context)?;
    let mut result = Canary { outcome: CanaryOutcome::Found, reason: PLANTED.join(", "), cases: 0 };
    for planted in PLANTED {
        let seed = super::worker::seed_of(&context.options.seed, planted);
        let order = Order::new(&program, context.log(&planted.replace(':', "-")))
            .with("run")
            .with("--json")
            .option("--subject", "reference")
            .option("--subject", planted)
            .option("--seed", seed.to_string())
            .option("--cases", CASES)
            .option("--max-findings", "1")
            .option("--findings", context.options.work.join("canary"));
        let ended = order.run(context.clock.end_of("canary"), context.stop)?;
        let (cases, found) = match ended.code {
            Some(0 | 1) => counted(&ended.printed()?)
                .map_err(|problem| PhaseError::Failed(format!("the result of a campaign: {problem}")))?,
            _ => return Err(ended.error(BINARY)),
        };
        result.cases += cases;
        if !found {
            let reason = format!("{planted} was not found in {cases} cases");
            return Ok(Canary { outcome: CanaryOutcome::Missed, reason, cases: result.cases });
        }
    }
    Ok(result)
}

/// The binary that has planted mistakes.
///
/// # Errors
/// None.
pub fn binary(context: &Context<'_>) -> Result<PathBuf, PhaseError> {
    if cfg!(feature = "faults") {
        return Ok(context.options.program.clone());
    }
    let beside = context.options.binaries.as_ref().map(|folder| folder.join(BINARY)).filter(|path| path.is_file());
    beside.ok_or_else(|| {
        PhaseError::Skipped(format!("no planted mistakes: no {BINARY} in --binaries (a build with the feature faults)"))
    })
}

/// The cases of a campaign, and whether it found anything.
fn counted(printed: &str) -> Result<(u64, bool), JsonError> {
    let json = Json::parse(printed.trim())?;
    let mut reader = ObjectReader::new(&json, "the result of a campaign")?;
    let found = reader.required("buckets", |json| Ok(!json.expect_array()?.is_empty()))?;
    Ok((reader.required("cases", u64::read)?, found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_campaign_tells_whether_it_found_anything() {
        assert_eq!(counted(r#"{"cases": 7, "buckets": []}"#).unwrap(), (7, false));
        assert_eq!(counted("{\"cases\": 64, \"buckets\": [{}]}\n").unwrap(), (64, true));
        assert!(counted(r#"{"cases": 7}"#).is_err());
    }
}
