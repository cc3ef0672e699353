//! Static diagnostics of nodes (E04, E68a), found without evaluating anything and reported where the validation walk visits the nodes.
//!
//! Problem: the same fault of a body is found against its schema and by evaluating it, and nodes that depend on a node with a fault must
//! not be visited. Idea: static diagnostics are kept by node, and the visit of the node reports them. Guarantee: each fault is reported
//! once, and only for nodes that are visited.

use hashbrown::HashMap;
use planfuzz_language::check::OfNode;
use planfuzz_workspace::Diagnostic;

use crate::command::from_language;
use crate::expr::Evaluated;
use crate::graph::Node;
use crate::names;
use crate::walk::Walk;

/// The static diagnostics of a node.
#[derive(Clone, Debug, Default)]
pub struct Statically {
    diagnostics: Vec<Diagnostic>,
    /// Those of its body.
    of_body: Vec<Diagnostic>,
    /// Whether those are of the body's references, so that it is not evaluated.
    is_unread: bool,
    /// Those of the body that are reported if evaluation reports none.
    afterwards: Vec<Diagnostic>,
}

impl Walk<'_, '_, '_, '_> {
    /// Keeps static diagnostics for the visits of their nodes; those of a node that is not in the graph are reported at once.
    pub fn knows_statically(&mut self, of_nodes: Vec<OfNode>) {
        if of_nodes.is_empty() {
            return;
        }
        let graph = &self.wired.graph;
        let name = |id: u32| names::node(graph.nodes[id as usize], self.model, &self.wired);
        let ids: HashMap<String, u32> = (0..graph.len() as u32).map(|id| (name(id), id)).collect();
        for OfNode { node, diagnostics, body } in of_nodes {
            let found = [&diagnostics, &body.diagnostics, &body.afterwards].map(|one| from_language(one));
            let [of_node, of_body, afterwards] = found;
            match ids.get(&node) {
                Some(&id) => {
                    let of = self.statically.entry(id).or_default();
                    of.diagnostics.extend(of_node);
                    (of.of_body, of.afterwards, of.is_unread) = (of_body, afterwards, body.is_unread);
                }
                None => self.results.diagnostics.extend(of_node.into_iter().chain(of_body)),
            }
        }
    }

    /// Visits a node that has static diagnostics.
    pub fn visit_with_diagnostics(&mut self, node: Node, statically: Statically) -> bool {
        let diagnostics = statically.diagnostics.clone();
        self.of_body = statically;
        let is_fine = self.visit(node);
        // The diagnostics of a body that was not evaluated.
        let rest = std::mem::take(&mut self.of_body).of_body;
        self.report(diagnostics) & self.report(rest) && is_fine
    }

    /// The static diagnostics of the visited node's body for the case that its evaluation reported none.
    pub fn diagnostics_afterwards(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.of_body.afterwards)
    }

    /// The value of the body of the visited node. Evaluation may report its static diagnostics again; with faulty references nothing is
    /// evaluated (E68a). Diagnostics for the case that evaluation reports none are left for [`Walk::diagnostics_afterwards`].
    pub fn body_value(&mut self, evaluate: impl FnOnce(&mut Self) -> Evaluated) -> Evaluated {
        let Statically { of_body, afterwards, is_unread, .. } = std::mem::take(&mut self.of_body);
        if is_unread && !fault!(UnreadEvaluated) {
            return Err(of_body);
        }
        let evaluated = evaluate(self);
        let mut known = of_body.clone();
        let found = evaluated.as_ref().err().into_iter().flatten().filter(|one| {
            let again = known.iter().position(|other| other == *one);
            again.map(|at| known.swap_remove(at)).is_none()
        });
        let diagnostics: Vec<Diagnostic> = found.cloned().chain(of_body).collect();
        if diagnostics.is_empty() {
            self.of_body.afterwards = afterwards;
            return evaluated;
        }
        Err(diagnostics)
    }
}
