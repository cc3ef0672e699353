//! What can be told of a configuration without planning it (E01 to E72), stage by stage: errors of one end the command, those of
//! later ones are not looked for.

mod body;
mod constants;
mod cycle;
mod declared;
mod graph;
mod imports;
mod installed;
mod part;
mod providers;
mod references;
mod schemas;
mod traversal;
mod unknown_body;
mod values;
mod walk;

pub use body::Contents;
pub use imports::Imports;
pub use installed::load;
pub use part::{Declarations, NameScope, Parts};
pub use references::{RuleFaults, RuleOf, Seen, UNKNOWN_VARIABLE, names_value};
pub use schemas::{ProviderSchema, Schemas};
pub use values::Evaluate;

use crate::config::Configuration;
use crate::diagnostic::Diagnostic;
use crate::sources::Sources;

/// What is told of a configuration, for whoever walks it.
#[derive(Clone, Debug)]
pub enum Told {
    /// E03: when the graph was made, so that nothing is evaluated and no provider asked.
    Before(BeforeWalk),
    /// E04: in the walk, whoever depends on whom.
    Walk(Vec<OfNode>),
}

/// What is told when the graph is made.
#[derive(Clone, Debug)]
pub struct BeforeWalk {
    /// At which step; what those after it would tell is not told.
    pub step: Step,
    /// What is told: errors.
    pub told: Vec<Diagnostic>,
}

/// The steps in which a graph is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Provisioners.
    Provisioners,
    /// Arguments of calls, configurations of providers that are not there to be passed on.
    Modules,
    /// Resources whose provider configuration is not there (E177).
    Providers,
    /// Cycles.
    Cycles,
}

/// What is told of one node of the graph.
#[derive(Clone, Debug)]
pub struct OfNode {
    /// Its name, as the engine gives it in cycles; empty for what is of no node.
    pub node: String,
    /// What is told, whatever comes of evaluation.
    pub diagnostics: Vec<Diagnostic>,
    /// What is told of its body.
    pub body: OfBody,
}

/// What is told of a body that somebody evaluates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OfBody {
    /// What is told; evaluation may come to tell it again.
    pub told: Vec<Diagnostic>,
    /// Whether that is of what the body refers to: then it is not evaluated, and no provider asked (E68a).
    pub is_unread: bool,
    /// What is told where evaluation tells nothing.
    pub afterwards: Vec<Diagnostic>,
}

/// What validation says of a configuration that was loaded without errors: of the stage of the graph (E03), or, where that says nothing,
/// of the walk (E04) as far as it needs no values but plain constants.
pub fn validate(configuration: &Configuration, sources: &Sources, schemas: &Schemas) -> Vec<Diagnostic> {
    validate_by(configuration, sources, schemas, None)
}

/// The same for whoever walks the graph, skips what depends on nodes with errors, and evaluates: of expressions that stand alone, and of
/// rules, it tells by itself what there is to be told ([`Declarations`]). Imports are evaluated by their nodes, or are of no node (G49).
pub fn of_nodes(configuration: &Configuration, sources: &Sources, schemas: &Schemas, imports: Imports) -> Told {
    match before_walk(configuration, sources, schemas) {
        Err(before) => Told::Before(before),
        Ok(_) => Told::Walk(walk::of_nodes(configuration, sources, schemas, imports)),
    }
}

/// What is told of modules and their providers when a graph is made without a validation, as the command `import` makes one (G15).
pub fn of_modules(configuration: &Configuration, schemas: &Schemas) -> Option<BeforeWalk> {
    graph::of_modules(configuration, schemas).err()
}

/// What validation says with an evaluator: of the walk all that needs no provider.
pub fn validate_with(
    configuration: &Configuration,
    sources: &Sources,
    schemas: &Schemas,
    evaluate: Evaluate<'_>,
) -> Vec<Diagnostic> {
    validate_by(configuration, sources, schemas, Some(evaluate))
}

fn validate_by(
    configuration: &Configuration,
    sources: &Sources,
    schemas: &Schemas,
    evaluate: Option<Evaluate<'_>>,
) -> Vec<Diagnostic> {
    match before_walk(configuration, sources, schemas) {
        Err(before) => before.told,
        Ok(graph) => walk::walk(configuration, sources, schemas, &graph, evaluate),
    }
}

/// The graph, or what is told of it.
fn before_walk<'s>(
    configuration: &Configuration,
    sources: &'s Sources,
    schemas: &'s Schemas,
) -> Result<cycle::Graph<'s>, BeforeWalk> {
    graph::graph_checks(configuration, schemas)?;
    let graph = cycle::graph(configuration, sources, schemas);
    let cycles = cycle::cycles(&graph);
    if cycles.is_empty() { Ok(graph) } else { Err(BeforeWalk { step: Step::Cycles, told: cycles }) }
}
