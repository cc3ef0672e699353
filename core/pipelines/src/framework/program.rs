//! A schema and its rules, compiled: the data of each walk of the pipeline, in the order in which objects are stored.

use std::fmt;

use crate::expression::Equiv;
use crate::path::SchemaPath;
use crate::rules::{Check, Mod, Rule, Rules};
use planfuzz_core::schema::{Attribute, Block, NestedBlock, NestedType, Nesting, Shape};
use planfuzz_core::value::{Text, Type, Value, ValueRef};

use super::DIALECT;

/// Why a schema and rules cannot be a provider of this style.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}, at {at} ({rule})")]
pub struct Inexpressible {
    /// The rule that they violate.
    pub rule: &'static str,
    /// The place in the schema.
    pub at: String,
    /// What is wrong.
    pub message: &'static str,
}

/// An object type of the schema: the resource, a block or the elements of a nested attribute.
#[derive(Debug)]
pub(super) struct Object {
    /// The members in the order in which objects store them.
    pub members: Box<[Member]>,
    /// The declared type.
    pub ty: Type,
    pub has: Has,
}

/// An attribute or block of an object.
#[derive(Debug)]
pub(super) struct Member {
    pub name: Text,
    /// The declared type.
    pub ty: Type,
    pub part: Part,
    pub flags: Flags,
    pub default: Option<Value>,
    pub equal: Option<Equiv>,
    pub plan: Box<[Mod]>,
    pub element_plan: Box<[Mod]>,
    pub validate: Box<[Check]>,
    /// Properties of this member or of members below it.
    pub has: Has,
}

/// The kind of a member.
#[derive(Debug)]
pub(super) enum Part {
    /// An attribute without nested attributes.
    Leaf,
    /// A nested attribute.
    Nested(Nest),
    /// A nested block type.
    Block(Nest),
}

/// Objects below a member.
#[derive(Debug)]
pub(super) struct Nest {
    pub nesting: Nesting,
    pub object: Object,
}

/// The flags of an attribute; all off for a block.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flags {
    pub required: bool,
    pub optional: bool,
    pub computed: bool,
    pub write_only: bool,
}

/// Properties that walks look for, so that they can skip parts without them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Has {
    pub default: bool,
    pub write_only: bool,
    /// An attribute that may be marked unknown (F41 b, c).
    pub markable: bool,
    pub modifiers: bool,
    pub equal: bool,
    /// A block of mode list or set (F02, F03).
    pub sequence_block: bool,
    /// `dynamic` in the declared type.
    pub dynamic: bool,
    /// A set in the declared type, or perhaps in a `dynamic`.
    pub set: bool,
}

impl Has {
    fn or(self, other: Has) -> Has {
        Has {
            default: self.default || other.default,
            write_only: self.write_only || other.write_only,
            markable: self.markable || other.markable,
            modifiers: self.modifiers || other.modifiers,
            equal: self.equal || other.equal,
            sequence_block: self.sequence_block || other.sequence_block,
            dynamic: self.dynamic || other.dynamic,
            set: self.set || other.set,
        }
    }
}

impl Part {
    pub fn nest(&self) -> Option<&Nest> {
        match self {
            Part::Leaf => None,
            Part::Nested(nest) | Part::Block(nest) => Some(nest),
        }
    }

    /// A block of mode list or set; outside of the pipeline it is never null, inside never empty (F02, F03).
    pub fn is_sequence_block(&self) -> bool {
        matches!(self, Part::Block(nest) if nest.nesting != Nesting::Single)
    }
}

impl Flags {
    fn of(attribute: &Attribute) -> Flags {
        let Attribute { required, optional, computed, write_only, .. } = *attribute;
        Flags { required, optional, computed, write_only }
    }
}

impl Object {
    /// A member of an object by its index: null for a null object, unknown for an unknown one (F56).
    pub fn member<'a>(&'a self, of: ValueRef<'a>, index: usize) -> ValueRef<'a> {
        let declared = &self.members[index].ty;
        if of.is_null() {
            return ValueRef::null(declared);
        }
        match (of.object_type(), of.node().parts().get(index)) {
            (Some(object), Some(node)) => ValueRef::new(&object.attributes()[index].ty, node),
            _ => ValueRef::unknown(declared),
        }
    }

    /// The members with their indexes.
    pub fn members(&self) -> impl Iterator<Item = (usize, &Member)> {
        self.members.iter().enumerate()
    }

    /// The index of a member.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.members.binary_search_by(|member| member.name.as_str().cmp(name)).ok()
    }
}

/// The position of the compiler.
struct Here<'r> {
    rules: &'r Rules,
    path: SchemaPath,
    in_collection: bool,
    in_set: bool,
}

impl Here<'_> {
    fn problem(&self, rule: &'static str, message: &'static str) -> Inexpressible {
        Inexpressible { rule, at: self.path.to_string(), message }
    }

    fn below(&self, name: &Text) -> Here<'_> {
        Here { rules: self.rules, path: self.path.child(name), ..*self }
    }

    fn inside(self, nesting: Nesting) -> Self {
        Here {
            in_collection: self.in_collection || nesting != Nesting::Single,
            in_set: self.in_set || nesting == Nesting::Set,
            ..self
        }
    }
}

impl fmt::Display for Here<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.fmt(f)
    }
}

/// Compiles the root of a schema.
pub(super) fn compile(block: &Block, rules: &Rules) -> Result<Object, Inexpressible> {
    if let Some((path, _)) = rules.iter().find(|(path, _)| path.find(block).is_none()) {
        let message = "expected a rule of an attribute or block of the schema";
        return Err(Inexpressible { rule: "F01", at: path.to_string(), message });
    }
    let here = Here { rules, path: SchemaPath::new(Vec::new()), in_collection: false, in_set: false };
    of_block(block, &here)
}

fn of_block(block: &Block, here: &Here<'_>) -> Result<Object, Inexpressible> {
    let ty = block.implied_type(DIALECT);
    let member = |name: &Text| match (block.block_types.get(name), block.attributes.get(name)) {
        (Some(nested), _) => of_nested_block(name, nested, here.below(name)),
        (None, Some(attribute)) => of_attribute(name, attribute, here.below(name)),
        (None, None) => Err(here.problem("S30", "expected an attribute or block for each member")),
    };
    object(ty, member)
}

fn of_nested_type(nested: &NestedType, here: &Here<'_>) -> Result<Object, Inexpressible> {
    let ty = nested.object_type(DIALECT);
    let member = |name: &Text| match nested.attributes.get(name) {
        Some(attribute) => of_attribute(name, attribute, here.below(name)),
        None => Err(here.problem("S31", "expected an attribute for each member")),
    };
    object(ty, member)
}

fn object(ty: Type, member: impl FnMut(&Text) -> Result<Member, Inexpressible>) -> Result<Object, Inexpressible> {
    let names: Vec<Text> =
        ty.as_object().into_iter().flat_map(|object| object.attributes()).map(|one| one.name.clone()).collect();
    let members = names.iter().map(member).collect::<Result<Box<[Member]>, _>>()?;
    let has = members.iter().fold(Has::default(), |has, member| has.or(member.has));
    Ok(Object { members, ty, has })
}

fn of_nested_block(name: &Text, nested: &NestedBlock, here: Here<'_>) -> Result<Member, Inexpressible> {
    if matches!(nested.nesting, Nesting::Group | Nesting::Map) {
        return Err(here.problem("F01", "expected a block of mode single, list or set"));
    }
    let rule = here.rules.get(&here.path).cloned().unwrap_or_default();
    if rule.default.is_some() {
        return Err(here.problem("F24", "expected no default on a block"));
    }
    let ty = nested.implied_type(DIALECT);
    let here = here.inside(nested.nesting);
    let object = of_block(&nested.block, &here)?;
    let part = Part::Block(Nest { nesting: nested.nesting, object });
    finish(name, ty, part, Flags::default(), rule, &here)
}

fn of_attribute(name: &Text, attribute: &Attribute, here: Here<'_>) -> Result<Member, Inexpressible> {
    let rule = here.rules.get(&here.path).cloned().unwrap_or_default();
    let (ty, flags) = (attribute.implied_type(DIALECT), Flags::of(attribute));
    check_attribute(&ty, flags, &rule, &here)?;
    match &attribute.shape {
        Shape::Leaf(_) => finish(name, ty, Part::Leaf, flags, rule, &here),
        Shape::Nested(nested) if nested.nesting == Nesting::Group => {
            Err(here.problem("F01", "expected a nested attribute of mode single, list, set or map"))
        }
        Shape::Nested(nested) => {
            let here = here.inside(nested.nesting);
            let part = Part::Nested(Nest { nesting: nested.nesting, object: of_nested_type(nested, &here)? });
            finish(name, ty, part, flags, rule, &here)
        }
    }
}

/// F01, and that a default is of the attribute's type.
fn check_attribute(ty: &Type, flags: Flags, rule: &Rule, here: &Here<'_>) -> Result<(), Inexpressible> {
    if has_tuple(ty) {
        return Err(here.problem("F01", "expected a type without tuples"));
    }
    if ty.has_dynamic() && (here.in_collection || has_dynamic_in_collection(ty)) {
        return Err(here.problem("F01", "expected no dynamic inside a list, set or map"));
    }
    if flags.write_only && (flags.computed || here.in_set || matches!(ty, Type::Set(_))) {
        return Err(here.problem("F01", "expected a write-only attribute that is not computed, no set and in no set"));
    }
    match &rule.default {
        Some(default) if !default.ty().conforms_to(ty) => {
            Err(here.problem("F20", "expected a default of the attribute's type"))
        }
        _ => Ok(()),
    }
}

fn has_tuple(ty: &Type) -> bool {
    match ty {
        Type::Tuple(_) => true,
        Type::List(element) | Type::Set(element) | Type::Map(element) => has_tuple(element),
        Type::Object(object) => object.attributes().iter().any(|attribute| has_tuple(&attribute.ty)),
        Type::Dynamic | Type::Bool | Type::Number | Type::String => false,
    }
}

fn has_dynamic_in_collection(ty: &Type) -> bool {
    match ty {
        Type::Object(object) => object.attributes().iter().any(|attribute| has_dynamic_in_collection(&attribute.ty)),
        _ => ty.element().is_some_and(Type::has_dynamic),
    }
}

/// Whether values of the type may contain a set.
fn may_have_set(ty: &Type) -> bool {
    ty.has_set() || ty.has_dynamic()
}

fn finish(
    name: &Text,
    ty: Type,
    part: Part,
    flags: Flags,
    rule: Rule,
    here: &Here<'_>,
) -> Result<Member, Inexpressible> {
    let Rule { default, equal, plan, element_plan, validate, computed: _, remote_form: _, unreadable: _ } = rule;
    let has_elements = part.nest().is_some_and(|nest| nest.nesting != Nesting::Single);
    if !element_plan.is_empty() && !has_elements {
        return Err(here.problem("F57", "expected modifiers of elements only where there are elements"));
    }
    let own = Has {
        default: default.is_some(),
        write_only: flags.write_only,
        markable: flags.computed && default.is_none(),
        modifiers: !plan.is_empty() || !element_plan.is_empty(),
        equal: equal.is_some(),
        sequence_block: part.is_sequence_block(),
        dynamic: ty.has_dynamic(),
        set: may_have_set(&ty),
    };
    let has = part.nest().map_or(own, |nest| own.or(nest.object.has));
    let (plan, element_plan, validate) = (plan.into(), element_plan.into(), validate.into());
    Ok(Member { name: name.clone(), ty, part, flags, default, equal, plan, element_plan, validate, has })
}
