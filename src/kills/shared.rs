//! Mistakes in code that all planners share: the default campaign without workspaces, all four subjects in the default mix, in threads in
//! which all shared code has the mistake, the generator and the shrinker too.

use planfuzz_core::dialect::Dialect;
use planfuzz_optimized::Optimized;
use planfuzz_planting::{Here, Planted};
use planfuzz_reference::Reference;

use super::hunted::{Bounds, End, Hunted, Why};
use super::planner::pursue;
use super::target::Target;
use crate::campaign::{Reader, Source};
use crate::case::Case;
use crate::generate::{Generator, Mix, Settings, Share};
use crate::subject::{InProcess, Naive, Shared, Subject, guard};

/// All planted mistakes, whatever crate they are in.
pub fn all() -> impl Iterator<Item = &'static Planted> {
    planfuzz_core::planted::ALL.iter().chain(planfuzz_pipelines::planted::ALL)
}

/// The cases of the default campaign, made by a thread with the mistake.
struct PlantedSource {
    planted: &'static Planted,
    seed: u64,
}

/// A worker's reader of these cases; keeps the mistake on in its thread.
struct PlantedReader {
    mix: Mix,
    _here: Here,
}

impl Source for PlantedSource {
    fn open(&self) -> Box<dyn Reader + '_> {
        let here = self.planted.here();
        let generator = || Generator::new(Settings::MIXED).in_dialects(&Dialect::ALL);
        let mix = Mix::new([generator(), generator(), generator(), generator()], self.seed, Share::All);
        Box::new(PlantedReader { mix, _here: here })
    }
}

impl Reader for PlantedReader {
    fn cases(&mut self, from: u64, count: u64) -> Vec<Case> {
        self.mix.cases(from, count)
    }
}

fn party() -> Result<Vec<Box<dyn Subject>>, String> {
    Ok(vec![
        Box::new(InProcess::new(Reference).only_plans()),
        Box::new(InProcess::new(Optimized).only_plans()),
        Box::new(Shared::default()),
        Box::new(Naive),
    ])
}

/// Hunts a mistake.
pub fn hunt(planted: &'static Planted, seed: u64, bounds: &Bounds<'_>) -> Hunted {
    let _here = planted.here();
    let target = Target::Shared(planted);
    let hunt = || pursue(target, &PlantedSource { planted, seed }, &party, bounds);
    // A mistake may make the generator or the judge panic: that ends the campaign without a finding.
    guard(hunt).unwrap_or_else(|panic| Hunted {
        target,
        cases: 0,
        seconds: 0.0,
        end: End::Missed(Why::Failed(format!("the suite itself died of it: {}", panic.message))),
    })
}
