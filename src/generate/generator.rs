//! The generator: a schema and four values that are related to each other.

use std::sync::Arc;

use arbitrary::Unstructured;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::Schema;
use planfuzz_core::value::Value;

use super::catalogue::Catalogue;
use super::dice::Dice;
use super::model::{self, Conduct, Plot};
use super::outline::BlockOutline;
use super::pools::Pools;
use super::scenario::ScenarioContext;
use super::schema::Inventor;
use super::schema_context::SchemaContext;
use super::settings::Settings;
use super::swarm::Swarm;
use super::value::settle::settled;
use super::value::{Role, ValueGenerator};
use crate::case::{Call, Case, Merge, Task};
use crate::generate::dice::weighted;

/// Makes cases from bytes. Each worker has its own, because values share small parts of the generator's pools.
#[derive(Debug)]
pub struct Generator {
    settings: Settings,
    dialects: Vec<Dialect>,
    catalogue: Arc<Catalogue>,
    pools: Pools,
    /// The pools for providers of the framework.
    framework_pools: Pools,
    /// The pools for providers of the SDK: with fractions, and without.
    sdk_pools: [Pools; 2],
    /// Of 256, how many providers behave arbitrarily, in addition to those that the settings ask for.
    unruly: u8,
}

impl Generator {
    /// A generator of invented schemas in all dialects that vectors name.
    pub fn new(settings: Settings) -> Generator {
        let sdk_pools = [Pools::of_sdk(false), Pools::of_sdk(true)];
        let (pools, framework_pools) = (Pools::new(), Pools::of_framework());
        let dialects = Dialect::ALL.to_vec();
        Generator { settings, dialects, catalogue: Arc::default(), pools, framework_pools, sdk_pools, unruly: 0 }
    }

    /// The generator for these dialects only. An empty list stands for the default dialect.
    #[must_use]
    pub fn in_dialects(self, dialects: &[Dialect]) -> Generator {
        let dialects = if dialects.is_empty() { vec![Dialect::default()] } else { dialects.to_vec() };
        Generator { dialects, ..self }
    }

    /// The generator, with real schemas beside the invented ones; see [`Catalogue::valid_in`].
    #[must_use]
    pub fn with_catalogue(self, catalogue: Arc<Catalogue>) -> Generator {
        Generator { catalogue, ..self }
    }

    /// The generator for steps of single providers. More of them behave arbitrarily, because a step is judged only by comparison with
    /// another implementation of the pipeline.
    #[must_use]
    pub(super) fn of_steps(self) -> Generator {
        Generator { unruly: 128, ..self }
    }

    /// The dialects of the cases: at least one.
    pub fn dialects(&self) -> &[Dialect] {
        &self.dialects
    }

    /// The real schemas.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// A case. If the bytes run out, the rest of the case is plain.
    pub fn case(&self, bytes: &mut Unstructured<'_>) -> Case {
        let schema_context = self.schema_context(bytes);
        self.case_in(&schema_context, bytes)
    }

    /// A schema to make cases for.
    pub fn schema_context(&self, bytes: &mut Unstructured<'_>) -> SchemaContext {
        let mut dice = Dice::new(bytes);
        let real = self.settings.only_real || dice.chance(self.settings.real);
        let index = if real { Some(dice.below(self.catalogue.len())) } else { None };
        self.schema_context_of(&mut dice, index)
    }

    /// How many resource types of the catalogue the first `count` cases of a kind visit.
    pub(super) fn types_visited(&self, count: u64) -> usize {
        let schemas = count.div_ceil(u64::from(self.settings().cases_per_schema.max(1)));
        let real = usize::try_from(self.real_among(schemas)).unwrap_or(usize::MAX);
        real.min(self.catalogue().len())
    }

    /// How many of the first `count` schemas are real: as many as their share says, spread evenly.
    pub(super) fn real_among(&self, count: u64) -> u64 {
        match self.settings.only_real {
            _ if self.catalogue.is_empty() => 0,
            true => count,
            false => u64::try_from(u128::from(count) * u128::from(self.settings.real) / 256).unwrap_or(u64::MAX),
        }
    }

    /// The real schema at an index of the catalogue, or an invented one.
    pub(super) fn schema_context_of(&self, dice: &mut Dice<'_, '_>, real: Option<usize>) -> SchemaContext {
        self.schema_context_with(dice, real, &self.pools, |swarm| swarm)
    }

    /// The same with the features that `allowed` leaves.
    fn schema_context_with(
        &self,
        dice: &mut Dice<'_, '_>,
        real: Option<usize>,
        pools: &Pools,
        allowed: impl FnOnce(Swarm) -> Swarm,
    ) -> SchemaContext {
        let dialect = *dice.pick(&self.dialects);
        let size = self.settings.sizes[self.size(dice)].1;
        let swarm = allowed(Swarm::draw(dice, self.settings.swarm));
        let (schema, outline, size) = match real.and_then(|index| self.catalogue.at(index, dialect)) {
            Some((schema, outline)) => (schema, outline, size.for_real_schema()),
            None => {
                let schema = Inventor::invent(dice, pools, size, swarm, dialect);
                let outline = BlockOutline::of_schema(&schema, dialect);
                (Arc::new(schema), Arc::new(outline), size)
            }
        };
        let minus_zero = !outline.has_sets();
        SchemaContext { schema, outline, dialect, size, swarm, minus_zero }
    }

    /// A provider for the real schema at an index of the catalogue, or for an invented one that is adapted to it.
    pub(super) fn scenario_context_of(&self, dice: &mut Dice<'_, '_>, real: Option<usize>) -> ScenarioContext {
        let real = real.filter(|_| !self.catalogue.is_empty());
        let mut plot = Plot::draw(dice, self.settings.providers);
        plot.is_sdk &= real.is_none();
        if self.unruly > 0 {
            // As many for the SDK as for the framework.
            plot.is_sdk |= real.is_none() && self.settings.providers.pipeline.is_none() && dice.chance(72);
            if dice.chance(self.unruly) {
                plot = Plot { conduct: Conduct::Free, fault: None, ..plot };
            }
        }
        let pools = self.pools_for(plot);
        let mut schema_context = self.schema_context_with(dice, real, pools, |swarm| plot.swarm(swarm));
        let mut schema = Schema::clone(&schema_context.schema);
        if real.is_some() {
            Plot::fit_real(&mut schema);
            if schema != *schema_context.schema {
                schema_context = schema_context.with_schema(schema);
            }
            return ScenarioContext::framework(dice, pools, schema_context, plot);
        }
        plot.fit(&mut schema, schema_context.dialect);
        // Objects of older versions are stored only where there is an older version.
        schema.version = if dice.chance(72) { 1 + dice.below(2) as u64 } else { 0 };
        let sdk = if plot.is_sdk { model::sdk_schema(dice, &schema, plot) } else { None };
        let schema = sdk.as_ref().map_or(schema, |sdk| sdk.core_schema());
        schema_context = schema_context.with_schema(schema);
        schema_context.minus_zero &= sdk.is_none();
        match sdk {
            Some(sdk) => ScenarioContext::sdk(dice, pools, schema_context, plot, &sdk),
            None => ScenarioContext::framework(dice, pools, schema_context, Plot { is_sdk: false, ..plot }),
        }
    }

    /// The pools for the values of merges.
    pub(super) fn plain_pools(&self) -> &Pools {
        &self.pools
    }

    /// The pools for the values of a provider.
    pub(super) fn pools_for(&self, plot: Plot) -> &Pools {
        match (plot.is_sdk, plot.whole) {
            (false, _) => &self.framework_pools,
            (true, false) => &self.sdk_pools[0],
            (true, true) => &self.sdk_pools[1],
        }
    }

    /// A provider to make scenarios for.
    pub fn scenario_context(&self, bytes: &mut Unstructured<'_>) -> ScenarioContext {
        let mut dice = Dice::new(bytes);
        let real = self.settings.only_real || dice.chance(self.settings.real);
        let index = if real && !self.catalogue.is_empty() { Some(dice.below(self.catalogue.len())) } else { None };
        self.scenario_context_of(&mut dice, index)
    }

    /// A scenario for a provider.
    pub fn scenario_in(&self, context: &ScenarioContext, bytes: &mut Unstructured<'_>) -> Case {
        let scenario = context.scenario(&mut Dice::new(bytes), self.pools_for(context.plot));
        Case::new(context.schema_context.dialect, Task::Call(Call::Scenario(Arc::new(scenario))))
    }

    fn size(&self, dice: &mut Dice<'_, '_>) -> usize {
        let total = self.settings.sizes.iter().map(|(weight, _)| usize::from(*weight)).sum();
        let mut rest = dice.below(total);
        let at = self.settings.sizes.iter().position(|(weight, _)| {
            let found = rest < usize::from(*weight);
            rest = rest.saturating_sub(usize::from(*weight));
            found
        });
        at.unwrap_or(0)
    }

    /// A case for a schema.
    pub fn case_in(&self, schema_context: &SchemaContext, bytes: &mut Unstructured<'_>) -> Case {
        let mut dice = Dice::new(bytes);
        let loose = dice.chance(self.settings.loose);
        let merge = self.merge_of(&mut dice, &self.pools, schema_context, loose);
        Case { purpose: String::new(), dialect: schema_context.dialect, task: Task::Merge(merge) }
    }

    /// The four values of a merge.
    pub(super) fn merge_of(
        &self,
        dice: &mut Dice<'_, '_>,
        pools: &Pools,
        schema_context: &SchemaContext,
        loose: bool,
    ) -> Merge {
        let mut values = ValueGenerator::new(dice, pools, schema_context);
        let (prior, config) = values.prior_and_config(&schema_context.outline, loose);
        let planned = values.planned(&schema_context.outline, &prior, &config);
        let actual = values.actual(&schema_context.outline, &prior, &config, &planned);
        let [prior, config, planned, actual] = match loose {
            true => [
                values.misplaced(&schema_context.outline, prior, Role::LooseState),
                values.misplaced(&schema_context.outline, config, Role::Loose),
                values.misplaced(&schema_context.outline, planned, Role::Loose),
                values.misplaced(&schema_context.outline, actual, Role::LooseState),
            ],
            false => [prior, config, planned, actual],
        };
        let [prior, config, planned, actual] =
            [prior, config, planned, actual].map(|value| settled(&schema_context.outline.ty, value));
        Merge { schema: schema_context.schema.clone(), prior, config, planned, actual }
    }
}

impl ValueGenerator<'_, '_, '_> {
    fn prior_and_config(&mut self, outline: &BlockOutline, loose: bool) -> (Value, Value) {
        let null = || Value::null(outline.ty.clone());
        let state = if self.dice.chance(36) { Role::LooseState } else { Role::State };
        let (prior, config) = weighted! { self.dice;
            // The state first, and a configuration like it.
            104 => {
                let prior = self.fresh(outline, state);
                self.refuel();
                let config = self.project(outline, prior.view());
                (prior, self.edited_sometimes(outline, config, Role::Config, 80))
            },
            // The configuration first: applied once, and perhaps edited since.
            50 => {
                let config = self.fresh(outline, Role::Config);
                let planned = self.answer(outline, null().view(), &config);
                let prior = self.complete(outline, &planned);
                (prior, self.edited_sometimes(outline, config, Role::Config, 150))
            },
            22 => (self.fresh(outline, state), self.fresh(outline, Role::Config)),
            44 => (null(), self.fresh(outline, Role::Config)),
            10 => (self.fresh(outline, state), null()),
            3 => (null(), null()),
        };
        if !loose {
            return (prior, config);
        }
        let config = weighted! { self.dice;
            200 => self.edited(outline, config, Role::Loose),
            // All changes are ignored: the configuration is what the state holds, computed attributes included (K01).
            36 => prior.clone(),
            20 => Value::unknown(outline.ty.clone()),
        };
        (prior, config)
    }

    fn fresh(&mut self, outline: &BlockOutline, role: Role) -> Value {
        self.refuel();
        self.block(outline, role)
    }

    fn edited_sometimes(&mut self, outline: &BlockOutline, value: Value, role: Role, share: u8) -> Value {
        if !self.dice.chance(share) {
            return value;
        }
        self.refuel();
        self.edited(outline, value, role)
    }

    /// A planned value: right, slightly wrong, or very wrong.
    fn planned(&mut self, outline: &BlockOutline, prior: &Value, config: &Value) -> Value {
        self.refuel();
        weighted! { self.dice;
            112 => self.answer(outline, prior.view(), config),
            72 => {
                let answer = self.answer(outline, prior.view(), config);
                self.edited(outline, answer, Role::Loose)
            },
            20 => config.clone(),
            12 => prior.clone(),
            14 => self.edited(outline, prior.clone(), Role::Loose),
            16 => self.block(outline, Role::Loose),
            6 => Value::null(outline.ty.clone()),
            4 => Value::unknown(outline.ty.clone()),
        }
    }

    /// An actual value: as planned, slightly different, or something else; mostly wholly known.
    fn actual(&mut self, outline: &BlockOutline, prior: &Value, config: &Value, planned: &Value) -> Value {
        self.refuel();
        weighted! { self.dice;
            112 => self.complete(outline, planned),
            74 => {
                let complete = self.complete(outline, planned);
                let role = if self.dice.chance(64) { Role::LooseState } else { Role::State };
                self.edited(outline, complete, role)
            },
            16 => planned.clone(),
            // A second plan, with other unknowns than the first.
            14 => self.edited(outline, planned.clone(), Role::Loose),
            8 => prior.clone(),
            10 => self.complete(outline, config),
            14 => self.block(outline, Role::State),
            6 => Value::null(outline.ty.clone()),
        }
    }
}
