//! Behaviour of the whole resource: checks, plan rules, plan customisation.

use planfuzz_core::value::{Path, WrittenPath};
use planfuzz_pipelines::expression::{Cond, Expr, Operation};
use planfuzz_pipelines::rules::{PlanRule, ReplacePath, ResourceCheck};

use super::super::value::ValueGenerator;
use super::behaviours::some_names;
use super::expressions::{self, Bounds, DEPTH, Reach};
use super::spots::{Part, Spot};
use super::{Conduct, Kit};
use crate::generate::dice::weighted;

/// Checks on the whole configuration (section 3.1).
pub(super) fn checks(values: &mut ValueGenerator<'_, '_, '_>, kit: &Kit<'_>) -> Vec<ResourceCheck> {
    let count = values.dice.run(28, 2);
    (0..count).filter_map(|_| check(values, kit)).collect()
}

fn check(values: &mut ValueGenerator<'_, '_, '_>, kit: &Kit<'_>) -> Option<ResourceCheck> {
    let kind = values.dice.below(5);
    if kind == 0 {
        let reach = Reach { spots: kit.spots, of: None, bounds: kit.conduct.of_checks() };
        let rare = Cond::All(vec![reach.cond(values, DEPTH - 1), reach.cond(values, DEPTH - 1)]);
        return Some(ResourceCheck::ErrorIf(rare));
    }
    let names = some_names(values, kit.spots);
    let check = match (kind, names.len()) {
        (_, 0) => return None,
        (1, _) => ResourceCheck::Conflicts(names),
        (2, _) => ResourceCheck::Together(names),
        (3, _) => ResourceCheck::ExactlyOne(names),
        _ => ResourceCheck::AtLeastOne(names),
    };
    Some(check)
}

/// Resource-level plan modification of the framework (section 3.2); mostly none.
pub(super) fn plan(values: &mut ValueGenerator<'_, '_, '_>, kit: &Kit<'_>) -> Option<Vec<PlanRule>> {
    if !values.dice.chance(80) {
        return None;
    }
    let count = values.dice.run(200, 3);
    let mut rules: Vec<PlanRule> = (0..count).filter_map(|_| rule(values, kit, true)).collect();
    if kit.conduct == Conduct::WellBehaved {
        // W4: one default for an attribute.
        let mut decided = Vec::new();
        rules.retain(|rule| match rule {
            PlanRule::Default(name, ..) if decided.contains(name) => false,
            PlanRule::Default(name, ..) => {
                decided.push(name.clone());
                true
            }
            _ => true,
        });
    }
    Some(rules)
}

/// The kinds of rules of a plan.
enum Kind {
    RequiresReplace,
    ErrorIf,
    ReplaceIf,
    Default,
    UnknownIf,
    Set,
    SetAll,
    When,
}

fn rule(values: &mut ValueGenerator<'_, '_, '_>, kit: &Kit<'_>, outer: bool) -> Option<PlanRule> {
    let careful = kit.conduct == Conduct::WellBehaved;
    let free = u8::from(!careful);
    let reach = |bounds| Reach { spots: kit.spots, of: None, bounds };
    let bounds = if careful { Bounds::Monotone } else { Bounds::Free };
    let kind = weighted! {
        values.dice;
        16 => Kind::RequiresReplace,
        24 => Kind::ErrorIf,
        36 => Kind::ReplaceIf,
        24 => Kind::Default,
        24 => Kind::UnknownIf,
        20 * free => Kind::Set,
        10 * free => Kind::SetAll,
        24 * u8::from(outer) * free => Kind::When,
    };
    let replaceable = |spot: &Spot| !spot.is_block() && (!careful || !spot.computed);
    // W4: at most one rule decides a value, so a plan rule is made only where there is no modifier or default.
    let decided = |spot: &Spot| {
        let ruled = kit.rules.get(&spot.path).is_some_and(|rule| rule.default.is_some() || !rule.plan.is_empty());
        spot.computed && spot.part == Part::Leaf && !(careful && ruled)
    };
    Some(match kind {
        Kind::RequiresReplace => PlanRule::RequiresReplace(replaced(values, kit, careful)?),
        Kind::ErrorIf => PlanRule::ErrorIf(Cond::All(vec![
            reach(Bounds::Free).cond(values, DEPTH - 1),
            match values.dice.below(3) {
                0 => Cond::Op(Operation::Destroy),
                _ => reach(Bounds::Free).cond(values, DEPTH - 1),
            },
        ])),
        Kind::ReplaceIf => {
            let (_, name) = expressions::top_name(values, kit.spots, replaceable)?;
            PlanRule::ReplaceIf(name, reach(bounds).cond(values, DEPTH))
        }
        Kind::Default => {
            let (path, name) = expressions::top_name(values, kit.spots, decided)?;
            let ty = kit.spots.iter().find(|spot| spot.path == *path)?.ty.clone();
            let reach = reach(if careful { Bounds::Configured } else { Bounds::Free });
            PlanRule::Default(name, reach.cond(values, DEPTH - 1), reach.expr(values, &ty, DEPTH - 1))
        }
        Kind::UnknownIf => {
            let (_, name) = expressions::top_name(values, kit.spots, |spot| spot.computed && !spot.is_block())?;
            let cond = if careful { reach(bounds).change(values) } else { reach(bounds).cond(values, DEPTH) };
            PlanRule::UnknownIf(name, cond)
        }
        Kind::Set => {
            let (path, name) = expressions::top_name(values, kit.spots, |_| true)?;
            let ty = kit.spots.iter().find(|spot| spot.path == *path)?.ty.clone();
            PlanRule::Set(name, reach(bounds).expr(values, &ty, DEPTH))
        }
        Kind::SetAll => PlanRule::SetAll(if values.dice.chance(128) { Expr::Null } else { Expr::Unknown }),
        Kind::When => PlanRule::When(reach(bounds).cond(values, DEPTH - 1), Box::new(rule(values, kit, false)?)),
    })
}

/// What is added to the replacement list: a top-level attribute, or any path.
fn replaced(values: &mut ValueGenerator<'_, '_, '_>, kit: &Kit<'_>, careful: bool) -> Option<ReplacePath> {
    let (_, name) = expressions::top_name(values, kit.spots, |spot| !careful || !spot.computed && !spot.is_block())?;
    if careful || values.dice.chance(128) {
        return Some(ReplacePath::Name(name));
    }
    let root = Path::root().attribute(&name);
    let path = match values.dice.below(4) {
        0 => root.index(values.dice.below(2)),
        1 => root.key(&values.pools.keys[0]),
        2 => root.attribute(&values.pools.names[0]),
        _ => root,
    };
    Some(ReplacePath::Path(WrittenPath::from(&path)))
}
