//! How much a walk may expand and list.
//!
//! Problem: a short text can ask for a thousand million instances, and a chain of N blocks stores N²/2 dependencies. Guarantee: both end,
//! before the memory is taken, with one error that names the limit and the place, and how much was wanted.

use planfuzz_workspace::Diagnostic;

/// Instances of all blocks and calls of a walk together.
pub const INSTANCES: u64 = 20_000;
/// Dependencies of all instances of a walk together.
pub const DEPENDENCIES: u64 = 1_000_000;

/// The remaining room of a walk.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    instances: u64,
    dependencies: u64,
}

impl Default for Room {
    fn default() -> Room {
        Room { instances: INSTANCES, dependencies: DEPENDENCIES }
    }
}

impl Room {
    /// Takes room for the instances of a block or a call.
    pub fn expand(&mut self, place: &str, wanted: u64) -> Result<(), Vec<Diagnostic>> {
        take(&mut self.instances, wanted).ok_or_else(|| too_much(place, "instances", wanted, INSTANCES))
    }

    /// Takes room for the dependencies of a block.
    pub fn depend(&mut self, place: &str, wanted: u64) -> Result<(), Vec<Diagnostic>> {
        take(&mut self.dependencies, wanted).ok_or_else(|| too_much(place, "dependencies", wanted, DEPENDENCIES))
    }
}

fn take(left: &mut u64, wanted: u64) -> Option<()> {
    *left = left.checked_sub(wanted)?;
    Some(())
}

fn too_much(place: &str, what: &str, wanted: u64, bound: u64) -> Vec<Diagnostic> {
    let text = format!("Workspace too large: {place} has {wanted} {what}, and a workspace may have {bound} in all");
    vec![Diagnostic::error(text)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taken_room_is_gone_and_a_refusal_names_the_resource_and_the_limit() {
        let mut room = Room::default();
        assert!(room.expand("w_thing.a", INSTANCES - 1).is_ok());
        let errors = room.expand("w_thing.b", 2).expect_err("no room");
        assert_eq!(
            errors[0].summary,
            "Workspace too large: w_thing.b has 2 instances, and a workspace may have 20000 in all"
        );
        assert!(room.expand("w_thing.c", 1).is_ok() && room.expand("w_thing.d", 1).is_err());
        assert!(room.depend("w_thing.a", u64::MAX).is_err());
    }
}
