//! Conditions (L30, L113, A17).

use planfuzz_core::planner::{Configured, Diagnostic, Severity, summary};
use planfuzz_core::value::{Tri, WrittenPath};

use super::walk::{Step, Walk, stop_if};

impl Walk<'_, '_> {
    /// L30. An unknown one passes for now.
    pub fn preconditions(&mut self, configured: &Configured, severity: Severity) -> Step<()> {
        self.conditions(&configured.preconditions, summary::PRECONDITION, severity, "L30")
    }

    /// L113, A17.
    pub fn postconditions(&mut self, configured: &Configured, severity: Severity) -> Step<()> {
        self.conditions(&configured.postconditions, summary::POSTCONDITION, severity, "L113")
    }

    fn conditions(&mut self, hold: &[Tri], what: &'static str, severity: Severity, rule: &'static str) -> Step<()> {
        let broken = hold.iter().filter(|holds| **holds == Tri::False).count();
        for _ in 0..broken {
            let path = WrittenPath::default();
            self.diagnostics.push(Diagnostic { severity, summary: what.into(), path, rule });
        }
        stop_if(broken > 0 && severity == Severity::Error)
    }
}
