//! What several tests measure with.

mod cores;

pub use cores::on_every_core;

use planfuzz::case::{Call, Case, Task};
use planfuzz_core::provider::model::Style;
use planfuzz_core::schema::{Attribute, Block, NestedType};

/// Attributes and blocks of the schema of a case, at every depth, without the `id` that every resource of the SDK has.
pub fn members(case: &Case) -> usize {
    match &case.task {
        Task::Merge(merge) => members_of_block(&merge.schema.block),
        Task::Call(Call::Merge(call)) => members_of_block(&call.schema().block),
        Task::Call(Call::Scenario(scenario)) => {
            let has_own_id = matches!(scenario.model.style, Style::Sdk { .. });
            members_of_block(&scenario.schema.block) - usize::from(has_own_id)
        }
        Task::Call(Call::Value(_) | Call::Schema(_) | Call::Provider(_) | Call::Instance(_)) => 0,
    }
}

fn members_of_block(block: &Block) -> usize {
    let blocks: usize = block.block_types.values().map(|nested| 1 + members_of_block(&nested.block)).sum();
    block.attributes.values().map(members_of_attribute).sum::<usize>() + blocks
}

fn members_of_attribute(attribute: &Attribute) -> usize {
    let inside = |nested: &NestedType| nested.attributes.values().map(members_of_attribute).sum();
    1 + attribute.nested_type().map_or(0, inside)
}

/// Steps of a scenario.
pub fn steps(case: &Case) -> usize {
    match &case.task {
        Task::Call(Call::Scenario(scenario)) => scenario.steps.len(),
        Task::Merge(_) | Task::Call(_) => 0,
    }
}
