//! Changes of resource instances with their addresses (PL10, PL11).

use super::action::Action;
use super::dynamic_value::DynamicValue;
use super::encoded::{EncodedValue, NotDecodable, NotEncodable};
use super::marked::Marked;
use super::resource::ResourceInstanceChange;
use crate::address::{AbsResourceInstance, AddressError, Notation, ProviderConfig};
use crate::state::DeposedKey;
use crate::value::Type;

/// A change of a resource instance in a plan (PL10): the planned change and its address.
///
/// Identities (OpenTofu) stay serialised in both layers: their types come from schemas of their own, not the resource's. The
/// instance of the provider configuration that an object belongs to is in OpenTofu's state.
#[derive(Clone, Debug, PartialEq)]
pub struct AddressedChange<V = Marked, A = AbsResourceInstance> {
    /// The address of the instance.
    pub addr: A,
    /// The provider configuration.
    pub provider: ProviderConfig,
    /// The planned change.
    pub planned: ResourceInstanceChange<V, A>,
    /// The configuration generated for an import; empty where there is none.
    pub generated_config: String,
    /// OpenTofu: the identity before.
    pub before_identity: Option<DynamicValue>,
    /// OpenTofu: the identity after.
    pub after_identity: Option<DynamicValue>,
}

/// A change of a resource instance with its values encoded.
pub type EncodedAddressedChange<A = AbsResourceInstance> = AddressedChange<EncodedValue, A>;

impl<V, A> AddressedChange<V, A> {
    /// The planned change of the instance at an address; all else is empty.
    pub fn new(addr: A, provider: ProviderConfig, planned: ResourceInstanceChange<V, A>) -> AddressedChange<V, A> {
        AddressedChange {
            addr,
            provider,
            planned,
            generated_config: String::new(),
            before_identity: None,
            after_identity: None,
        }
    }

    /// The address before moves: the address itself if it was not moved.
    pub fn prev_run_addr(&self) -> &A {
        self.planned.moved_from.as_ref().unwrap_or(&self.addr)
    }

    /// The deposed object that changes; `None` for the current one.
    pub fn deposed(&self) -> Option<&DeposedKey> {
        self.planned.deposed.as_ref()
    }

    /// The action.
    pub fn action(&self) -> Action {
        self.planned.change.action
    }

    fn with<W>(&self, planned: ResourceInstanceChange<W, A>) -> AddressedChange<W, A>
    where
        A: Clone,
    {
        AddressedChange {
            addr: self.addr.clone(),
            provider: self.provider.clone(),
            planned,
            generated_config: self.generated_config.clone(),
            before_identity: self.before_identity.clone(),
            after_identity: self.after_identity.clone(),
        }
    }
}

impl<V, A: PartialEq> AddressedChange<V, A> {
    /// Whether the instance was at another address (PL11).
    pub fn moved(&self) -> bool {
        self.prev_run_addr() != &self.addr
    }

    /// Whether this change has no effect (PL40): no action, no move, no import.
    pub fn is_empty(&self) -> bool {
        self.action() == Action::NoOp && !self.moved() && self.planned.change.importing.is_none()
    }
}

impl<V> AddressedChange<V> {
    /// The change of a planner's answer for the instance at an address.
    ///
    /// # Errors
    /// An invalid address before moves.
    ///
    /// ```
    /// # use planfuzz_core::plans::{Action, ActionReason, Change, Marked, ResourceInstanceChange};
    /// use planfuzz_core::address::{Notation, ProviderConfig};
    /// use planfuzz_core::dialect::Engine;
    /// use planfuzz_core::plans::AddressedChange;
    ///
    /// # let object = Marked::plain(planfuzz_core::value::Value::object(vec![]));
    /// # let answer = ResourceInstanceChange {
    /// #     moved_from: Some("null_resource.old".into()),
    /// #     deposed: None,
    /// #     change: Change { action: Action::NoOp, before: object.clone(), after: object, importing: None },
    /// #     reason: ActionReason::None,
    /// #     required_replace: planfuzz_core::value::PathSet::EMPTY,
    /// #     private: planfuzz_core::state::Private::NONE,
    /// # };
    /// let notation = Notation { engine: Engine::Terraform };
    /// let addr = notation.instance("null_resource.new")?;
    /// let provider = ProviderConfig::parse(r#"provider["registry.terraform.io/hashicorp/null"]"#)?;
    /// let change = AddressedChange::of_answer(addr, provider, answer, notation)?;
    /// assert!(change.moved());
    /// assert_eq!(change.prev_run_addr().to_string(), "null_resource.old");
    /// # Ok::<(), planfuzz_core::address::AddressError>(())
    /// ```
    pub fn of_answer(
        addr: AbsResourceInstance,
        provider: ProviderConfig,
        answer: ResourceInstanceChange<V>,
        notation: Notation,
    ) -> Result<AddressedChange<V>, AddressError> {
        let ResourceInstanceChange { moved_from, deposed, change, reason, required_replace, private } = answer;
        let moved_from = moved_from.map(|before| notation.instance(&before)).transpose()?;
        let planned = ResourceInstanceChange { moved_from, deposed, change, reason, required_replace, private };
        Ok(AddressedChange::new(addr, provider, planned))
    }
}

impl<A: Clone> AddressedChange<Marked, A> {
    /// The part of the change that one leg of an apply does (PL20). A part that is not the whole change keeps the fields named at
    /// [`ResourceInstanceChange::simplify`], the generated configuration and the identities (PL22).
    #[must_use]
    pub fn simplify(&self, destroying: bool) -> AddressedChange<Marked, A> {
        self.with(self.planned.simplify(destroying))
    }

    /// The change with its values written against the implied type of the resource type's schema (PL07).
    ///
    /// # Errors
    /// Values that do not fit the type.
    pub fn encode(&self, ty: &Type) -> Result<EncodedAddressedChange<A>, NotEncodable> {
        Ok(self.with(self.planned.with(self.planned.change.encode(ty)?)))
    }
}

impl<A: Clone> EncodedAddressedChange<A> {
    /// The change with its values read against the implied type of the resource type's schema (PL08).
    ///
    /// # Errors
    /// Bytes that encode no values of the type.
    pub fn decode(&self, ty: &Type) -> Result<AddressedChange<Marked, A>, NotDecodable> {
        Ok(self.with(self.planned.with(self.planned.change.decode(ty)?)))
    }
}
