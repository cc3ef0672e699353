//! Mistakes made on purpose, one at a time: what the comparison with the reference is measured by.

use std::cell::Cell;

/// A mistake: each a plausible slip of a planner that saves work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// G64: blocks do not wait for their provider.
    ProviderNotAwaited,
    /// G66: nodes of a module do not wait for its begin.
    BeginNotAwaited,
    /// G78: an output means its whole module.
    OutputIsModule,
    /// G79: a module means its outputs alone.
    ModuleIsOutputs,
    /// G83: stored lists order nothing.
    StoredListsForgotten,
    /// G84: instances of a module wait for each other's objects.
    ApartForgotten,
    /// G111: a block that is named plans all its instances.
    AllInstancesTargeted,
    /// G113: outputs of constants are kept.
    ConstantOutputsKept,
    /// G120: what a failed node reaches is visited.
    FailedGoOn,
    /// G121: only the last instance of a block decides whether it failed.
    LastInstanceDecides,
    /// G130: only what names a flagged block directly is forced.
    ForcedDirectly,
    /// G140: data are no dependencies.
    DataNoDependency,
    /// G95: direct references defer nothing.
    DirectReferencesForgotten,
    /// G27: a chain of moves forgets where it began.
    ChainForgotten,
    /// E112: an instance that is not declared is left alone.
    OrphansLeft,
    /// L190: outputs are always updates.
    OutputsAlwaysUpdated,
    /// U34: the halves of a replacement have no order.
    HalvesUnordered,
    /// U35: nothing that is made waits for what is destroyed.
    MakesFirst,
    /// U36: what depends on an object is destroyed in any order.
    DestroysUnordered,
    /// U38: the stored flag of a deleted object is not looked at.
    FlagForgotten,
    /// U104: husks stay.
    HusksStay,
}

impl Fault {
    /// All of them.
    pub const ALL: [Fault; 21] = [
        Fault::ProviderNotAwaited,
        Fault::BeginNotAwaited,
        Fault::OutputIsModule,
        Fault::ModuleIsOutputs,
        Fault::StoredListsForgotten,
        Fault::ApartForgotten,
        Fault::AllInstancesTargeted,
        Fault::ConstantOutputsKept,
        Fault::FailedGoOn,
        Fault::LastInstanceDecides,
        Fault::ForcedDirectly,
        Fault::DataNoDependency,
        Fault::DirectReferencesForgotten,
        Fault::ChainForgotten,
        Fault::OrphansLeft,
        Fault::OutputsAlwaysUpdated,
        Fault::HalvesUnordered,
        Fault::MakesFirst,
        Fault::DestroysUnordered,
        Fault::FlagForgotten,
        Fault::HusksStay,
    ];
}

thread_local! {
    static PLANTED: Cell<Option<Fault>> = const { Cell::new(None) };
}

/// Plants a mistake in this thread, or none.
pub fn plant(fault: Option<Fault>) {
    PLANTED.with(|planted| planted.set(fault));
}

pub(crate) fn is_planted(fault: Fault) -> bool {
    PLANTED.with(|planted| planted.get() == Some(fault))
}
