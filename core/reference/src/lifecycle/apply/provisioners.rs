//! Provisioners (A15, A42).

use crate::lifecycle::walk::Walk;
use planfuzz_core::planner::{Provisioner, summary};
use planfuzz_core::value::WrittenPath;

impl Walk<'_, '_> {
    /// Runs the provisioners of one kind in order; returns whether one failed, so that the rest did not run.
    pub fn provision(&mut self, provisioners: &[Provisioner], on_destroy: bool) -> bool {
        for provisioner in provisioners.iter().filter(|provisioner| provisioner.on_destroy == on_destroy) {
            let rule = if on_destroy { "A42" } else { "A15" };
            // LD44
            if provisioner.fails && !provisioner.on_failure_continue {
                self.error(summary::PROVISIONER, WrittenPath::default(), rule);
                return true;
            }
        }
        false
    }
}
