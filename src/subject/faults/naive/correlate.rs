//! M22: whether a prior element matches an element of the configuration.

use planfuzz_core::schema::AttributePlace;
use planfuzz_core::value::{Type, ValueRef, raw_equals_unrefined};

use super::super::catalogue::Fault;
use super::Naive;

impl Naive {
    /// M22
    pub(super) fn matches(self, place: AttributePlace<'_>, p: ValueRef<'_>, e: ValueRef<'_>) -> bool {
        let attribute = place.attribute();
        if attribute.is_none() && is_empty_map(e) && self.plants(Fault::EmptyMapNeverMatches) {
            return false;
        }
        if raw_equals_unrefined(p, e) {
            return true;
        }
        if matches!(e.ty(), Type::Set(_)) && !(e.is_null() && self.plants(Fault::NullSetMatches)) {
            return false;
        }
        if let Some(leaf) = attribute.filter(|attribute| attribute.leaf_type().is_some()) {
            return match () {
                _ if self.plants(Fault::ComputedAlwaysMatches) && leaf.computed => true,
                _ if self.plants(Fault::NullAlwaysMatches) && e.is_null() => true,
                _ if self.plants(Fault::UnknownMatches) && e.is_unknown() => true,
                _ => leaf.computed && e.is_null() && !self.plants(Fault::ComputedNullNeverMatches),
            };
        }
        if !p.is_present() {
            return !self.plants(Fault::NullPriorNeverMatches);
        }
        if self.plants(Fault::LongerConfigNeverMatches) && e.len() > p.len() {
            return false;
        }
        p.children().all(|(step, child)| match e.apply(&step) {
            Some(other) => self.matches(place.step(&step), child, other),
            None => self.plants(Fault::ShorterConfigMatches),
        })
    }
}

fn is_empty_map(value: ValueRef<'_>) -> bool {
    matches!(value.ty(), Type::Map(_)) && value.is_present() && value.is_empty()
}
