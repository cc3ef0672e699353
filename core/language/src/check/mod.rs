//! What can be told of a configuration without planning it (E01 to E72), stage by stage: errors of one end the command, those of
//! later ones are not looked for.

mod body;
mod constants;
mod cycle;
mod declared;
mod graph;
mod imports;
mod part;
mod providers;
mod references;
mod schemas;
mod unknown_body;
mod values;
mod walk;

pub use part::Parts;
pub use schemas::{ProviderSchema, Schemas, local_name, provider_source};
pub use values::Evaluate;

use crate::config::Configuration;
use crate::diagnostic::Diagnostic;
use crate::sources::Sources;

/// At which stage validation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// E03: when the graph was made, so that nothing is evaluated and no provider asked.
    Graph,
    /// E04: in the walk.
    Walk,
}

/// What validation says of a configuration that was loaded without errors: of the stage of the graph (E03), or, where that says nothing,
/// of the walk (E04) as far as it needs no values but plain constants.
pub fn validate(configuration: &Configuration, sources: &Sources, schemas: &Schemas) -> Vec<Diagnostic> {
    validate_by(configuration, sources, schemas, None).1
}

/// The same with the stage of which it is.
pub fn validate_in_stages(
    configuration: &Configuration,
    sources: &Sources,
    schemas: &Schemas,
) -> (Stage, Vec<Diagnostic>) {
    validate_by(configuration, sources, schemas, None)
}

/// The same with an evaluator: of the walk all that needs no provider.
pub fn validate_with(
    configuration: &Configuration,
    sources: &Sources,
    schemas: &Schemas,
    evaluate: Evaluate<'_>,
) -> Vec<Diagnostic> {
    validate_by(configuration, sources, schemas, Some(evaluate)).1
}

fn validate_by(
    configuration: &Configuration,
    sources: &Sources,
    schemas: &Schemas,
    evaluate: Option<Evaluate<'_>>,
) -> (Stage, Vec<Diagnostic>) {
    let found = graph::graph_checks(configuration);
    if !found.is_empty() {
        return (Stage::Graph, found);
    }
    let graph = cycle::graph(configuration, sources);
    let cycles = cycle::cycles(&graph);
    if !cycles.is_empty() {
        return (Stage::Graph, cycles);
    }
    (Stage::Walk, walk::walk(configuration, sources, schemas, &graph, evaluate))
}
