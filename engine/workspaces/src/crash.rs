//! Questions that an engine is known to die of: it is not asked them.

use planfuzz_core::address::{AbsResourceInstance, ProviderConfig, ResourceMode};
use planfuzz_core::dialect::Engine;
use planfuzz_core::plans::AddressedChange;
use planfuzz_core::state::{DeposedKey, InstanceState};
use planfuzz_workspace::{CheckEntry, Planned, State, Workspace};

/// Why a question is left out that an engine is known to crash of (docs/trophies.md), if it is.
pub fn known_crash(workspace: &Workspace, planned: &Planned) -> Option<&'static str> {
    if workspace.dialect.engine() != Engine::Terraform {
        return None;
    }
    if excludes_move(planned) && workspace.state.iter().any(has_deposed_alone) {
        return Some(CROSSES);
    }
    let plan = planned.plan.as_ref()?;
    if plan.checks.0.values().any(is_of_ephemeral) {
        return Some("a plan with conditions of ephemeral resources, which the engine dies of as it shows it");
    }
    let crosses = workspace.state.iter().any(|stored| {
        plan.changes.iter().any(|change| crosses_deposed(stored, change))
            || plan.prior.instances().any(|(address, _, now)| has_other_type(stored, &address, now))
    });
    crosses.then_some(CROSSES)
}

/// Why a question is left out whose moves the engine dies of.
const CROSSES: &str = "a deposed object alone that comes to another provider, which the engine dies of";

/// Whether moves are refused because targets leave them out: the engine has made them before, and no plan shows which.
fn excludes_move(planned: &Planned) -> bool {
    planned.diagnostics.iter().any(|one| one.summary == "Moved resource instances excluded by targeting")
}

/// Whether some instance is stored with deposed objects alone.
fn has_deposed_alone(stored: &State) -> bool {
    stored.instances().any(|(_, _, one)| one.current.is_none() && !one.deposed.is_empty())
}

/// The format of plans as JSON has no form for the conditions of these.
fn is_of_ephemeral(checked: &CheckEntry) -> bool {
    checked.resource.as_ref().is_some_and(|one| one.mode == ResourceMode::Ephemeral)
}

/// Whether a deposed object moves to another provider that is stored without a current one beside it: its resource keeps the old provider
/// (G31). The plan of a destruction begins with what moved before, so that the stored state is asked where it was.
fn crosses_deposed(stored: &State, change: &AddressedChange) -> bool {
    let Some(key) = change.deposed() else { return false };
    alone(stored, key).any(|(address, provider)| address != change.addr && provider.source != change.provider.source)
}

/// The same of a move to another type, for a plan whose errors leave the change out.
fn has_other_type(stored: &State, address: &AbsResourceInstance, now: &InstanceState) -> bool {
    let is_other = |before: &AbsResourceInstance| before.resource.type_name != address.resource.type_name;
    // Few instances have deposed objects, so that this costs little.
    now.deposed.keys().any(|key| alone(stored, key).any(|(before, _)| is_other(&before)))
}

/// The instances that are stored with this deposed object and without a current one, with their providers.
fn alone<'s>(
    stored: &'s State,
    key: &'s DeposedKey,
) -> impl Iterator<Item = (AbsResourceInstance, &'s ProviderConfig)> {
    let alone = stored.instances().filter(move |(_, _, one)| one.current.is_none() && one.deposed.contains_key(key));
    alone.map(|(address, provider, _)| (address, provider))
}
