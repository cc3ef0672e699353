//! What is told of nodes without evaluating anything (E04, E68a), where the validation walk comes to them.
//!
//! Problem: the same fault of a body is found against its schema and by evaluating it, and what depends on a node with a fault must not
//! be looked at. Idea: what is told statically lies ready by node, and is told by its visit. Guarantee: each fault is told once, of nodes
//! that are visited alone.

use std::collections::HashMap;

use planfuzz_language::check::OfNode;
use planfuzz_workspace::Diagnostic;

use crate::command::from_language;
use crate::expr::Evaluated;
use crate::graph::Node;
use crate::names;
use crate::walk::Walk;

/// What is told of a node without evaluating anything.
#[derive(Clone, Debug, Default)]
pub struct Statically {
    told: Vec<Diagnostic>,
    /// What is told of its body.
    of_body: Vec<Diagnostic>,
    /// Whether that is of what the body refers to, so that it is not evaluated.
    is_unread: bool,
    /// What is told of the body where evaluation tells nothing.
    afterwards: Vec<Diagnostic>,
}

impl Walk<'_, '_, '_, '_> {
    /// What is told of nodes without evaluating anything: it is told where they are visited, or at once where there is no such node.
    pub fn knows_statically(&mut self, told: Vec<OfNode>) {
        if told.is_empty() {
            return;
        }
        let graph = &self.wired.graph;
        let name = |id: u32| names::node(graph.nodes[id as usize], self.model, &self.wired);
        let ids: HashMap<String, u32> = (0..graph.len() as u32).map(|id| (name(id), id)).collect();
        for OfNode { node, diagnostics, body } in told {
            let found = [&diagnostics, &body.told, &body.afterwards].map(|told| from_language(told));
            let [told, of_body, afterwards] = found;
            match ids.get(&node) {
                Some(&id) => {
                    let of = self.statically.entry(id).or_default();
                    of.told.extend(told);
                    (of.of_body, of.afterwards, of.is_unread) = (of_body, afterwards, body.is_unread);
                }
                None => self.diagnostics.extend(told.into_iter().chain(of_body)),
            }
        }
    }

    /// Visits a node of which something is told statically.
    pub fn visit_told(&mut self, node: Node, statically: Statically) -> bool {
        let told = statically.told.clone();
        self.of_body = statically;
        let is_fine = self.visit(node);
        // Of a body that was not come to.
        let rest = std::mem::take(&mut self.of_body).of_body;
        self.tell(told) & self.tell(rest) && is_fine
    }

    /// What is told of the body of the node that is visited where its evaluation told nothing.
    pub fn told_afterwards(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.of_body.afterwards)
    }

    /// The value of the body of the node that is visited. What is told of it statically evaluation may find again; where that is of what
    /// it refers to, nothing is evaluated (E68a). What is told where evaluation tells nothing is left for [`Walk::told_afterwards`].
    pub fn body_value(&mut self, evaluate: impl FnOnce(&mut Self) -> Evaluated) -> Evaluated {
        let Statically { of_body, afterwards, is_unread, .. } = std::mem::take(&mut self.of_body);
        if is_unread && !fault!(UnreadEvaluated) {
            return Err(of_body);
        }
        let evaluated = evaluate(self);
        let mut known = of_body.clone();
        let found = evaluated.as_ref().err().into_iter().flatten().filter(|one| {
            let again = known.iter().position(|told| told == *one);
            again.map(|at| known.swap_remove(at)).is_none()
        });
        let told: Vec<Diagnostic> = found.cloned().chain(of_body).collect();
        if told.is_empty() {
            self.of_body.afterwards = afterwards;
            return evaluated;
        }
        Err(told)
    }
}
