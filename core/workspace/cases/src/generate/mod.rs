//! Generated cases: a workspace that is grown, and the steps that people take with it.
//!
//! Problem: a planner of workspaces is wrong where things meet: a rename beside a failure, a target beside a replacement. Idea: a workspace
//! is grown type by type, so that nearly all of it is valid, and then goes through edits, drift, failures and commands. Every choice comes
//! from a seed or from bytes ([`Choices`]). Guarantee: a case lists its features, and a test checks that each feature is frequent enough.

mod choices;
mod edit;
mod expression;
mod flaws;
mod grow;
mod imports;
pub mod kit;
pub mod names;
mod nested;
mod project;
mod render;
mod settings;
mod steps;
mod stored;
mod tangles;

use std::collections::BTreeSet;

use planfuzz_core::dialect::{Dialect, Engine};

pub use choices::Choices;
pub(crate) use flaws::WRONG;
pub use project::{Block, Expr, Module, ModuleCall, Nested, Output, Project, Repeat, Target};
pub use render::files;
pub use settings::Settings;
pub(crate) use steps::fit;

use crate::case::Case;
use grow::Grower;

/// A generated case.
#[derive(Clone, Debug)]
pub struct Made {
    /// The case.
    pub case: Case,
    /// The features that it has.
    pub features: BTreeSet<&'static str>,
}

/// The case that a sequence of choices makes.
pub fn case(settings: Settings, dialect: Dialect, choices: &mut Choices<'_>) -> Made {
    let project = Project::default();
    let mut grower = Grower { choices, settings, project, edited: Vec::new(), leaves_old: None, left_behind: None };
    grower.grow();
    let state = if grower.choices.chance(2) { grower.old_object_alone(dialect.engine()) } else { None };
    let mut features = features_of(&grower.project);
    features.extend(state.as_ref().map(|_| "old object alone"));
    let files = files(&grower.project);
    let mut steps = steps::steps(&mut grower, &mut features);
    // G117
    if dialect.engine() == Engine::OpenTofu {
        steps.iter_mut().for_each(|step| steps::exclude(step, grower.choices, &mut features));
    }
    let providers = kit::providers(dialect.engine());
    let case = Case { dialect, purpose: None, providers, models: kit::models(), files, state, steps };
    Made { case, features }
}

/// The features of a project.
fn features_of(project: &Project) -> BTreeSet<&'static str> {
    let mut found = BTreeSet::new();
    let mut add = |is_there: bool, name: &'static str| {
        if is_there {
            found.insert(name);
        }
    };
    for module in &project.modules {
        let is_ephemeral = |value: &Expr| match value {
            Expr::Ref(Target::Block { id, .. }) => module.block(*id).is_some_and(|of| of.kind == kit::Kind::Ephemeral),
            Expr::Ref(Target::Variable(id)) => module.variables.iter().any(|it| it.id == *id && it.ephemeral),
            Expr::Ref(Target::Output { output, .. }) => {
                let outputs = project.modules.iter().flat_map(|module| &module.outputs);
                outputs.filter(|it| it.id == *output).any(|it| it.ephemeral)
            }
            _ => false,
        };
        add(!module.locals.is_empty(), "locals");
        add(module.variables.iter().any(|variable| variable.ephemeral), "ephemeral variable");
        add(module.outputs.iter().any(|output| output.ephemeral), "ephemeral output");
        let is_plain = |output: &Output| output.ephemeral && !is_ephemeral(&output.value);
        add(module.outputs.iter().any(is_plain), "misused ephemeral output");
        add(!module.variables.is_empty(), "variables");
        add(!module.outputs.is_empty(), "outputs");
        add(!module.checks.is_empty(), "check");
        add(module.checks.iter().any(|check| check.data.is_some()), "data in a check");
        add(!module.aliases.is_empty(), "provider alias");
        add(!module.takes.is_empty(), "provider alias taken");
        let has_default = module.default_label.is_some();
        add(has_default, if module.dir.is_empty() { "default provider" } else { "provider of a module" });
        add(module.variables.iter().any(|variable| variable.validated), "validation");
        add(module.calls.iter().any(|call| call.repeat != Repeat::One), "module repeated");
        add(!module.calls.is_empty() && !module.dir.is_empty(), "module in a module");
        for block in &module.blocks {
            add(!module.dir.is_empty(), "block in a module");
            add(matches!(block.repeat, Repeat::Count(..)), "count");
            add(matches!(block.repeat, Repeat::Each(..)), "for_each");
            add(!block.depends_on.is_empty(), "depends_on");
            add(block.kind == kit::Kind::Info, "data");
            add(block.kind == kit::Kind::Ephemeral, "ephemeral");
            add(block.kind == kit::Kind::Builtin, "terraform_data");
            add(block.kind == kit::Kind::Null, "null_resource");
            add(!block.nested.is_empty(), "nested blocks");
            add(block.nested.iter().any(|nested| nested.for_each.is_some()), "dynamic blocks");
            let is_unsure = |nested: &Nested| matches!(nested.for_each, Some(Expr::Function("distinct", _)));
            add(block.nested.iter().any(is_unsure), "dynamic blocks of what may be unknown");
            add(block.nested.iter().any(|nested| !nested.inside.is_empty()), "blocks in blocks");
            add(block.nested.iter().any(|nested| nested.label.is_some()), "blocks with labels");
            add(block.nested.iter().any(|nested| matches!(nested.type_name, "only" | "spare")), "single blocks");
            let is_whole = |(_, value): &(String, Expr)| matches!(value, Expr::Ref(Target::Whole(_)));
            add(block.args.iter().any(is_whole), "whole reference");
            add(block.args.iter().any(|(name, _)| name == "wo"), "write-only value");
            add(block.args.iter().any(|(name, value)| name == "wo" && is_ephemeral(value)), "ephemeral value");
            add(
                block.args.iter().any(|(name, value)| name == "note" && is_ephemeral(value)),
                "misused ephemeral value",
            );
            let lifecycle = &block.lifecycle;
            add(lifecycle.create_before_destroy == Some(true), "create_before_destroy");
            add(lifecycle.prevent_destroy, "prevent_destroy");
            add(!lifecycle.ignore_changes.is_empty(), "ignore_changes");
            add(!lifecycle.triggers.is_empty(), "replace_triggered_by");
            add(lifecycle.precondition.is_some(), "precondition");
            add(lifecycle.postcondition.is_some(), "postcondition");
        }
    }
    found
}
