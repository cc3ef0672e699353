//! Provider models: what a generated provider does.
//!
//! Most are well-behaved by construction (section 4 of provider-model.md), some are well-behaved except for one fault of the
//! catalogue, and some do anything. The schema comes first and is adapted to the provider.

mod behaviours;
mod expressions;
mod remote;
mod resource;
mod sdk;
mod shapes;
mod spots;

use std::sync::Arc;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::Schema;
use planfuzz_pipelines::model::{FaultName, Model, Respond, Style};
use planfuzz_pipelines::rules::Rules;
use planfuzz_pipelines::sdk::Schema as SdkSchema;

use expressions::Bounds;
pub(super) use spots::{Part, Spot};

use super::dice::Dice;
use super::settings::{Pipeline, Providers};
use super::swarm::Swarm;
use super::value::ValueGenerator;
use crate::generate::dice::weighted;

/// The most attributes and blocks that rules are drawn for.
const MOST_SPOTS: usize = 400;

/// How a provider is to behave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Conduct {
    /// As section 4 asks.
    WellBehaved,
    /// Without regard to the contract.
    Free,
}

impl Conduct {
    /// The bounds of the conditions of checks (W12).
    fn of_checks(self) -> Bounds {
        match self {
            Conduct::WellBehaved => Bounds::SettledConfig,
            Conduct::Free => Bounds::ConfigOnly,
        }
    }
}

/// The kind of provider to make.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plot {
    pub(super) conduct: Conduct,
    /// Its fault or control.
    pub(super) fault: Option<FaultName>,
    /// Whether it is written with the classic SDK; of invented schemas only.
    pub(super) is_sdk: bool,
    /// Whether all its numbers are whole: the SDK has fields for those.
    pub(super) whole: bool,
}

impl Plot {
    /// Draws what `asked` leaves open: of ten providers seven are well-behaved, two have one fault, one does anything; three are of the
    /// SDK. Some of the well-behaved ones of the framework read null where there are no blocks, which is no fault (C8, L14).
    pub(super) fn draw(dice: &mut Dice<'_, '_>, asked: Providers) -> Plot {
        let (conduct, fault) = match asked.fault {
            Some(name) => (Conduct::WellBehaved, Some(name)),
            None => weighted! { dice;
                70 => (Conduct::WellBehaved, None),
                20 => (Conduct::WellBehaved, Some(*dice.pick(FaultName::ALL))),
                10 => (Conduct::Free, None),
            },
        };
        let is_sdk = asked.pipeline.map_or_else(|| dice.chance(77), |pipeline| pipeline == Pipeline::Sdk);
        let reads_null = fault.is_none() && conduct == Conduct::WellBehaved && !is_sdk && dice.chance(16);
        let fault = if reads_null { Some(FaultName::ReadNullBlocks) } else { fault };
        Plot { conduct, fault, is_sdk, whole: dice.chance(160) }
    }

    /// The plot that an existing provider seems to come from.
    pub(super) fn of_model(model: &Model) -> Plot {
        Plot {
            conduct: Conduct::WellBehaved,
            fault: model.faults.first().map(|fault| fault.name),
            is_sdk: matches!(model.style, Style::Sdk { .. }),
            whole: true,
        }
    }

    /// The features that its schema may have.
    pub(super) fn swarm(self, swarm: Swarm) -> Swarm {
        if self.is_sdk { sdk::swarm(swarm) } else { swarm }
    }

    /// Adapts a real schema to the provider; most need no change.
    pub(super) fn fit_real(schema: &mut Schema) {
        shapes::fit_framework(&mut schema.block);
    }

    /// Adapts an invented schema to the provider.
    pub(super) fn fit(self, schema: &mut Schema, dialect: Dialect) {
        let careful = self.conduct == Conduct::WellBehaved;
        match self.is_sdk {
            true => sdk::fit(&mut schema.block, careful),
            false => shapes::fit_framework(&mut schema.block),
        }
        let lacking = |schema: &Schema, name: &FaultName| {
            !remote::has_place(*name, &spots::spots_of(&schema.block, dialect, MOST_SPOTS))
        };
        if let Some(name) = self.fault.filter(|name| lacking(schema, name)) {
            remote::make_place(name, &mut schema.block);
        }
        match self.is_sdk {
            // The place that was added for the fault may be a shape that the SDK does not have: then the provider does not show the fault.
            true => sdk::fit(&mut schema.block, careful),
            false if careful => shapes::fit_well_behaved(&mut schema.block),
            false => {}
        }
    }
}

/// The spots of a schema that rules are drawn for.
pub(super) fn spots_of_schema(schema: &Schema, dialect: Dialect) -> Vec<Spot> {
    spots::spots_of(&schema.block, dialect, MOST_SPOTS)
}

/// The schema's spots, rules and bounds that the parts of a model are made from.
struct Kit<'k> {
    spots: &'k [Spot],
    conduct: Conduct,
    is_sdk: bool,
    rules: &'k Rules,
}

/// A framework provider for a schema, and the spots of it.
pub(super) fn framework(
    values: &mut ValueGenerator<'_, '_, '_>,
    schema: &Arc<Schema>,
    dialect: Dialect,
    plot: Plot,
) -> (Model, Vec<Spot>) {
    let spots = spots::spots_of(&schema.block, dialect, MOST_SPOTS);
    let none = Rules::new();
    let kit = Kit { spots: &spots, conduct: plot.conduct, is_sdk: false, rules: &none };
    let rules = behaviours::rules(values, &kit);
    let kit = Kit { rules: &rules, ..kit };
    let plan = resource::plan(values, &kit);
    let mut model = Model::new(Style::Framework { schema: schema.clone(), plan });
    complete(values, &kit, plot, &mut model);
    model.rules = rules;
    (model, spots)
}

/// The SDK's own schema for an adapted schema; `None` for one that it cannot declare.
pub(super) fn sdk_schema(dice: &mut Dice<'_, '_>, schema: &Schema, plot: Plot) -> Option<Arc<SdkSchema>> {
    sdk::schema(dice, schema, plot.conduct, plot.whole).map(Arc::new)
}

/// A provider of the SDK, whose Core schema is `schema`, and the spots of it.
pub(super) fn sdk(
    values: &mut ValueGenerator<'_, '_, '_>,
    sdk_schema: &Arc<SdkSchema>,
    schema: &Schema,
    dialect: Dialect,
    plot: Plot,
) -> (Model, Vec<Spot>) {
    let spots = spots::spots_of(&schema.block, dialect, MOST_SPOTS);
    let none = Rules::new();
    let kit = Kit { spots: &spots, conduct: plot.conduct, is_sdk: true, rules: &none };
    let mut rules = behaviours::rules(values, &kit);
    for (path, canon) in sdk::remote_forms(values, sdk_schema, plot.conduct) {
        rules.entry(path).remote_form = Some(canon);
    }
    let customize_diff = sdk::customize(values, &kit);
    let mut model = Model::new(Style::Sdk { schema: sdk_schema.clone(), customize_diff });
    complete(values, &kit, plot, &mut model);
    model.rules = rules;
    (model, spots)
}

/// What models of both styles have.
fn complete(values: &mut ValueGenerator<'_, '_, '_>, kit: &Kit<'_>, plot: Plot, model: &mut Model) {
    model.validate = resource::checks(values, kit);
    model.respond = if values.dice.chance(96) { Respond::Remote } else { Respond::Plan };
    model.failures = remote::failures(values, kit, if plot.fault.is_none() { 56 } else { 12 });
    model.seed = values.dice.below(4) as u64;
    let name = plot.fault.filter(|name| remote::has_place(*name, kit.spots));
    model.faults.extend(name.map(|name| remote::fault(values, name, kit.spots)));
}
