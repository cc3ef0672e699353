//! The counts of a fuzzing process.

use std::time::Duration;

use planfuzz_core::json::{Field, Json};

use crate::compare::Summary;
use crate::generate::Features;

/// The counts of one process.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Inputs that were tried.
    pub executions: u64,
    /// Those that were rejected.
    pub rejected: u64,
    /// What was compared and checked in the others.
    pub summary: Summary,
    /// Findings, including repetitions.
    pub found: u64,
    /// The features of the sampled inputs.
    pub features: Features,
}

impl Tally {
    /// One object, as docs/night.md describes it.
    pub fn to_json(&self, target: &str, elapsed: Duration, cpu: Duration) -> Json {
        let Tally { executions, rejected, summary, found, features } = self;
        let verdicts = summary.tally.write();
        let seconds = |time: Duration| Json::parse(&format!("{:.3}", time.as_secs_f64())).unwrap_or(Json::Null);
        let tolerated = summary.tolerated().map(|(what, count)| (what, Json::int(count)));
        let tolerated = tolerated.map(|(what, count)| (what.into(), count)).collect();
        let sampled = features.cases() + features.scenarios() + features.workspaces();
        let rows = if sampled > 0 { features.rows() } else { Vec::new() };
        let hits = rows.into_iter().filter(|row| row.hits > 0);
        let hits = hits.map(|row| (row.feature.into(), Json::int(row.hits))).collect();
        Json::object([
            ("target", Json::string(target)),
            ("executions", Json::int(*executions)),
            ("rejected", Json::int(*rejected)),
            ("found", Json::int(*found)),
            ("cases", Json::int(summary.cases)),
            ("comparisons", Json::int(summary.comparisons)),
            ("checks", Json::int(summary.checks)),
            ("steps", Json::int(summary.steps)),
            ("seconds", seconds(elapsed)),
            ("cpu_seconds", seconds(cpu)),
            ("verdicts", verdicts),
            ("tolerated", Json::Object(tolerated)),
            ("sampled", Json::int(sampled)),
            ("features", Json::Object(hits)),
        ])
    }
}
