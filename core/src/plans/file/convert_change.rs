//! Changes of resource instances between files and plans.

use std::fmt;

use super::change::{FileChange, Values};
use super::convert_values::value;
use super::error::ContentProblem;
use crate::address::{AddressError, Notation, ProviderConfig};
use crate::plans::{DeferredAddress, DynamicValue, EncodedAddressedChange, ResourceInstanceChange};

impl FileChange {
    /// The change in the encoded layer of plans, its addresses read as an engine reads them.
    ///
    /// # Errors
    /// Invalid addresses, and values without bytes.
    pub fn to_change(&self, notation: Notation) -> Result<EncodedAddressedChange, ContentProblem> {
        self.with_addresses(|text| notation.instance(text))
    }

    /// The same of a deferred change, which may be of instances whose keys are not known.
    ///
    /// # Errors
    /// As [`FileChange::to_change`].
    pub fn to_deferred(&self, notation: Notation) -> Result<EncodedAddressedChange<DeferredAddress>, ContentProblem> {
        self.with_addresses(|text| {
            let pattern = |error| match notation.instance(&text.replace("[*]", "[0]")) {
                Ok(_) => Ok(DeferredAddress::Pattern(text.to_owned())),
                Err(_) => Err(error),
            };
            notation.instance(text).map(DeferredAddress::Instance).or_else(pattern)
        })
    }

    fn with_addresses<A>(
        &self,
        read: impl Fn(&str) -> Result<A, AddressError>,
    ) -> Result<EncodedAddressedChange<A>, ContentProblem> {
        let planned = ResourceInstanceChange {
            moved_from: self.prev_run_addr.as_deref().map(&read).transpose()?,
            deposed: self.deposed.clone(),
            change: self.values.to_change()?,
            reason: self.reason,
            required_replace: self.required_replace.iter().cloned().collect(),
            private: self.private.clone(),
        };
        Ok(EncodedAddressedChange {
            addr: read(&self.addr)?,
            provider: ProviderConfig::parse(&self.provider)?,
            planned,
            generated_config: self.values.generated_config.clone(),
            before_identity: value(&self.values.before_identity)?,
            after_identity: value(&self.values.after_identity)?,
        })
    }

    /// A change of the encoded layer of plans.
    ///
    /// # Errors
    /// As [`Values::of_change`].
    pub fn of_change<A>(change: &EncodedAddressedChange<A>) -> Result<FileChange, ContentProblem>
    where
        A: fmt::Display + PartialEq,
    {
        let identity = |value: &Option<DynamicValue>| value.as_ref().map(|value| value.as_msgpack().to_vec());
        let planned = &change.planned;
        Ok(FileChange {
            addr: change.addr.to_string(),
            prev_run_addr: change.moved().then(|| change.prev_run_addr().to_string()),
            deposed: planned.deposed.clone(),
            provider: change.provider.to_string(),
            values: Values {
                generated_config: change.generated_config.clone(),
                before_identity: identity(&change.before_identity),
                after_identity: identity(&change.after_identity),
                ..Values::of_change(&planned.change)?
            },
            private: planned.private.clone(),
            required_replace: planned.required_replace.iter().cloned().collect(),
            reason: planned.reason,
        })
    }
}
