//! Merges what was explored into the kept corpus: the smallest set of inputs with the same coverage, as readable cases.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use super::context::{Context, flag, folders_in};
use super::corpora::{count, draft_of, names, replace};
use super::coverage::coverage_in;
use super::error::PhaseError;
use super::program::Order;
use super::record::{Corpus, Target};

/// Replaces the corpus of a target by what its processes explored together with it. On an error the corpus stays.
///
/// # Errors
/// A merge that fails or takes too long, and the end of the night.
pub fn distil(target: &str, until: Instant, context: &Context<'_>) -> Result<Corpus, PhaseError> {
    let corpus = context.corpus(target);
    let before = names(&corpus)?;
    let explored = folders_in(&context.explored(target))?;
    if explored.is_empty() {
        return count(&corpus, &before);
    }
    let order = context
        .command(&format!("distil-{target}"), &["distil", "--target", target])
        .option("--binary", context.binary(target)?)
        .option("--output", draft_of(&corpus));
    let order = context.seeds_of(target)?.into_iter().chain(explored).fold(order, |order, folder| order.with(folder));
    let ended = order.run(until, context.stop)?;
    if ended.code != Some(0) {
        return Err(ended.error("distil"));
    }
    if names(&draft_of(&corpus))?.is_empty() {
        return Err(PhaseError::Failed(format!("distil leaves nothing of the corpus of {target}")));
    }
    replace(&corpus)?;
    count(&corpus, &before)
}

/// The corpus of a target as it is.
///
/// # Errors
/// A folder that cannot be read.
pub fn as_it_is(target: &str, context: &Context<'_>) -> Result<Corpus, PhaseError> {
    let corpus = context.corpus(target);
    let before: BTreeSet<String> = names(&corpus)?;
    count(&corpus, &before)
}

/// The coverage of a target's corpus, in edges.
///
/// # Errors
/// A target that does not print it.
pub fn coverage(target: &str, until: Instant, context: &Context<'_>) -> Result<u64, PhaseError> {
    let order =
        Order::new(&context.binary(target)?, context.log(&format!("coverage-{target}"))).with(flag("runs", "0"));
    let order = context.seeds_of(target)?.into_iter().fold(order, |order, folder| order.with(folder));
    // Findings in the corpus are known already: the run must not end at one, and writes them to a folder of this night.
    let seen = context.options.work.join("seen");
    std::fs::create_dir_all(&seen).map_err(|problem| PhaseError::of_file("make", &seen, &problem))?;
    let order = order.with(flag("artifact_prefix", seen.join(""))).variable("PLANFUZZ_FUZZ_FINDINGS", seen);
    let ended = order.run(until, context.stop)?;
    let printed = ended.stderr()?;
    coverage_in(&printed).ok_or_else(|| ended.error(target))
}

/// Calls `of` for each target, also after a failure. Each target gets an equal part of the time that is left for the phase.
///
/// # Errors
/// The first failure.
pub fn each(
    phase: &str,
    targets: &mut BTreeMap<&'static str, Target>,
    context: &Context<'_>,
    of: fn(&str, Instant, &Context<'_>, &mut Target) -> Result<(), PhaseError>,
) -> Result<(), PhaseError> {
    if targets.is_empty() {
        return Err(PhaseError::Skipped("no target took part".to_owned()));
    }
    let mut result = Ok(());
    let mut left = u32::try_from(targets.len()).unwrap_or(u32::MAX);
    for (name, target) in targets {
        let until = Instant::now() + context.clock.left_of(phase) / left;
        left -= 1;
        let done = of(name, until, context, target);
        if result.is_ok() || matches!(done, Err(PhaseError::Interrupted)) {
            result = done;
        }
    }
    result
}
