//! Checks a configuration without planning it (E01 to E72), stage by stage: if a stage has errors, the later stages are not run.

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
pub use body::expansion::ExpansionRoots;
pub use imports::Imports;
pub use installed::load;
pub use part::{Declarations, NameScope, Parts};
pub use references::{RuleFaults, RuleOf, Seen, UNKNOWN_VARIABLE, is_address, names_value};
pub use schemas::{ProviderSchema, Schemas};
pub use values::Evaluate;

use crate::config::Configuration;
use crate::diagnostic::Diagnostic;
use crate::sources::Sources;

/// The diagnostics of a configuration, for a caller that walks the graph itself.
#[derive(Clone, Debug)]
pub enum ConfigurationDiagnostics {
    /// E03: the graph cannot be made; nothing is evaluated and no provider called.
    Before(BeforeWalk),
    /// E04: of the walk, by node.
    Walk(Vec<OfNode>),
}

/// The diagnostics of making the graph.
#[derive(Clone, Debug)]
pub struct BeforeWalk {
    /// The step that failed; later steps are not run.
    pub step: Step,
    /// The errors.
    pub diagnostics: Vec<Diagnostic>,
}

/// The steps of making the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Provisioners.
    Provisioners,
    /// Arguments of calls, and missing provider configurations that calls pass on.
    Modules,
    /// Resources whose provider configuration is not there (E177).
    Providers,
    /// Cycles.
    Cycles,
}

/// The diagnostics of one node of the graph.
#[derive(Clone, Debug)]
pub struct OfNode {
    /// Its name, as the engine prints it in cycles; empty for diagnostics that belong to no node.
    pub node: String,
    /// The diagnostics that do not depend on evaluation.
    pub diagnostics: Vec<Diagnostic>,
    /// The diagnostics of its body.
    pub body: OfBody,
}

/// The diagnostics of a body that the caller evaluates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OfBody {
    /// The diagnostics; evaluation may report the same ones.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether they are about references: the body is then not evaluated, and no provider called (E68a).
    pub is_unread: bool,
    /// The diagnostics to report if evaluation has none.
    pub afterwards: Vec<Diagnostic>,
}

/// Validates a configuration that was loaded without errors: reports the diagnostics of making the graph (E03), or, if there are none, of
/// the walk (E04), as far as it needs no values but plain constants.
pub fn validate(configuration: &Configuration, sources: &Sources, schemas: &Schemas) -> Vec<Diagnostic> {
    validate_by(configuration, sources, schemas, None)
}

/// Like [`validate`], for a caller that walks the graph, skips the dependents of failed nodes, and evaluates. The caller reports on
/// stand-alone expressions and on rules itself ([`Declarations`]). Nodes evaluate imports, or imports belong to no node (G49).
pub fn of_nodes(
    configuration: &Configuration,
    sources: &Sources,
    schemas: &Schemas,
    imports: Imports,
) -> ConfigurationDiagnostics {
    match before_walk(configuration, sources, schemas) {
        Err(before) => ConfigurationDiagnostics::Before(before),
        Ok(_) => ConfigurationDiagnostics::Walk(walk::of_nodes(configuration, sources, schemas, imports)),
    }
}

/// The diagnostics of modules and their providers when a graph is made without a validation, as the command `import` does (G15).
pub fn of_modules(configuration: &Configuration, schemas: &Schemas) -> Option<BeforeWalk> {
    graph::of_modules(configuration, schemas).err()
}

/// Validates with an evaluator: reports all diagnostics of the walk that need no provider.
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
        Err(before) => before.diagnostics,
        Ok(graph) => walk::walk(configuration, sources, schemas, &graph, evaluate),
    }
}

/// The graph, or the diagnostics of making it.
fn before_walk<'s>(
    configuration: &Configuration,
    sources: &'s Sources,
    schemas: &'s Schemas,
) -> Result<cycle::Graph<'s>, BeforeWalk> {
    graph::graph_checks(configuration, schemas)?;
    let graph = cycle::graph(configuration, sources, schemas);
    let cycles = cycle::cycles(&graph);
    if cycles.is_empty() { Ok(graph) } else { Err(BeforeWalk { step: Step::Cycles, diagnostics: cycles }) }
}
