//! Provider models: what a generated provider does.
//!
//! Most are well-behaved by construction (section 4 of provider-model.md), some are so but for one fault of the catalogue, and
//! some do anything. The schema comes first, made fit for what the provider is to be.

mod behaviours;
mod expressions;
mod remote;
mod resource;
mod shapes;
mod spots;

use std::sync::Arc;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::provider::model::{FaultName, Model, Respond, Rules, Style};
use planfuzz_core::schema::Schema;

pub(super) use spots::{Part, Spot};

use super::dice::Dice;
use super::value::Maker;

/// The most attributes and blocks that rules are drawn for.
const MOST_SPOTS: usize = 400;

/// How a provider is to behave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Conduct {
    /// As section 4 asks.
    WellBehaved,
    /// Anyhow.
    Free,
}

/// What kind of provider is to be made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plot {
    pub(super) conduct: Conduct,
    /// The fault or control that it has.
    pub(super) fault: Option<FaultName>,
}

impl Plot {
    /// Seven in ten well-behaved, two with one fault, one free.
    pub(super) fn draw(dice: &mut Dice<'_, '_>) -> Plot {
        match dice.weighted(&[70, 20, 10]) {
            0 => Plot { conduct: Conduct::WellBehaved, fault: None },
            1 => Plot { conduct: Conduct::WellBehaved, fault: Some(*dice.pick(FaultName::ALL)) },
            _ => Plot { conduct: Conduct::Free, fault: None },
        }
    }

    /// Makes an invented schema fit for the provider.
    pub(super) fn fit(self, schema: &mut Schema, dialect: Dialect, framework: bool) {
        if framework {
            shapes::fit_framework(&mut schema.block);
        }
        let lacking = |schema: &Schema, name: &FaultName| {
            !remote::has_place(*name, &spots::spots_of(&schema.block, dialect, MOST_SPOTS))
        };
        if let Some(name) = self.fault.filter(|name| lacking(schema, name)) {
            remote::make_place(name, &mut schema.block);
        }
        if framework && self.conduct == Conduct::WellBehaved {
            shapes::fit_well_behaved(&mut schema.block);
        }
    }
}

/// What the parts of a model are made with.
struct Kit<'k> {
    spots: &'k [Spot],
    conduct: Conduct,
    is_sdk: bool,
    rules: &'k Rules,
}

/// A framework provider for a schema, and the spots of it.
pub(super) fn framework(
    maker: &mut Maker<'_, '_, '_>,
    schema: &Arc<Schema>,
    dialect: Dialect,
    plot: Plot,
) -> (Model, Vec<Spot>) {
    let spots = spots::spots_of(&schema.block, dialect, MOST_SPOTS);
    let none = Rules::new();
    let kit = Kit { spots: &spots, conduct: plot.conduct, is_sdk: false, rules: &none };
    let rules = behaviours::rules(maker, &kit);
    let kit = Kit { rules: &rules, ..kit };
    let plan = resource::plan(maker, &kit);
    let mut model = Model::new(Style::Framework { schema: schema.clone(), plan });
    complete(maker, &kit, plot, &mut model);
    model.rules = rules;
    (model, spots)
}

/// What models of both styles have.
fn complete(maker: &mut Maker<'_, '_, '_>, kit: &Kit<'_>, plot: Plot, model: &mut Model) {
    model.validate = resource::checks(maker, kit);
    model.respond = if maker.dice.chance(96) { Respond::Remote } else { Respond::Plan };
    model.failures = remote::failures(maker, kit, if plot.fault.is_none() { 56 } else { 12 });
    model.seed = maker.dice.below(4) as u64;
    let name = plot.fault.filter(|name| remote::has_place(*name, kit.spots));
    model.faults.extend(name.map(|name| remote::fault(maker, name, kit.spots)));
}
