//! M01 to M21, M40: the merge.

use planfuzz_core::schema::{Attribute, AttributePlace, Block, NestedBlock, NestedType, Nesting, Schema};
use planfuzz_core::value::{MapNode, Node, Step, Text, Type, Value, ValueRef};

use super::super::catalogue::Fault;
use super::kinds::as_key;
use super::{Made, Naive, collection_like, member};

/// The element rule of a collection.
#[derive(Clone, Copy)]
enum Rule<'s> {
    /// M16: of nested blocks.
    Block(&'s Block),
    /// M12: of a nested type.
    Nested(&'s NestedType),
}

impl Naive {
    /// M01
    pub(super) fn proposed(self, block: &Block, prior: ValueRef<'_>, config: ValueRef<'_>) -> Made {
        if prior.is_null() && config.is_null() {
            return Ok(prior.to_value());
        }
        if !prior.is_null() || self.plants(Fault::NullPriorStaysNull) {
            return self.merge(block, prior, config);
        }
        self.merge(block, self.empty(block).view(), config)
    }

    /// S35
    fn empty(self, block: &Block) -> Value {
        let empty = block.empty_value(self.dialect);
        if !self.plants(Fault::MarkersForgotten) {
            return empty;
        }
        let (ty, node) = empty.into_parts();
        Value::from_parts(ty.strip_optional(), node)
    }

    /// M40
    pub(super) fn planned_data_resource(self, schema: &Schema, config: ValueRef<'_>) -> Made {
        let prior = match self.plants(Fault::DataSourceWithoutUnknowns) {
            true => schema.block.empty_value(self.dialect),
            false => Value::unknown(schema.implied_type(self.dialect)),
        };
        self.merge(&schema.block, prior.view(), config)
    }

    /// M02
    fn merge(self, block: &Block, prior: ValueRef<'_>, config: ValueRef<'_>) -> Made {
        if !config.is_present() {
            let removed = config.is_null() && self.plants(Fault::NullConfigGivesNull);
            return Ok(if removed { config } else { prior }.to_value());
        }
        let mut members = Vec::new();
        for (name, attribute) in block.attributes.iter() {
            members.push((name.clone(), self.attribute(attribute, member(prior, name), member(config, name))?));
        }
        for (name, nested) in block.block_types.iter() {
            members.push((name.clone(), self.nested_block(nested, member(prior, name), member(config, name))?));
        }
        Ok(Value::object(members))
    }

    /// M10
    fn attribute(self, attribute: &Attribute, p: ValueRef<'_>, c: ValueRef<'_>) -> Made {
        let absent = c.is_null()
            || self.plants(Fault::UnknownConfigGivesPrior) && c.is_unknown()
            || self.plants(Fault::ComputedOnlyIgnoresConfig) && !attribute.optional;
        if attribute.computed && absent {
            return Ok(if self.not_computable(attribute, p) { c } else { p }.to_value());
        }
        match attribute.nested_type() {
            Some(nested) => self.nested_type(nested, p, c),
            None => Ok(c.to_value()),
        }
    }

    /// M21
    fn not_computable(self, attribute: &Attribute, p: ValueRef<'_>) -> bool {
        let Some(nested) = attribute.nested_type() else { return false };
        if self.plants(Fault::RemovedNestedKept) {
            return false;
        }
        let judged = attribute.optional || self.plants(Fault::ComputedNestedTaken);
        judged && self.holds_configured(AttributePlace::in_nested_type(nested), p, 0)
    }

    fn holds_configured(self, place: AttributePlace<'_>, value: ValueRef<'_>, depth: usize) -> bool {
        if value.is_null() || self.plants(Fault::RemovedNestedShallow) && depth > 1 {
            return false;
        }
        if place.attribute().is_some_and(|attribute| !attribute.computed) {
            return true;
        }
        value.children().any(|(step, child)| self.holds_configured(place.step(&step), child, depth + 1))
    }

    /// M11
    fn nested_type(self, nested: &NestedType, p: ValueRef<'_>, c: ValueRef<'_>) -> Made {
        let single = nested.nesting == Nesting::Single;
        if c.is_null() && single && self.plants(Fault::NullNestedDescended) {
            return self.nested_members(nested, p, c);
        }
        if c.is_null() || c.is_unknown() && !(single && self.plants(Fault::UnknownNestedDescended)) {
            return Ok(c.to_value());
        }
        match nested.nesting {
            Nesting::Single | Nesting::Group => self.nested_object(nested, p, c),
            Nesting::List => self.list(Rule::Nested(nested), p, c),
            Nesting::Map => self.map(Rule::Nested(nested), p, c),
            Nesting::Set => self.set(Rule::Nested(nested), p, c),
        }
    }

    /// M12
    fn nested_object(self, nested: &NestedType, p: ValueRef<'_>, c: ValueRef<'_>) -> Made {
        if c.is_null() || self.plants(Fault::UnknownElementKept) && c.is_unknown() {
            return Ok(c.to_value());
        }
        self.nested_members(nested, p, c)
    }

    fn nested_members(self, nested: &NestedType, p: ValueRef<'_>, c: ValueRef<'_>) -> Made {
        let mut members = Vec::new();
        for (name, attribute) in nested.attributes.iter() {
            let (mut prior, config) = (member(p, name).to_value(), member(c, name));
            if p.is_null() && self.plants(Fault::NullPriorWithElements) {
                prior = with_element_of_nulls(prior);
            }
            members.push((name.clone(), self.attribute(attribute, prior.view(), config)?));
        }
        Ok(Value::object(members))
    }

    /// M15
    fn nested_block(self, nested: &NestedBlock, p: ValueRef<'_>, c: ValueRef<'_>) -> Made {
        let block = &nested.block;
        if c.is_unknown() {
            let counted = self.plants(Fault::UnknownBlocksCounted);
            return Ok(if counted { without_elements(c) } else { c.to_value() });
        }
        match nested.nesting {
            Nesting::Single if c.is_null() && !self.plants(Fault::SingleBlockKept) => Ok(c.to_value()),
            Nesting::Group if c.is_null() && self.plants(Fault::NullGroupTaken) => Ok(c.to_value()),
            Nesting::Single | Nesting::Group => self.proposed(block, p, c),
            Nesting::List => self.list(Rule::Block(block), p, c),
            Nesting::Map => self.map(Rule::Block(block), p, c),
            Nesting::Set => self.set(Rule::Block(block), p, c),
        }
    }

    fn element(self, rule: Rule<'_>, p: ValueRef<'_>, c: ValueRef<'_>) -> Made {
        match rule {
            Rule::Block(block) => self.proposed(block, p, c),
            Rule::Nested(nested) => self.nested_object(nested, p, c),
        }
    }

    /// M17
    fn list(self, rule: Rule<'_>, p: ValueRef<'_>, c: ValueRef<'_>) -> Made {
        if c.is_null() || c.is_empty() {
            let kept = !c.is_null() && self.plants(Fault::EmptyListKeepsPrior);
            return Ok(if kept { p } else { c }.to_value());
        }
        let mut elements = Vec::new();
        for (index, (step, element)) in c.children().enumerate() {
            // M30: an element of a set is its own key.
            let prior = match (c.ty(), as_key(step)) {
                (Type::Set(_), _) if p.is_unknown() => self.prior_at(p, index),
                (Type::Map(_) | Type::Object(_), key) | (Type::Set(_), key @ Step::Key(_)) => p.apply(&key),
                (Type::Set(_), Step::Index(at)) => usize::try_from(at).ok().and_then(|at| self.prior_at(p, at)),
                (Type::Set(_), _) => None,
                _ => self.prior_at(p, index),
            };
            elements.push(match prior {
                Some(prior) => self.element(rule, prior, element)?,
                None => element.to_value(),
            });
        }
        match c.ty() {
            Type::Tuple(_) => Ok(Value::tuple(elements)),
            Type::List(element) if self.plants(Fault::DynamicElementTyped) => {
                Value::list(element, elements).map_err(super::broken)
            }
            _ => Value::list(&Type::Dynamic, elements).map_err(super::broken),
        }
    }

    /// The element of the prior that belongs to an index, if there is one.
    fn prior_at(self, p: ValueRef<'_>, index: usize) -> Option<ValueRef<'_>> {
        if p.is_unknown() {
            return match p.ty() {
                Type::List(element) => Some(ValueRef::unknown(element)),
                Type::Tuple(tuple) => tuple.elements().get(index).map(ValueRef::unknown),
                dynamic => Some(ValueRef::unknown(dynamic)),
            };
        }
        if self.plants(Fault::ListLastElementNew) && index + 1 == p.len() {
            return None;
        }
        let beyond = self.plants(Fault::ListBeyondEndTakesLast) && index >= p.len() && !p.is_empty();
        p.element(if beyond { p.len() - 1 } else { index })
    }

    /// M18
    fn map(self, rule: Rule<'_>, p: ValueRef<'_>, c: ValueRef<'_>) -> Made {
        if c.is_null() || c.is_empty() {
            return Ok(c.to_value());
        }
        let mut entries: Vec<(Text, Value)> = Vec::new();
        for (key, element) in c.entries() {
            let made = match p.entry(key) {
                Some(prior) if p.is_present() => self.element(rule, prior, element)?,
                _ => self.new_entry(rule, p, element)?,
            };
            entries.push((key.clone(), made));
        }
        if self.plants(Fault::MapKeepsPriorKeys) {
            let dropped = p.entries().filter(|(key, _)| c.entry(key).is_none());
            entries.extend(dropped.map(|(key, prior)| (key.clone(), prior.to_value())));
        }
        match c.ty() {
            Type::Map(element) => Value::map(element, entries).map_err(super::broken),
            _ => Ok(Value::object(entries)),
        }
    }

    /// D01
    fn new_entry(self, rule: Rule<'_>, p: ValueRef<'_>, element: ValueRef<'_>) -> Made {
        let merges = match self.dialect.merges_new_map_elements() {
            true => !self.plants(Fault::NewMapElementAsIs),
            false => self.plants(Fault::NewMapElementMerged),
        };
        match merges {
            false => Ok(element.to_value()),
            true if p.is_unknown() => self.element(rule, ValueRef::unknown(element.ty()), element),
            true => self.element(rule, ValueRef::null(element.ty()), element),
        }
    }

    /// M19
    fn set(self, rule: Rule<'_>, p: ValueRef<'_>, c: ValueRef<'_>) -> Made {
        if c.is_null() || c.is_empty() {
            return Ok(c.to_value());
        }
        let priors: Vec<ValueRef<'_>> = p.children().map(|(_, prior)| prior).collect();
        let mut used = vec![false; priors.len()];
        let mut order: Vec<ValueRef<'_>> = c.children().map(|(_, element)| element).collect();
        if self.plants(Fault::SetChoosesBackwards) {
            order.reverse();
        }
        let place = match rule {
            Rule::Block(block) => AttributePlace::in_block(block),
            Rule::Nested(nested) => AttributePlace::in_nested_type(nested),
        };
        let mut elements = Vec::new();
        for element in order {
            let mut free = (0..priors.len()).filter(|index| !used[*index] || self.plants(Fault::SetUsesPriorTwice));
            let fits = |index: &usize| self.matches(place, priors[*index], element);
            let chosen = match self.plants(Fault::SetTakesLastMatch) {
                true => free.rfind(fits),
                false => free.find(fits),
            };
            if let Some(index) = chosen {
                used[index] = true;
            }
            let none = match p.is_unknown() && self.plants(Fault::DataSourceSetUnknown) {
                true => ValueRef::unknown(element.ty()),
                false => ValueRef::null(element.ty()),
            };
            elements.push(self.element(rule, chosen.map_or(none, |index| priors[index]), element)?);
        }
        collection_like(c, elements)
    }
}

/// A value in which the fault takes a null list or set of objects for one object of nulls (B008).
fn with_element_of_nulls(value: Value) -> Value {
    match value.ty() {
        Type::List(element) | Type::Set(element) if value.is_null() => match &**element {
            Type::Object(object) => {
                let nulls = Node::seq(vec![Node::Null; object.len()]);
                Value::from_parts(value.ty().clone(), Node::seq(vec![nulls]))
            }
            _ => value,
        },
        _ => value,
    }
}

/// An unknown collection as an empty one (B011); anything else as it is.
fn without_elements(unknown: ValueRef<'_>) -> Value {
    let none = match unknown.ty() {
        Type::List(_) | Type::Set(_) => Node::seq(Vec::new()),
        Type::Map(_) => Node::Map(triomphe::Arc::new(MapNode::from_sorted(Vec::new()))),
        _ => unknown.node().clone(),
    };
    Value::from_parts(unknown.ty().clone(), none)
}
