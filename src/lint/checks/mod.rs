//! The checks, by subject.

mod addresses;
mod configured;
mod drift;
mod flags;
mod imports;
mod moves;
mod no_op;
mod order;
mod outputs;
mod planned;
mod prior;
mod reasons;
mod replace;
mod schema;
mod sensitive;
mod sides;
mod states;

use super::check::Check;

/// All checks, in the order of docs/lint.md.
pub fn checks() -> impl Iterator<Item = &'static Check> {
    let lists: [&'static [Check]; 17] = [
        addresses::CHECKS,
        order::CHECKS,
        sides::CHECKS,
        no_op::CHECKS,
        replace::CHECKS,
        reasons::CHECKS,
        moves::CHECKS,
        imports::CHECKS,
        schema::CHECKS,
        configured::CHECKS,
        sensitive::CHECKS,
        prior::CHECKS,
        drift::CHECKS,
        outputs::CHECKS,
        planned::CHECKS,
        flags::CHECKS,
        states::CHECKS,
    ];
    lists.into_iter().flatten()
}
