//! `kills`: prints the table of planted faults: after how many cases, and how soon, each is found.

#[cfg(feature = "faults")]
mod table;

use super::args::KillsArgs;
use super::error::{CliError, Held};

/// Runs the command.
///
/// # Errors
/// A build without faults.
#[cfg(not(feature = "faults"))]
pub fn run(_: &KillsArgs) -> Result<Held, CliError> {
    Err(CliError::input("kills needs a build with planted faults, which this one has not")
        .with_hint("cargo run --release --features faults -- kills"))
}

/// Runs the command.
///
/// # Errors
/// Names that are no fault's, a bad seed; and, once the table is printed, an end before all faults were hunted.
#[cfg(feature = "faults")]
pub fn run(args: &KillsArgs) -> Result<Held, CliError> {
    use std::time::Instant;

    use super::cases::seeded;
    use super::output::{self, DIM, styled};
    use super::progress::Bar;
    use super::settings;
    use crate::kills::{Bounds, Hunted, Target, hunt_all};
    use crate::mixing::mixed;

    let (text, seed) = seeded(args.seed.as_deref())?;
    let mut targets: Vec<(usize, Target)> = chosen(&args.faults)?.into_iter().enumerate().collect();
    if args.within.is_some() {
        targets.sort_by_key(|(place, _)| mixed(seed ^ mixed(*place as u64 + 1)));
    }
    let (places, targets): (Vec<usize>, Vec<Target>) = targets.into_iter().unzip();
    settings::watch_interrupts()?;
    let jobs = args.jobs.map_or_else(settings::cores, usize::from);
    output::report(&styled(DIM, format!("seed {text}: {} faults, {jobs} workers", targets.len())));
    let bounds = Bounds {
        cases: args.cases,
        time: Some(args.time),
        until: args.within.map(|within| Instant::now() + within),
        calls: CALLS,
        properties: true,
        interrupted: settings::interrupted(),
    };
    let bar = Bar::new(Some(targets.len() as u64), None);
    let (mut done, mut missed) = (0, 0);
    let hunted = hunt_all(&targets, seed, &bounds, jobs, &mut |hunted: &Hunted| {
        done += 1;
        missed += usize::from(hunted.found().is_none());
        bar.part(&format!("faults, {missed} missed"), done, targets.len());
    });
    bar.finish();
    // Hunts begin in order, so that those that began are the first.
    let mut finished: Vec<(usize, &Hunted)> =
        places.into_iter().zip(&hunted).filter(|(_, hunted)| !hunted.is_broken_off()).collect();
    finished.sort_by_key(|(place, _)| *place);
    let finished: Vec<&Hunted> = finished.into_iter().map(|(_, hunted)| hunted).collect();
    table::print(&finished, args)?;
    if let Some(text) = left_over(args.within, finished.len(), targets.len())? {
        output::report(&styled(DIM, text));
    }
    Ok(Held::from(finished.iter().all(|hunted| hunted.found().is_some())))
}

/// How many faults were not hunted to their end, in words; `None` if all were.
///
/// # Errors
/// An interrupt, and a time that was too short for any.
#[cfg(feature = "faults")]
fn left_over(within: Option<std::time::Duration>, finished: usize, all: usize) -> Result<Option<String>, CliError> {
    let left = all - finished;
    if left == 0 {
        return Ok(None);
    }
    match within {
        Some(within) if !super::settings::interrupted().load(std::sync::atomic::Ordering::Relaxed) => {
            let text = format!("{left} of {all} faults were not hunted within {}", humantime::format_duration(within));
            if finished == 0 { Err(CliError::failed(text)) } else { Ok(Some(text)) }
        }
        _ => Err(CliError::failed(format!("interrupted before {left} of {all} faults were hunted"))),
    }
}

/// How often the subjects may be asked to make one case small.
#[cfg(feature = "faults")]
const CALLS: u64 = 3_000;

/// The faults with these names, each once, in the order of the catalogues; all of them without names.
#[cfg(feature = "faults")]
fn chosen(names: &[String]) -> Result<Vec<crate::kills::Target>, CliError> {
    use std::collections::BTreeSet;

    use crate::kills::Target;

    if names.is_empty() {
        return Ok(Target::all());
    }
    let mut subjects = BTreeSet::new();
    for name in names {
        let meant = Target::named(name).map_err(|problem| {
            CliError::input(problem.to_string()).with_hint(
                "name one as the table does, such as b161-unknown-config-gives-prior, or by its id: B161, X01",
            )
        })?;
        subjects.extend(meant.iter().map(|target| (target.name(), target.subject())));
    }
    let is_chosen = |target: &Target| subjects.contains(&(target.name(), target.subject()));
    Ok(Target::all().into_iter().filter(is_chosen).collect())
}
