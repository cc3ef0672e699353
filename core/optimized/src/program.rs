//! The schema compiled for planning: members in the order of the payload, flags beside them, so that walks look up nothing.

use std::sync::OnceLock;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::{Attribute, Block, Named, NestedBlock, NestedType, Nesting, Shape};
use planfuzz_core::value::{Node, Text, Type, TypeAttribute, Value, ValueRef};

use super::flags::Flags;

/// The objects of a block or of a nested type.
#[derive(Clone)]
pub(super) struct Object {
    /// The implied type (S30, S31).
    pub(super) ty: Type,
    /// Attributes and nested blocks together, in the order of the payload (V10).
    pub(super) members: Box<[Member]>,
    /// The facts about each member that walks need.
    pub(super) flags: Box<[Flags]>,
    /// The empty value (S35); of a nested type, where it has no meaning, null.
    pub(super) empty: Value,
    /// Facts about everything inside.
    pub(super) holds: Holds,
    /// The members by which elements of a set of these objects are looked up.
    pub(super) keys: Keys,
    /// The legacy stub (LN03); `None` where it would be a broken value.
    pub(super) stub: Option<Node>,
    /// The same object for members of any types, made on first use ([`Object::for_read`]).
    loose: OnceLock<Box<Object>>,
}

/// The kinds of parts inside an object, at any depth.
#[derive(Clone, Copy, Default)]
pub(super) struct Holds {
    /// A place whose payload does not determine the type: of a type with `dynamic`, or a leaf with optional markers, which
    /// only a null or unknown made by the schema has (S34).
    pub(super) dynamic: bool,
    /// A place of a type with `dynamic` (S30).
    pub(super) any_type: bool,
    /// A leaf whose type has optional markers (S34).
    pub(super) markers: bool,
    /// A computed attribute, or a nested type that no merge survives (M11 group).
    pub(super) computed: bool,
    /// A nested type or a nested block.
    pub(super) structure: bool,
    /// A block that is not single (P10 0).
    pub(super) plural_blocks: bool,
    /// A map block: where AC20 is lenient with keys.
    pub(super) map_blocks: bool,
    /// A computed block (C10).
    pub(super) computed_blocks: bool,
    /// A list or map block of type `dynamic` (S30), whose content may not be readable as blocks.
    pub(super) untyped_blocks: bool,
    /// A sensitive attribute (S70).
    pub(super) sensitive: bool,
    /// A write-only attribute (S73).
    pub(super) write_only: bool,
    /// Something that no schema of the legacy SDK has (K03).
    pub(super) modern: bool,
}

/// The members of an element by their role in M22.
#[derive(Clone, Default)]
pub(super) struct Keys {
    /// H02: members that only match by equality. Leaves that are not computed, and everything of a set type.
    pub(super) rigid: Box<[usize]>,
    /// A rigid member that distinguishes most elements: the first text, or else the first number.
    pub(super) distinguishing: Option<usize>,
    /// H03: computed leaves of no set type. If null in the configuration they match anything, else only an equal value.
    pub(super) free: Box<[usize]>,
}

/// An attribute or a nested block.
#[derive(Clone)]
pub(super) struct Member {
    pub(super) name: Text,
    pub(super) ty: Type,
    /// The type of a null or unknown that the schema itself gives (S34).
    pub(super) declared: Type,
    pub(super) kind: Kind,
    pub(super) optional: bool,
    pub(super) computed: bool,
    pub(super) write_only: bool,
    pub(super) sensitive: bool,
    /// Whether values may be of other types than `ty`: it has `dynamic` anywhere, or `declared` has optional markers.
    pub(super) dynamic: bool,
    /// Whether the type is a set type (M22 2).
    pub(super) set: bool,
}

/// The kind of a member.
#[derive(Clone)]
pub(super) enum Kind {
    Leaf,
    Nested(Inner),
    Block(Inner),
}

/// A nested type or a nested block below its member.
#[derive(Clone)]
pub(super) struct Inner {
    pub(super) mode: Nesting,
    pub(super) object: Object,
    /// Whether the objects are those of a nested block, with M01 as the element rule, or of a nested type, with M12.
    pub(super) block: bool,
    /// Whether the block is computed (S05).
    pub(super) computed: bool,
    /// Whether the place itself is `dynamic` (S30), so that a value of any type may stand there.
    pub(super) untyped: bool,
}

impl Object {
    /// The member of that name.
    pub(super) fn named(&self, name: &Text) -> Option<&Member> {
        let index = self.members.binary_search_by(|member| member.name.cmp(name)).ok()?;
        Some(&self.members[index])
    }

    /// Compiles a block.
    pub(super) fn of_block(block: &Block, dialect: Dialect) -> Object {
        let mut members = attributes(&block.attributes, dialect);
        members.extend(block.block_types.iter().map(|(name, block)| nested_block(name, block, dialect)));
        let mut object = Object::of_members(members);
        object.empty = empty(&object);
        object.stub = stub(&object);
        object
    }

    fn of_nested_type(nested: &NestedType, dialect: Dialect) -> Object {
        Object::of_members(attributes(&nested.attributes, dialect))
    }

    fn of_members(mut members: Vec<Member>) -> Object {
        // An attribute and a block of one name make no valid schema (S16); the attribute stays.
        members.sort_by(|a, b| a.name.cmp(&b.name));
        members.dedup_by(|later, kept| later.name == kept.name);
        let ty = Type::object(members.iter().map(|member| (member.name.clone(), member.ty.clone())));
        Object {
            empty: Value::null(ty.clone()),
            holds: holds(&ty, &members),
            keys: keys(&members),
            stub: None,
            loose: OnceLock::new(),
            flags: members.iter().map(Flags::of).collect(),
            members: members.into(),
            ty,
        }
    }

    /// The value of member `index` of an object (the opening of merge-and-rules.md): of a null object null, of an
    /// unknown one unknown.
    pub(super) fn member<'a>(&'a self, value: ValueRef<'a>, index: usize) -> ValueRef<'a> {
        let member = &self.members[index];
        let ty = match value.ty() {
            Type::Object(object) if member.dynamic => {
                object.attributes().get(index).map_or(&member.ty, |attribute| &attribute.ty)
            }
            _ => &member.ty,
        };
        ValueRef::new(ty, part(value.node(), index))
    }

    /// Whether there are only leaves, and no `dynamic`.
    pub(super) fn is_flat(&self) -> bool {
        !self.holds.structure && !self.holds.dynamic
    }

    /// How a value that is not null can be read as one of these objects, where any type may stand (M02).
    pub(super) fn read(&self, value: ValueRef<'_>) -> Read {
        if value.ty().conforms_to(&self.ty) {
            return Read::Whole;
        }
        match self.without_others(value) {
            Some(cut) if cut.ty().conforms_to(&self.ty) => Read::Cut(cut),
            Some(cut) if self.has_other_attributes_alone(cut.view()) => Read::Other(cut),
            _ => Read::Not,
        }
    }

    /// The object by which to walk values that were read: where one of them has members of other types, the declared types are
    /// not relied on.
    pub(super) fn for_read(&self, read: &[Read]) -> &Object {
        match read.iter().any(|read| matches!(read, Read::Other(_))) {
            true => self.loose.get_or_init(|| Box::new(self.loosened())),
            false => self,
        }
    }

    fn loosened(&self) -> Object {
        let mut loose = self.clone();
        loose.members.iter_mut().for_each(|member| member.dynamic = true);
        loose.flags = loose.members.iter().map(Flags::of).collect();
        loose.holds.dynamic = true;
        loose
    }

    /// Whether the members of other types than the declared ones are attributes only, of which only the value is used (nested
    /// types are checked later, [`Member::describes`]), or blocks that are null.
    fn has_other_attributes_alone(&self, value: ValueRef<'_>) -> bool {
        self.members.iter().all(|member| {
            !matches!(member.kind, Kind::Block(_))
                || value.member(&member.name).is_some_and(|part| part.is_null() || part.ty().conforms_to(&member.ty))
        })
    }

    /// The value without the attributes that are no members; `None` where members are missing.
    fn without_others(&self, value: ValueRef<'_>) -> Option<Value> {
        let object = value.object_type()?;
        if value.is_unknown() {
            let ty = |member: &Member| Some((member.name.clone(), object.attribute_type(&member.name)?.clone()));
            let ty = Type::object(self.members.iter().map(ty).collect::<Option<Vec<_>>>()?);
            return Some(Value::from_parts(ty, value.node().clone()));
        }
        let member = |member: &Member| Some((member.name.clone(), value.member(&member.name)?.to_value()));
        Some(Value::object(self.members.iter().map(member).collect::<Option<Vec<_>>>()?))
    }
}

/// The result of [`Object::read`].
pub(super) enum Read {
    Whole,
    /// The value without the attributes that the block does not have.
    Cut(Value),
    /// The same, where some member is of another type than the block's ([`Object::for_read`]).
    Other(Value),
    Not,
}

impl Read {
    /// The readable form of the value that was passed to [`Object::read`].
    pub(super) fn of<'a>(&'a self, value: ValueRef<'a>) -> Option<ValueRef<'a>> {
        match self {
            Read::Whole => Some(value),
            Read::Cut(cut) | Read::Other(cut) => Some(cut.view()),
            Read::Not => None,
        }
    }
}

impl Member {
    /// Whether equality at this member compares no part more than twice: a leaf, or objects of leaves (H09).
    pub(super) fn is_shallow(&self) -> bool {
        self.inner().is_none_or(|inner| !inner.object.holds.structure)
    }

    pub(super) fn inner(&self) -> Option<&Inner> {
        match &self.kind {
            Kind::Leaf => None,
            Kind::Nested(inner) | Kind::Block(inner) => Some(inner),
        }
    }

    /// Whether the parts of a value can be read by this member, since it may be of another type than the member's
    /// ([`Object::for_read`]).
    pub(super) fn describes(&self, value: ValueRef<'_>) -> bool {
        !self.dynamic || value.ty().conforms_to(&self.ty)
    }

    /// The prior value in which elements are looked up: one of another type without parts has none. `None` where members are
    /// read, or where it has parts.
    pub(super) fn prior<'a>(&'a self, inner: &Inner, prior: ValueRef<'a>) -> Option<ValueRef<'a>> {
        match prior.node() {
            _ if self.describes(prior) => Some(prior),
            Node::Seq(_) | Node::Map(_) => None,
            _ if matches!(inner.mode, Nesting::Single | Nesting::Group) => None,
            Node::Unknown(_) => Some(ValueRef::unknown(&self.ty)),
            _ => Some(ValueRef::null(&self.ty)),
        }
    }

    pub(super) fn is_leaf(&self) -> bool {
        matches!(self.kind, Kind::Leaf)
    }
}

static NULL: Node = Node::Null;
static UNKNOWN: Node = Node::UNKNOWN;

/// The payload of a part: null for a null whole, unknown for an unknown one.
pub(super) fn part(node: &Node, index: usize) -> &Node {
    match node {
        Node::Null => &NULL,
        Node::Unknown(_) => &UNKNOWN,
        known => known.parts().get(index).unwrap_or(&NULL),
    }
}

fn attributes(attributes: &Named<Attribute>, dialect: Dialect) -> Vec<Member> {
    attributes.iter().map(|(name, attribute)| member_of_attribute(name, attribute, dialect)).collect()
}

fn member_of_attribute(name: &Text, attribute: &Attribute, dialect: Dialect) -> Member {
    let (ty, kind) = match &attribute.shape {
        Shape::Leaf(ty) => (ty.strip_optional(), Kind::Leaf),
        // S31: in dialects without the mode group for nested types, group means the empty object.
        Shape::Nested(nested) if nested.nesting == Nesting::Group && !dialect.has_group_nested_types() => {
            (Type::empty_object(), Kind::Leaf)
        }
        Shape::Nested(nested) => {
            let object = Object::of_nested_type(nested, dialect);
            let ty = collection(nested.nesting, &object.ty);
            let inner = Inner { mode: nested.nesting, object, block: false, computed: false, untyped: false };
            (ty, Kind::Nested(inner))
        }
    };
    let inside = match &kind {
        Kind::Nested(inner) | Kind::Block(inner) => inner.object.holds.dynamic,
        Kind::Leaf => false,
    };
    let declared = match &attribute.shape {
        Shape::Leaf(declared) if declared.has_optional() => declared.clone(),
        _ => ty.clone(),
    };
    Member {
        name: name.clone(),
        kind,
        optional: attribute.optional,
        computed: attribute.computed,
        write_only: attribute.write_only,
        sensitive: attribute.sensitive,
        dynamic: inside || ty.has_dynamic() || declared.has_optional(),
        set: matches!(ty, Type::Set(_)),
        ty,
        declared,
    }
}

fn nested_block(name: &Text, block: &NestedBlock, dialect: Dialect) -> Member {
    let object = Object::of_block(&block.block, dialect);
    let untyped = object.holds.any_type && matches!(block.nesting, Nesting::List | Nesting::Map);
    let ty = if untyped { Type::Dynamic } else { collection(block.nesting, &object.ty) };
    let computed = dialect.has_computed_blocks() && block.block.computed;
    Member {
        name: name.clone(),
        optional: false,
        computed: false,
        write_only: false,
        sensitive: false,
        dynamic: object.holds.dynamic,
        set: matches!(ty, Type::Set(_)),
        declared: ty.clone(),
        ty,
        kind: Kind::Block(Inner { mode: block.nesting, object, block: true, computed, untyped }),
    }
}

fn collection(mode: Nesting, object: &Type) -> Type {
    match mode {
        Nesting::Single | Nesting::Group => object.clone(),
        Nesting::List => Type::list(object.clone()),
        Nesting::Set => Type::set(object.clone()),
        Nesting::Map => Type::map(object.clone()),
    }
}

fn holds(ty: &Type, members: &[Member]) -> Holds {
    let mut all = Holds { dynamic: ty.has_dynamic(), any_type: ty.has_dynamic(), ..Holds::default() };
    for member in members {
        all.markers |= member.is_leaf() && member.declared.has_optional();
        all.dynamic |= member.dynamic;
        all.computed |= member.computed;
        all.sensitive |= member.sensitive;
        all.write_only |= member.write_only;
        all.modern |= member.is_leaf() && is_modern(&member.ty);
        let Some(inner) = member.inner() else { continue };
        let below = inner.object.holds;
        all.markers |= below.markers;
        all.structure = true;
        all.computed |= below.computed || (!inner.block && inner.mode == Nesting::Group);
        all.plural_blocks |= below.plural_blocks || (inner.block && inner.mode != Nesting::Single);
        all.map_blocks |= below.map_blocks || (inner.block && inner.mode == Nesting::Map);
        all.computed_blocks |= below.computed_blocks || inner.computed;
        all.untyped_blocks |= below.untyped_blocks || inner.untyped;
        all.sensitive |= below.sensitive;
        all.write_only |= below.write_only;
        all.modern |= below.modern || !inner.block || inner.computed;
    }
    all
}

fn keys(members: &[Member]) -> Keys {
    let pick = |wanted: &dyn Fn(&Member) -> bool| {
        members.iter().enumerate().filter(|(_, member)| wanted(member)).map(|(index, _)| index).collect::<Box<[_]>>()
    };
    let rigid = pick(&|member| member.set || (member.is_leaf() && !member.computed));
    let of_type = |ty: Type| rigid.iter().copied().find(|index| members[*index].ty == ty);
    Keys {
        distinguishing: of_type(Type::String).or_else(|| of_type(Type::Number)),
        rigid,
        free: pick(&|member| !member.set && member.is_leaf() && member.computed),
    }
}

/// K03: whether no leaf of a legacy schema has the type.
fn is_modern(ty: &Type) -> bool {
    match ty {
        Type::Tuple(_) | Type::Object(_) => true,
        Type::List(element) | Type::Set(element) | Type::Map(element) => match &**element {
            Type::Object(_) => matches!(ty, Type::Map(_)),
            Type::List(inner) | Type::Set(inner) | Type::Map(inner) => !inner.is_primitive(),
            _ => false,
        },
        Type::Dynamic | Type::Bool | Type::Number | Type::String => false,
    }
}

pub(super) fn has_number(ty: &Type) -> bool {
    match ty {
        Type::Number | Type::Dynamic => true,
        Type::Bool | Type::String => false,
        Type::List(element) | Type::Set(element) | Type::Map(element) => has_number(element),
        Type::Tuple(tuple) => tuple.elements().iter().any(has_number),
        Type::Object(object) => object.attributes().iter().any(|attribute| has_number(&attribute.ty)),
    }
}

/// S35.
fn empty(object: &Object) -> Value {
    let members = object.members.iter().map(|member| {
        let value = match &member.kind {
            Kind::Leaf | Kind::Nested(_) => Value::null(member.declared.clone()),
            Kind::Block(inner) => empty_block(member, inner),
        };
        (member.name.clone(), value)
    });
    Value::object(members.collect())
}

fn empty_block(member: &Member, inner: &Inner) -> Value {
    match inner.mode {
        Nesting::Single => Value::null(member.ty.clone()),
        Nesting::Group => inner.object.empty.clone(),
        Nesting::List if inner.untyped => Value::from_parts(Type::tuple(Vec::new()), Node::seq(Vec::new())),
        Nesting::Map if inner.untyped => Value::object(Vec::new()),
        Nesting::List | Nesting::Set | Nesting::Map => {
            Value::from_parts(member.ty.clone(), empty_collection(inner.mode))
        }
    }
}

/// The payload of a collection without elements.
pub(super) fn empty_collection(mode: Nesting) -> Node {
    match mode {
        Nesting::Map => Node::Map(triomphe::Arc::new(planfuzz_core::value::MapNode::from_sorted(Vec::new()))),
        _ => Node::seq(Vec::new()),
    }
}

/// LN03.
fn stub(object: &Object) -> Option<Node> {
    let members = object.members.iter().map(|member| match &member.kind {
        Kind::Leaf => Some(Node::UNKNOWN),
        Kind::Nested(_) => None,
        Kind::Block(inner) => match inner.mode {
            Nesting::Single | Nesting::Group => inner.object.stub.clone(),
            Nesting::List | Nesting::Set => Some(Node::seq(vec![inner.object.stub.clone()?])),
            Nesting::Map => Some(empty_collection(Nesting::Map)),
        },
    });
    members.collect::<Option<Vec<Node>>>().map(Node::seq)
}

/// An object type with the attribute names of `object` and the types that `types` names instead of its own.
pub(super) fn retyped(object: &Object, mut types: impl FnMut(usize) -> Option<Type>) -> Type {
    let attributes = object.members.iter().enumerate().map(|(index, member)| TypeAttribute {
        name: member.name.clone(),
        ty: types(index).unwrap_or_else(|| member.ty.clone()),
        optional: false,
    });
    Type::Object(triomphe::Arc::new(planfuzz_core::value::ObjectType::new(attributes.collect())))
}
