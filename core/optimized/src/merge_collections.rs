//! The merge of lists and maps (M17, M18).

use triomphe::Arc;

use planfuzz_core::planner::Refusal;
use planfuzz_core::value::{MapNode, Node, Seq, Text, Type, Value, ValueRef};

use super::here::Here;
use super::kinds;
use super::merge::{Merge, Merged, Sides};
use super::program::{Inner, Read, part};

impl Merge {
    /// M17; `config` is known and not null.
    pub(super) fn merge_list(
        &mut self,
        inner: &Inner,
        prior: ValueRef<'_>,
        config: ValueRef<'_>,
        here: &Here<'_>,
    ) -> Result<Merged, Refusal> {
        if inner.untyped {
            return self.merge_untyped_list(inner, prior, config, here);
        }
        if config.is_empty() {
            return Ok(Merged::Config);
        }
        let start = self.results.len();
        let same_length = prior.is_present() && prior.len() == config.len();
        let mut sides = Sides { prior: same_length, config: true };
        let (prior_ty, config_ty) = (element_type(prior.ty()), element_type(config.ty()));
        for (index, node) in config.node().parts().iter().enumerate() {
            let config = ValueRef::new(config_ty, node);
            let result = if prior.is_unknown() || index < prior.len() {
                let prior = ValueRef::new(prior_ty, part(prior.node(), index));
                self.rule(inner, prior, config, &here.index(index))?
            } else {
                Merged::Config
            };
            self.put(start, index, &mut sides, result);
        }
        if inner.object.holds.dynamic && !sides.config {
            self.put_priors(start, config.len());
            let values = self.take_values(inner, start, |index| {
                let prior = ValueRef::new(prior_ty, part(prior.node(), index));
                (prior, ValueRef::new(config_ty, part(config.node(), index)))
            });
            return collected(Value::list(config_ty, values), here);
        }
        if let Some(whole) = sides.whole() {
            self.results.truncate(start);
            return Ok(whole);
        }
        let parts = self.results.drain(start..).enumerate();
        let node = Seq::from_exact(
            parts.map(|(index, result)| result.node(part(prior.node(), index), part(config.node(), index))),
        );
        Ok(Merged::New(Node::Seq(node), None))
    }

    /// M17 where any type may stand (S33).
    fn merge_untyped_list(
        &mut self,
        inner: &Inner,
        prior: ValueRef<'_>,
        config: ValueRef<'_>,
        here: &Here<'_>,
    ) -> Result<Merged, Refusal> {
        let Some(count) = kinds::count(config) else {
            return Err(here.refuse("M17", "the blocks have no count"));
        };
        if count == 0 {
            return Ok(Merged::Config);
        }
        let mut values = Vec::with_capacity(count);
        for (slot, element) in kinds::slots(config) {
            let here = slot.place(here);
            let before = match prior.is_unknown() {
                true => kinds::read(prior, slot).map(Some),
                false => kinds::partner(prior, slot),
            };
            values.push(match before {
                None => return Err(here.refuse("M17", "the prior value has no element to look for")),
                Some(None) => element.to_value(),
                Some(Some(before)) => self.untyped_element(inner, before, element, &here)?,
            });
        }
        match config.ty() {
            Type::Tuple(_) => collected(Ok(Value::tuple(values)), here),
            // V08: where no element has a type, the list's is `dynamic`.
            _ => collected(Value::list(&Type::Dynamic, values), here),
        }
    }

    /// M18; `config` is known and not null.
    pub(super) fn merge_map(
        &mut self,
        inner: &Inner,
        prior: ValueRef<'_>,
        config: ValueRef<'_>,
        here: &Here<'_>,
    ) -> Result<Merged, Refusal> {
        if inner.object.holds.dynamic {
            return self.merge_dynamic_map(inner, prior, config, here);
        }
        if config.is_empty() {
            return Ok(Merged::Config);
        }
        let Node::Map(map) = config.node() else {
            return Err(here.refuse("M18", "the configured value is no map"));
        };
        let (prior_ty, config_ty) = (element_type(prior.ty()), element_type(config.ty()));
        let start = self.results.len();
        let mut priors = Entries::of(prior.node());
        let same_length = prior.is_present() && prior.len() == config.len();
        let mut sides = Sides { prior: same_length, config: true };
        for (index, (key, node)) in map.keys().iter().zip(map.values.as_slice()).enumerate() {
            let config = ValueRef::new(config_ty, node);
            let found = priors.advance(key);
            let here = here.attribute(key);
            let result = match found {
                Some((_, before)) => self.rule(inner, ValueRef::new(prior_ty, before), config, &here)?,
                None if !self.merges_new_map_elements => Merged::Config,
                None if prior.is_unknown() => self.rule(inner, ValueRef::unknown(config_ty), config, &here)?,
                None => self.rule(inner, ValueRef::null(config_ty), config, &here)?,
            };
            // Only where the keys of both sides run in step can the result be found again by its place.
            let result = match (result, found) {
                (result, Some((place, _))) if place == index => result,
                (Merged::Prior, Some((_, before))) => Merged::New(before.clone(), None),
                (Merged::Prior, None) if prior.is_unknown() => Merged::New(Node::UNKNOWN, None),
                (Merged::Prior, None) => Merged::New(Node::Null, None),
                (Merged::Both, _) => Merged::Config,
                (result, _) => result,
            };
            self.put(start, index, &mut sides, result);
        }
        if let Some(whole) = sides.whole() {
            self.results.truncate(start);
            return Ok(whole);
        }
        let parts = self.results.drain(start..).enumerate();
        let values = Seq::from_exact(
            parts.map(|(index, result)| result.node(part(prior.node(), index), part(config.node(), index))),
        );
        Ok(Merged::New(Node::Map(Arc::new(MapNode { keys: map.keys.clone(), values })), None))
    }

    /// M18 where types may differ: maps and objects on either side.
    fn merge_dynamic_map(
        &mut self,
        inner: &Inner,
        prior: ValueRef<'_>,
        config: ValueRef<'_>,
        here: &Here<'_>,
    ) -> Result<Merged, Refusal> {
        match kinds::count(config) {
            Some(0) => return Ok(Merged::Config),
            Some(_) if kinds::has_names(config) => {}
            _ => return Err(here.refuse("M18", "the blocks have no names")),
        }
        if prior.is_present() && !kinds::is_named(prior) {
            return Err(here.refuse("M18", "the prior blocks have no names"));
        }
        let members_of_set = kinds::members_by_name(prior);
        let mut members: Vec<(Text, Value)> = Vec::with_capacity(config.len());
        for (key, element) in config.entries() {
            let before = match prior.entry(key).or_else(|| members_of_set.get(key).copied()) {
                Some(before) => Some(before),
                None if !self.merges_new_map_elements => None,
                None if prior.is_unknown() => Some(ValueRef::unknown(element.ty())),
                None => Some(ValueRef::null(element.ty())),
            };
            let value = match before {
                None => element.to_value(),
                Some(before) => {
                    let here = here.attribute(key);
                    self.untyped_element(inner, before, element, &here)?
                }
            };
            members.push((key.clone(), value));
        }
        match config.ty() {
            Type::Map(element) => collected(Value::map(element, members), here),
            _ => collected(Ok(Value::object(members)), here),
        }
    }

    /// M02 for one element: where any type may stand, both must be objects of the block before members are read.
    fn untyped_element(
        &mut self,
        inner: &Inner,
        prior: ValueRef<'_>,
        config: ValueRef<'_>,
        here: &Here<'_>,
    ) -> Result<Value, Refusal> {
        let object = &inner.object;
        if !inner.untyped || !config.is_present() {
            return Ok(self.rule(inner, prior, config, here)?.value(prior, config, &object.ty));
        }
        let read = [prior, config].map(|side| if side.is_null() { Read::Whole } else { object.read(side) });
        let Some(prior) = read[0].of(prior) else {
            return Err(here.refuse("M02", "the prior value is no object of the block"));
        };
        let Some(config) = read[1].of(config) else {
            return Err(here.refuse("M02", "the configured value is no object of the block"));
        };
        Ok(self.proposed(object.for_read(&read), prior, config, here)?.value(prior, config, &object.ty))
    }

    /// The results from `start` on as values.
    fn take_values<'a>(
        &mut self,
        inner: &Inner,
        start: usize,
        sources: impl Fn(usize) -> (ValueRef<'a>, ValueRef<'a>),
    ) -> Vec<Value> {
        let results = self.results.drain(start..).enumerate();
        results
            .map(|(index, result)| {
                let (prior, config) = sources(index);
                result.value(prior, config, &inner.object.ty)
            })
            .collect()
    }
}

fn element_type(ty: &Type) -> &Type {
    ty.element().unwrap_or(ty)
}

fn collected(value: Result<Value, planfuzz_core::value::ValueError>, here: &Here<'_>) -> Result<Merged, Refusal> {
    let (ty, node) = value.map_err(|error| here.refuse("V08", error.to_string()))?.into_parts();
    Ok(Merged::New(node, Some(ty)))
}

/// The entries of a map, walked in step with the ascending keys of another.
struct Entries<'a> {
    map: Option<&'a MapNode>,
    next: usize,
}

impl<'a> Entries<'a> {
    fn of(node: &'a Node) -> Entries<'a> {
        match node {
            Node::Map(map) => Entries { map: Some(map), next: 0 },
            _ => Entries { map: None, next: 0 },
        }
    }

    /// The place and payload of `key`, if there is one. Keys are asked for in ascending order.
    fn advance(&mut self, key: &Text) -> Option<(usize, &'a Node)> {
        let map = self.map?;
        while let Some(probe) = map.keys().get(self.next) {
            if probe.ptr_eq(key) || probe == key {
                let found = self.next;
                self.next += 1;
                return Some((found, &map.values.as_slice()[found]));
            }
            if probe > key {
                return None;
            }
            self.next += 1;
        }
        None
    }
}
