//! The size of a case, measured in what a reader has to look at.

use planfuzz_core::json::Json;
use planfuzz_core::schema::{Attribute, Block, NestedType};
use planfuzz_pipelines::model::Style;

use crate::case::{Call, Case, Task};

/// The size of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// The text of its document, in bytes.
    pub bytes: usize,
    /// Nodes of its document.
    pub nodes: usize,
    /// Attributes and blocks of its schema, at every depth, without the `id` that every resource of the SDK has; of a workspace its
    /// resources.
    pub members: usize,
    /// Steps of a scenario or a workspace; 0 of anything else.
    pub steps: usize,
}

impl Size {
    /// The size of a case.
    pub fn of(case: &Case) -> Size {
        let document = case.to_json();
        Size {
            bytes: document.to_compact().len(),
            nodes: nodes(&document),
            members: members(&case.task),
            steps: steps(&case.task),
        }
    }
}

fn nodes(json: &Json) -> usize {
    match json {
        Json::Array(items) => 1 + items.iter().map(nodes).sum::<usize>(),
        Json::Object(members) => 1 + members.iter().map(|(_, value)| nodes(value)).sum::<usize>(),
        _ => 1,
    }
}

fn members(task: &Task) -> usize {
    match task {
        Task::Merge(merge) => members_of_block(&merge.schema.block),
        Task::Call(Call::Merge(call)) => members_of_block(&call.schema().block),
        Task::Call(Call::Scenario(scenario)) => {
            let has_own_id = matches!(scenario.model.style, Style::Sdk { .. });
            members_of_block(&scenario.schema.block) - usize::from(has_own_id)
        }
        Task::Call(Call::Workspace(case)) => planfuzz_workspace_cases::size::resources(case),
        Task::Call(
            Call::Value(_)
            | Call::Schema(_)
            | Call::File(_)
            | Call::Provider(_)
            | Call::Instance(_)
            | Call::Expression(_)
            | Call::WorkspaceRun(_),
        ) => 0,
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

fn steps(task: &Task) -> usize {
    match task {
        Task::Call(Call::Scenario(scenario)) => scenario.steps.len(),
        Task::Call(Call::Workspace(case)) => case.steps.len(),
        Task::Merge(_) | Task::Call(_) => 0,
    }
}
