//! Scenarios by number. As with [`super::Cases`], number `i` is a function of the seed, the settings and `i` alone.

use std::sync::Arc;

use arbitrary::Unstructured;
use rand_core::Rng;

use super::cases::{Stream, fill, stream};
use super::dice::Dice;
use super::generator::Generator;
use super::scenario::ScenarioContext;
use crate::case::{Call, Case, Task};
use crate::scenario::Command;

/// The bytes of dice for one provider, as a multiple of the bytes for a schema.
const PROVIDER_ENTROPY: usize = 2;

/// The scenarios of a seed. Caches the provider of the last case, so asking for numbers in ascending order is cheapest.
#[derive(Debug)]
pub struct Scenarios {
    generator: Generator,
    seed: u64,
    buffer: Vec<u8>,
    /// The number of the cached provider, and the provider.
    last: Option<(u64, ScenarioContext)>,
}

impl Scenarios {
    /// The scenarios of a seed.
    pub fn new(generator: Generator, seed: u64) -> Scenarios {
        Scenarios { generator, seed, buffer: Vec::new(), last: None }
    }

    /// Scenario number `number`.
    pub fn case(&mut self, number: u64) -> Case {
        let which = number / u64::from(self.generator.settings().cases_per_schema.max(1));
        let context = match self.last.take() {
            Some((made, context)) if made == which => context,
            _ => self.scenario_context(which),
        };
        fill(&mut self.buffer, context.entropy(), self.seed, number, Stream::Scenario);
        let case = self.generator.scenario_in(&context, &mut Unstructured::new(&self.buffer));
        self.last = Some((which, context));
        case
    }

    /// The first step of scenario number `number`, as a plan if it is an apply.
    pub fn plan(&mut self, number: u64) -> Case {
        let mut case = self.case(number);
        if let Task::Call(Call::Scenario(scenario)) = &mut case.task {
            let scenario = Arc::make_mut(scenario);
            scenario.steps.truncate(1);
            for step in scenario.steps.iter_mut().filter(|step| step.command == Command::Apply) {
                step.command = Command::Plan;
                step.at_apply = None;
            }
        }
        case
    }

    /// How many resource types of the catalogue the first `count` scenarios visit.
    pub fn types_visited(&self, count: u64) -> usize {
        self.generator.types_visited(count)
    }

    fn scenario_context(&mut self, which: u64) -> ScenarioContext {
        let length = self.generator.settings().schema_entropy * PROVIDER_ENTROPY;
        fill(&mut self.buffer, length, self.seed, which, Stream::Provider);
        let (before, after) = (self.generator.real_among(which), self.generator.real_among(which.saturating_add(1)));
        let start = u64::from(stream(self.seed, 1, Stream::Offset).next_u32());
        let real = (after > before).then(|| usize::try_from(before.wrapping_add(start)).unwrap_or(0));
        let mut bytes = Unstructured::new(&self.buffer);
        self.generator.scenario_context_of(&mut Dice::new(&mut bytes), real)
    }
}
