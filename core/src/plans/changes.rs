//! All changes of a plan (PL30 to PL42).

use super::action::Action;
use super::addressed::AddressedChange;
use super::encoded::EncodedValue;
use super::listing::{Listed, Listing};
use super::marked::Marked;
use super::output::OutputChange;
use super::sync::ChangesSync;
use crate::address::{AbsResource, AbsResourceInstance, ConfigResource, Module, ModuleInstance, OutputAddress};
use crate::state::DeposedKey;

/// The changes of a plan (PL30): those of resource instances and those of outputs, each in the order they were put in.
/// Nothing is replaced or sorted; the caller keeps pairs of address and deposed key unique.
///
/// Finding a change by its address takes time logarithmic in their number; finding a group of changes takes time linear in
/// the size of the group besides.
///
/// ```
/// # use planfuzz_core::plans::{Action, ActionReason, Change, Marked, ResourceInstanceChange};
/// use planfuzz_core::address::{Notation, ProviderConfig};
/// use planfuzz_core::dialect::Engine;
/// use planfuzz_core::plans::{AddressedChange, Changes};
///
/// # let object = Marked::plain(planfuzz_core::value::Value::object(vec![]));
/// # let planned = ResourceInstanceChange {
/// #     moved_from: None,
/// #     deposed: None,
/// #     change: Change { action: Action::Update, before: object.clone(), after: object, importing: None },
/// #     reason: ActionReason::None,
/// #     required_replace: planfuzz_core::value::PathSet::EMPTY,
/// #     private: planfuzz_core::state::Private::NONE,
/// # };
/// let notation = Notation { engine: Engine::Terraform };
/// let addr = notation.instance(r#"module.net["a"].null_resource.it[0]"#)?;
/// let provider = ProviderConfig::parse(r#"provider["registry.terraform.io/hashicorp/null"]"#)?;
///
/// let mut changes = Changes::new();
/// assert!(changes.is_empty());
/// changes.append_resource(AddressedChange::new(addr.clone(), provider, planned));
/// assert!(!changes.is_empty());
/// assert!(changes.resource_instance(&addr).is_some());
/// assert_eq!(changes.instances_for_config_resource(&addr.config_resource()).count(), 1);
/// # Ok::<(), planfuzz_core::address::AddressError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Changes<V = Marked> {
    resources: Listing<AddressedChange<V>>,
    outputs: Listing<OutputChange<V>>,
}

/// The changes of a plan with their values encoded.
pub type EncodedChanges = Changes<EncodedValue>;

impl<V> Changes<V> {
    /// No changes.
    pub fn new() -> Changes<V> {
        Changes { resources: Listing::default(), outputs: Listing::default() }
    }

    /// Appends a change of a resource instance.
    pub fn append_resource(&mut self, change: AddressedChange<V>) {
        self.resources.push(change);
    }

    /// Appends a change of an output.
    pub fn append_output(&mut self, change: OutputChange<V>) {
        self.outputs.push(change);
    }

    /// Removes the first change of an object of an instance; the order of the rest stays.
    pub fn remove_resource(
        &mut self,
        addr: &AbsResourceInstance,
        deposed: Option<&DeposedKey>,
    ) -> Option<AddressedChange<V>> {
        self.resources.remove(addr, |change| change.deposed() == deposed)
    }

    /// Removes the first change of an output; the order of the rest stays.
    pub fn remove_output(&mut self, addr: &OutputAddress) -> Option<OutputChange<V>> {
        self.outputs.remove(addr, |_| true)
    }

    /// The changes of resource instances, in order.
    pub fn resources(&self) -> impl DoubleEndedIterator<Item = &AddressedChange<V>> + ExactSizeIterator {
        self.resources.iter()
    }

    /// The changes of outputs, in order.
    pub fn outputs(&self) -> impl DoubleEndedIterator<Item = &OutputChange<V>> + ExactSizeIterator {
        self.outputs.iter()
    }

    /// All changes by value: of resource instances, of outputs.
    pub fn into_lists(self) -> (Vec<AddressedChange<V>>, Vec<OutputChange<V>>) {
        (self.resources.into_items().collect(), self.outputs.into_items().collect())
    }

    /// PL31: the first change of the current object of an instance.
    pub fn resource_instance(&self, addr: &AbsResourceInstance) -> Option<&AddressedChange<V>> {
        self.resource_instance_deposed(addr, None)
    }

    /// PL32: the first change of an object of an instance: of the current one if `deposed` is `None`.
    pub fn resource_instance_deposed(
        &self,
        addr: &AbsResourceInstance,
        deposed: Option<&DeposedKey>,
    ) -> Option<&AddressedChange<V>> {
        self.resources.of_key(addr).find(|change| change.deposed() == deposed)
    }

    /// PL33: the changes of current objects of a resource of the configuration.
    pub fn instances_for_config_resource(&self, addr: &ConfigResource) -> impl Iterator<Item = &AddressedChange<V>> {
        self.resources.of_group(addr).filter(|change| change.deposed().is_none())
    }

    /// PL34: the changes of current objects of a resource of an instance of a module.
    pub fn instances_for_abs_resource(&self, addr: &AbsResource) -> impl Iterator<Item = &AddressedChange<V>> {
        let config = ConfigResource { module: addr.module.module(), resource: addr.resource.clone() };
        self.resources.of_group(&config).filter(move |change| change.deposed().is_none() && change.addr.is_of(addr))
    }

    /// PL35: the first change of an output.
    pub fn output_value(&self, addr: &OutputAddress) -> Option<&OutputChange<V>> {
        self.outputs.of_key(addr).next()
    }

    /// PL36: the changes of outputs of the root module.
    pub fn root_output_values(&self) -> impl Iterator<Item = &OutputChange<V>> {
        self.outputs.of_group(&Module::default())
    }

    /// PL37: the changes of outputs of all instances of a module that is called in an instance of another one.
    pub fn output_values(&self, parent: &ModuleInstance, call: &str) -> impl Iterator<Item = &OutputChange<V>> {
        let mut module = parent.module();
        module.0.push(call.to_owned());
        self.outputs.of_group(&module).filter(move |output| output.addr().module.is_of_call(parent, call))
    }

    /// PL38: the same changes in a view that several threads share.
    pub fn into_sync(self) -> ChangesSync<V> {
        ChangesSync::new(self)
    }

    /// PL40: whether no change has an action, a move or an import, and no output of the root module changes. Outputs of other
    /// modules never count.
    pub fn is_empty(&self) -> bool {
        let no_op = |output: &OutputChange<V>| output.change().action == Action::NoOp;
        self.resources().all(AddressedChange::is_empty) && self.root_output_values().all(no_op)
    }

    /// PL41: whether every change of a resource instance is a deletion; true if there are none. Outputs do not count.
    pub fn is_full_destroy(&self) -> bool {
        self.resources().all(|change| change.action() == Action::Delete)
    }
}

impl<V> Default for Changes<V> {
    fn default() -> Changes<V> {
        Changes::new()
    }
}

impl<V: PartialEq> PartialEq for Changes<V> {
    fn eq(&self, other: &Changes<V>) -> bool {
        self.resources == other.resources && self.outputs == other.outputs
    }
}

impl<V> Listed for AddressedChange<V> {
    type Key = AbsResourceInstance;
    type Group = ConfigResource;

    fn key(&self) -> &AbsResourceInstance {
        &self.addr
    }

    fn group(&self) -> ConfigResource {
        self.addr.config_resource()
    }
}

impl<V> Listed for OutputChange<V> {
    type Key = OutputAddress;
    type Group = Module;

    fn key(&self) -> &OutputAddress {
        self.addr()
    }

    fn group(&self) -> Module {
        self.addr().module.module()
    }
}

#[cfg(test)]
mod tests;
