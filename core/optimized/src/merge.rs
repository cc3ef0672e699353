//! The merge (section 1 of merge-and-rules.md) of objects and members.
//!
//! A step of the merge does not copy existing parts: its result is "the prior's part", "the configuration's" or
//! "either", and a new payload is made only for an object of which neither side holds all members. So an unchanged part
//! stays one shared part, and rules that run later see that at once. Results carry a type only where the schema has
//! `dynamic`; elsewhere the compiled type is the type (V03: without `dynamic`, conforming is being equal).

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::Refusal;
use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{Node, Seq, Type, Value, ValueRef};

use super::flags::Flags;
use super::here::Here;
use super::program::{Inner, Kind, Member, Object, part, retyped};
use super::same::identical;

/// The result of a step of the merge.
pub(super) enum Merged {
    /// The prior's part.
    Prior,
    /// The configuration's part.
    Config,
    /// Either: they are not distinguishable.
    Both,
    /// Something new, with its type where that is not the compiled one.
    New(Node, Option<Type>),
}

/// One run of the merge.
pub(super) struct Merge {
    pub(super) merges_new_map_elements: bool,
    /// The results of the objects and collections under way, innermost last.
    pub(super) results: Vec<Merged>,
}

/// Whether the results so far are all one side's parts.
#[derive(Clone, Copy)]
pub(super) struct Sides {
    pub(super) prior: bool,
    pub(super) config: bool,
}

impl Sides {
    pub(super) fn note(&mut self, result: &Merged) {
        self.prior &= matches!(result, Merged::Prior | Merged::Both);
        self.config &= matches!(result, Merged::Config | Merged::Both);
    }

    pub(super) fn whole(self) -> Option<Merged> {
        match (self.prior, self.config) {
            (true, true) => Some(Merged::Both),
            (true, false) => Some(Merged::Prior),
            (false, true) => Some(Merged::Config),
            (false, false) => None,
        }
    }
}

impl Merged {
    /// The result as a value, from the two values that were merged.
    pub(super) fn value(self, prior: ValueRef<'_>, config: ValueRef<'_>, compiled: &Type) -> Value {
        match self {
            Merged::Prior => prior.to_value(),
            Merged::Config | Merged::Both => config.to_value(),
            Merged::New(node, ty) => Value::from_parts(ty.unwrap_or_else(|| compiled.clone()), node),
        }
    }

    pub(super) fn node(self, prior: &Node, config: &Node) -> Node {
        match self {
            Merged::Prior => prior.clone(),
            Merged::Config | Merged::Both => config.clone(),
            Merged::New(node, _) => node,
        }
    }

    fn ty(&self, prior: &Type, config: &Type) -> Option<Type> {
        match self {
            Merged::Prior => Some(prior.clone()),
            Merged::Config | Merged::Both => Some(config.clone()),
            Merged::New(_, ty) => ty.clone(),
        }
    }
}

impl Merge {
    pub(super) fn new(dialect: Dialect) -> Merge {
        Merge { merges_new_map_elements: dialect.merges_new_map_elements(), results: Vec::new() }
    }

    /// Records the result for part `index` of the object or collection whose results begin at `start`. As long as every
    /// part is the prior's nothing is recorded: where nothing changes, nothing is allocated.
    pub(super) fn put(&mut self, start: usize, index: usize, sides: &mut Sides, result: Merged) {
        sides.note(&result);
        if !sides.prior {
            self.put_priors(start, index);
            self.results.push(result);
        }
    }

    /// Records the prior's parts that were not recorded, so that there are `count` results.
    pub(super) fn put_priors(&mut self, start: usize, count: usize) {
        let known = self.results.len() - start;
        self.results.extend((known..count).map(|_| Merged::Prior));
    }

    /// M01: the merge of a block.
    pub(super) fn proposed(
        &mut self,
        object: &Object,
        prior: ValueRef<'_>,
        config: ValueRef<'_>,
        here: &Here<'_>,
    ) -> Result<Merged, Refusal> {
        if !prior.is_null() {
            return self.merge_block(object, prior, config, here);
        }
        if config.is_null() {
            return Ok(if prior.ty() == config.ty() { Merged::Both } else { Merged::Prior });
        }
        let empty = &object.empty;
        Ok(match self.merge_block(object, empty.view(), config, here)? {
            Merged::Prior => Merged::New(empty.node().clone(), object.holds.dynamic.then(|| empty.ty().clone())),
            Merged::Both => Merged::Config,
            other => other,
        })
    }

    /// M02: the same with a prior that is not null. Both conform to the block's type.
    pub(super) fn merge_block(
        &mut self,
        object: &Object,
        prior: ValueRef<'_>,
        config: ValueRef<'_>,
        here: &Here<'_>,
    ) -> Result<Merged, Refusal> {
        if !config.is_present() {
            return Ok(Merged::Prior);
        }
        self.merge_members(object, prior, config, here)
    }

    /// M12: the merge of an object of a nested type.
    fn merge_nested(
        &mut self,
        object: &Object,
        prior: ValueRef<'_>,
        config: ValueRef<'_>,
        here: &Here<'_>,
    ) -> Result<Merged, Refusal> {
        if config.is_null() {
            return Ok(Merged::Config);
        }
        self.merge_members(object, prior, config, here)
    }

    /// The element rule of the collections (M11, M15).
    pub(super) fn rule(
        &mut self,
        inner: &Inner,
        prior: ValueRef<'_>,
        config: ValueRef<'_>,
        here: &Here<'_>,
    ) -> Result<Merged, Refusal> {
        if inner.block {
            self.proposed(&inner.object, prior, config, here)
        } else {
            self.merge_nested(&inner.object, prior, config, here)
        }
    }

    /// An object with every member merged (M10, M15).
    fn merge_members(
        &mut self,
        object: &Object,
        prior: ValueRef<'_>,
        config: ValueRef<'_>,
        here: &Here<'_>,
    ) -> Result<Merged, Refusal> {
        if object.is_flat() {
            return Ok(merge_leaves(object, prior.node(), config.node()));
        }
        let start = self.results.len();
        let mut sides = Sides { prior: prior.is_present(), config: config.is_present() };
        for (index, member) in object.members.iter().enumerate() {
            let flags = object.flags[index];
            let result = match flags.is_leaf() {
                true => leaf(flags, part(prior.node(), index), part(config.node(), index), sides.prior).into(),
                false => self.merge_member(
                    member,
                    object.member(prior, index),
                    object.member(config, index),
                    &here.attribute(&member.name),
                )?,
            };
            self.put(start, index, &mut sides, result);
        }
        if let Some(whole) = sides.whole() {
            self.results.truncate(start);
            return Ok(whole);
        }
        let ty = if object.holds.dynamic { Some(self.object_type(object, prior, config, start)) } else { None };
        let parts = self.results.drain(start..).enumerate();
        let node = Seq::from_exact(
            parts.map(|(index, result)| result.node(part(prior.node(), index), part(config.node(), index))),
        );
        Ok(Merged::New(Node::Seq(node), ty))
    }

    /// The type of an object of the results from `start` on: the configuration's own if it fits.
    fn object_type(&self, object: &Object, prior: ValueRef<'_>, config: ValueRef<'_>, start: usize) -> Type {
        let results = &self.results[start..];
        let ty_of =
            |index: usize| results[index].ty(object.member(prior, index).ty(), object.member(config, index).ty());
        let fits = |index: usize| match &results[index] {
            Merged::Config | Merged::Both => true,
            result => {
                let (prior, config) = (object.member(prior, index).ty(), object.member(config, index).ty());
                result.ty(prior, config).is_none_or(|ty| ty == *config)
            }
        };
        let all_fit = object.members.iter().enumerate().all(|(index, member)| !member.dynamic || fits(index));
        if all_fit { config.ty().clone() } else { retyped(object, ty_of) }
    }

    /// M10, M15.
    pub(super) fn merge_member(
        &mut self,
        member: &Member,
        prior: ValueRef<'_>,
        config: ValueRef<'_>,
        here: &Here<'_>,
    ) -> Result<Merged, Refusal> {
        match &member.kind {
            Kind::Leaf => Ok(dynamic_leaf(member, prior, config)),
            Kind::Nested(inner) if member.computed && config.is_null() => {
                Ok(computed_nested(member, inner, prior, config))
            }
            Kind::Nested(inner) => {
                if !config.is_present() {
                    return self.merge_inner(inner, prior, config, here);
                }
                // M17, M18: a prior value of another type is checked for elements, where it is not null.
                let asked = match inner.mode {
                    Nesting::List => !prior.is_null(),
                    Nesting::Map => prior.is_present(),
                    _ => false,
                };
                let has_elements = !asked || member.describes(prior);
                let prior = member.prior(inner, prior).filter(|_| has_elements && member.describes(config));
                let Some(prior) = prior else {
                    return Err(here.refuse("M11", "a value of another type is looked into"));
                };
                self.merge_inner(inner, prior, config, here)
            }
            Kind::Block(inner) => self.merge_inner(inner, prior, config, here),
        }
    }

    /// M11, M15: by mode.
    fn merge_inner(
        &mut self,
        inner: &Inner,
        prior: ValueRef<'_>,
        config: ValueRef<'_>,
        here: &Here<'_>,
    ) -> Result<Merged, Refusal> {
        if config.is_unknown() {
            return Ok(Merged::Config);
        }
        if inner.mode == Nesting::Group && !inner.block {
            return Err(here.refuse("M11", "a nested type of mode group cannot be merged"));
        }
        if config.is_null() && !(inner.block && inner.mode == Nesting::Group) {
            return Ok(if prior.is_null() && prior.ty() == config.ty() { Merged::Both } else { Merged::Config });
        }
        match inner.mode {
            Nesting::Single | Nesting::Group => self.rule(inner, prior, config, here),
            Nesting::List => self.merge_list(inner, prior, config, here),
            Nesting::Map => self.merge_map(inner, prior, config, here),
            Nesting::Set => self.merge_set(inner, prior, config, here),
        }
    }
}

/// The result of M10 for a leaf.
#[derive(Clone, Copy)]
enum Leaf {
    Prior,
    Config,
    Both,
}

impl From<Leaf> for Merged {
    fn from(leaf: Leaf) -> Merged {
        match leaf {
            Leaf::Prior => Merged::Prior,
            Leaf::Config => Merged::Config,
            Leaf::Both => Merged::Both,
        }
    }
}

/// An object of leaves without `dynamic`.
fn merge_leaves(object: &Object, prior: &Node, config: &Node) -> Merged {
    if let (Node::Seq(prior), Node::Seq(config)) = (prior, config) {
        let sides = Sides { prior: true, config: true };
        return merge_parts(object, sides, prior.as_slice().iter(), config.as_slice().iter());
    }
    let known = |node: &Node| !node.is_null() && !node.is_unknown();
    let sides = Sides { prior: known(prior), config: known(config) };
    let indices = 0..object.members.len();
    merge_parts(
        object,
        sides,
        indices.clone().map(|index| part(prior, index)),
        indices.map(|index| part(config, index)),
    )
}

/// The members of both sides are compared once to find whose they are, and again if the object is new.
fn merge_parts<'a>(
    object: &Object,
    mut sides: Sides,
    prior: impl ExactSizeIterator<Item = &'a Node> + Clone,
    config: impl ExactSizeIterator<Item = &'a Node> + Clone,
) -> Merged {
    let members = object.flags.iter().zip(prior).zip(config);
    for ((flags, prior), config) in members.clone() {
        let leaf = leaf(*flags, prior, config, sides.prior);
        sides.prior &= !matches!(leaf, Leaf::Config);
        sides.config &= !matches!(leaf, Leaf::Prior);
        if !sides.prior && !sides.config {
            break;
        }
    }
    sides.whole().unwrap_or_else(|| {
        let chosen = members.map(|((flags, prior), config)| {
            let is_provided = flags.is_computed() && config.is_null();
            if is_provided { prior.clone() } else { config.clone() }
        });
        Merged::New(Node::Seq(Seq::from_exact(chosen)), None)
    })
}

/// M10 for a leaf without `dynamic`. `compare`: whether it still matters that the configuration repeats the prior.
fn leaf(flags: Flags, prior: &Node, config: &Node, compare: bool) -> Leaf {
    if flags.is_computed() && config.is_null() {
        if prior.is_null() { Leaf::Both } else { Leaf::Prior }
    } else if compare && identical(prior, config) {
        Leaf::Both
    } else {
        Leaf::Config
    }
}

/// M10 for a leaf that may be of different types on the two sides.
fn dynamic_leaf(member: &Member, prior: ValueRef<'_>, config: ValueRef<'_>) -> Merged {
    if prior.ty() == config.ty() {
        leaf(Flags::of(member), prior.node(), config.node(), true).into()
    } else if member.computed && config.is_null() {
        Merged::Prior
    } else {
        Merged::Config
    }
}

/// The first line of M10 for a nested type.
fn computed_nested(member: &Member, inner: &Inner, prior: ValueRef<'_>, config: ValueRef<'_>) -> Merged {
    if prior.is_null() && prior.ty() == config.ty() {
        Merged::Both
    } else if member.optional && was_configured(inner, prior.node()) {
        Merged::Config
    } else {
        Merged::Prior
    }
}

/// M21: whether a value that is not null sits somewhere inside at a nested attribute that is not computed.
fn was_configured(inner: &Inner, node: &Node) -> bool {
    let configured = |object: &Node| {
        let mut members = inner.object.members.iter().zip(object.parts());
        members.any(|(member, value)| {
            !value.is_null() && (!member.computed || member.inner().is_some_and(|inner| was_configured(inner, value)))
        })
    };
    match inner.mode {
        Nesting::Single | Nesting::Group => configured(node),
        Nesting::List | Nesting::Set | Nesting::Map => node.parts().iter().any(configured),
    }
}
