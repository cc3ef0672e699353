//! Changes that several threads write and read at once (PL50 to PL59).

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::addressed::AddressedChange;
use super::changes::Changes;
use super::marked::Marked;
use super::output::OutputChange;
use crate::address::{AbsResource, AbsResourceInstance, ConfigResource, ModuleInstance, OutputAddress};
use crate::state::DeposedKey;

/// The one view that all writers of a set of changes share (PL38, PL57): it owns them, so there is no second one.
///
/// Each operation is atomic, none is a transaction. Arguments and results are copies: no caller sees what another does with one
/// (PL50 to PL55, PL58). Bytes and values never change, so copies share them. A generation is a deposed key, or `None` for the
/// current object (PL59).
///
/// ```
/// use planfuzz_core::address::OutputAddress;
/// use planfuzz_core::plans::{Action, Change, Changes, Marked, OutputChange};
/// use planfuzz_core::value::{Type, Value};
///
/// let after = Marked::plain(Value::bool(true));
/// let change = Change { action: Action::Create, before: Marked::null(Type::Dynamic), after, importing: None };
/// let view = Changes::new().into_sync();
/// std::thread::scope(|scope| {
///     for name in ["a", "b"] {
///         let output = OutputChange::new(OutputAddress::of_root(name), change.clone(), false);
///         scope.spawn(|| output.map(|output| view.append_output_change(output)));
///     }
/// });
/// assert_eq!(view.into_changes().outputs().len(), 2);
/// ```
#[derive(Debug)]
pub struct ChangesSync<V = Marked> {
    changes: Mutex<Changes<V>>,
}

impl<V> ChangesSync<V> {
    /// A view of changes.
    pub fn new(changes: Changes<V>) -> ChangesSync<V> {
        ChangesSync { changes: Mutex::new(changes) }
    }

    /// The changes, by value; no other caller has the view any more.
    pub fn into_changes(self) -> Changes<V> {
        self.changes.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ignores the poisoning of the lock: a writer that panicked did so before or after its change to the lists, not halfway.
    fn lock(&self) -> MutexGuard<'_, Changes<V>> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// PL50: appends a change of a resource instance.
    pub fn append_resource_instance_change(&self, change: AddressedChange<V>) {
        self.lock().append_resource(change);
    }

    /// PL53: removes the first change of an object of an instance, if there is one.
    pub fn remove_resource_instance_change(&self, addr: &AbsResourceInstance, generation: Option<&DeposedKey>) {
        // Dropped after the lock is released.
        let _removed = self.lock().remove_resource(addr, generation);
    }

    /// PL54: appends a change of an output.
    pub fn append_output_change(&self, change: OutputChange<V>) {
        self.lock().append_output(change);
    }

    /// PL56: removes the first change of an output, if there is one.
    pub fn remove_output_change(&self, addr: &OutputAddress) {
        let _removed = self.lock().remove_output(addr);
    }

    /// PL41: whether every change of a resource instance is a deletion.
    pub fn is_full_destroy(&self) -> bool {
        self.lock().is_full_destroy()
    }
}

impl<V: Clone> ChangesSync<V> {
    /// A copy of all changes as they are now.
    pub fn snapshot(&self) -> Changes<V> {
        self.lock().clone()
    }

    /// PL51: the first change of an object of an instance.
    pub fn get_resource_instance_change(
        &self,
        addr: &AbsResourceInstance,
        generation: Option<&DeposedKey>,
    ) -> Option<AddressedChange<V>> {
        self.lock().resource_instance_deposed(addr, generation).cloned()
    }

    /// PL52: the changes of current objects of a resource of the configuration.
    pub fn get_changes_for_config_resource(&self, addr: &ConfigResource) -> Vec<AddressedChange<V>> {
        self.lock().instances_for_config_resource(addr).cloned().collect()
    }

    /// PL52: the changes of current objects of a resource of an instance of a module.
    pub fn get_changes_for_abs_resource(&self, addr: &AbsResource) -> Vec<AddressedChange<V>> {
        self.lock().instances_for_abs_resource(addr).cloned().collect()
    }

    /// PL55: the first change of an output.
    pub fn get_output_change(&self, addr: &OutputAddress) -> Option<OutputChange<V>> {
        self.lock().output_value(addr).cloned()
    }

    /// PL55: the changes of outputs of the root module.
    pub fn get_root_output_changes(&self) -> Vec<OutputChange<V>> {
        self.lock().root_output_values().cloned().collect()
    }

    /// PL55: the changes of outputs of all instances of a module that is called in an instance of another one.
    pub fn get_output_changes(&self, parent: &ModuleInstance, call: &str) -> Vec<OutputChange<V>> {
        self.lock().output_values(parent, call).cloned().collect()
    }
}

#[cfg(test)]
mod tests;
