//! Provisioners (A15, A42).

use crate::planner::{Diagnostic, Provisioner, summary};
use crate::reference::lifecycle::walk::Walk;
use crate::value::WrittenPath;

impl Walk<'_, '_> {
    /// Runs those of one kind in order; whether one failed, so that the rest did not run.
    pub fn provision(&mut self, provisioners: &[Provisioner], on_destroy: bool) -> bool {
        for provisioner in provisioners.iter().filter(|provisioner| provisioner.on_destroy == on_destroy) {
            let rule = if on_destroy { "A42" } else { "A15" };
            match provisioner {
                Provisioner { fails: false, .. } => {}
                Provisioner { on_failure_continue: true, .. } => {
                    self.diagnostics.push(Diagnostic::warning(summary::PROVISIONER, WrittenPath::default(), rule));
                }
                Provisioner { on_failure_continue: false, .. } => {
                    self.error(summary::PROVISIONER, WrittenPath::default(), rule);
                    return true;
                }
            }
        }
        false
    }
}
