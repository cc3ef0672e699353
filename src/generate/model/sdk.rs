//! Providers of the SDK style: a schema that the SDK can declare, its fields' behaviours, plan customisation.

use std::sync::Arc;

use planfuzz_core::schema::{Attribute, Block, Named, NestedBlock, Nesting, Shape};
use planfuzz_core::value::{Text, Type, TypeAttribute, Value};
use planfuzz_pipelines::expression::{Canon, Changed, Cond, Equiv, Expr};
use planfuzz_pipelines::path::SchemaPath;
use planfuzz_pipelines::rules::CustomizeOp;
use planfuzz_pipelines::sdk::{ConfigMode, Elem, Field, ID, Kind, Primitive, Resource, Schema, SdkValue};

use super::behaviours::free_canon;
use super::expressions::{self, Bounds, DEPTH, Reach};
use super::shapes::fresh_name;
use super::spots::{Part, Spot};
use super::{Conduct, Kit};
use crate::generate::dice::{Dice, weighted};
use crate::generate::swarm::{Swarm, Switch};
use crate::generate::value::ValueGenerator;

/// The features that a schema of the SDK can have (Z03). Names with dots and keys with dots are ambiguous in its flat maps.
pub(super) fn swarm(swarm: Swarm) -> Swarm {
    let off = [Switch::NestedType, Switch::Dynamic, Switch::Tuple, Switch::GroupBlock, Switch::ComputedBlock];
    off.into_iter().chain([Switch::OddNames, Switch::OptionalMarker]).fold(swarm, Swarm::without)
}

/// Changes a schema into one that the SDK can declare, `id` apart.
pub(super) fn fit(block: &mut Block, careful: bool) {
    fit_block(block, Place { inner: false, set: false, careful });
}

#[derive(Clone, Copy)]
struct Place {
    /// Inside a block.
    inner: bool,
    /// Inside a set.
    set: bool,
    /// Whether the provider is to be well-behaved.
    careful: bool,
}

fn fit_block(block: &mut Block, place: Place) {
    block.computed = false;
    let entries = std::mem::take(&mut block.attributes).into_entries();
    let fitted = entries.into_iter().filter(|(name, _)| place.inner || &**name != ID).map(|(name, mut attribute)| {
        fit_attribute(&mut attribute, place);
        (name, attribute)
    });
    let mut fitted: Vec<(Text, Attribute)> = fitted.collect();
    // Z33: configured attributes distinguish the elements of a set.
    if place.careful && place.set && !fitted.iter().any(|(_, attribute)| attribute.required) {
        let attribute = Attribute { required: true, ..Attribute::new(Shape::Leaf(Type::String)) };
        fitted.push((fresh_name(&fitted), attribute));
    }
    block.attributes = Named::new(fitted);
    for nested in block.block_types.values_mut() {
        let plainer = match nested.nesting {
            Nesting::Set => Nesting::Set,
            _ => Nesting::List,
        };
        if plainer != nested.nesting {
            let block = std::mem::take(&mut nested.block);
            *nested = NestedBlock { nesting: plainer, min_items: 0, max_items: 0, block };
        }
        fit_block(&mut nested.block, Place { inner: true, set: place.set || plainer == Nesting::Set, ..place });
    }
}

fn fit_attribute(attribute: &mut Attribute, place: Place) {
    let ty = match &attribute.shape {
        Shape::Leaf(ty) => fit_type(ty, place, false),
        Shape::Nested(_) => Type::String,
    };
    let ty = if place.careful && place.inner { keeping_empty(ty, place.set) } else { ty };
    let is_set = matches!(ty, Type::Set(_));
    // Z85: a set of objects inside a block is written to another place.
    let quirky = is_set && place.inner && ty.element().is_some_and(|element| element.as_object().is_some());
    attribute.shape = Shape::Leaf(if quirky { Type::set(Type::String) } else { ty });
    if attribute.computed || is_set || place.set {
        attribute.write_only = false;
    }
    // Z156: an optional and computed set keeps prior where it is unknown. Z33: elements that differ only in computed fields are one.
    if place.careful && attribute.computed && (is_set && attribute.optional || place.set) {
        (attribute.computed, attribute.optional) = (false, true);
    }
    // Z157: an optional primitive in a block is always set, or comes back as zero.
    if place.careful && place.inner && attribute.optional {
        (attribute.required, attribute.optional, attribute.computed) = (true, false, false);
    }
}

/// Z51: inside a list a map or a collection of collections that is empty is none, and any collection inside a set.
fn keeping_empty(ty: Type, in_set: bool) -> Type {
    let is_plain = ty.element().is_none_or(Type::is_primitive);
    match ty {
        Type::Map(_) => Type::String,
        Type::List(_) | Type::Set(_) if in_set => Type::String,
        Type::List(_) if !is_plain => Type::list(Type::String),
        Type::Set(_) if !is_plain => Type::set(Type::String),
        ty => ty,
    }
}

/// The SDK's counterpart of the type.
fn fit_type(ty: &Type, place: Place, in_object: bool) -> Type {
    match ty {
        Type::Bool | Type::Number | Type::String => ty.clone(),
        Type::List(element) => Type::list(fit_element(element, place, in_object)),
        Type::Set(element) => Type::set(fit_element(element, Place { set: true, ..place }, in_object)),
        // Z31: bools in maps inside sets crash.
        Type::Map(element) => match &**element {
            Type::Bool if place.set => Type::map(Type::String),
            Type::Bool | Type::Number | Type::String => ty.clone(),
            _ => Type::map(Type::String),
        },
        Type::Dynamic | Type::Tuple(_) | Type::Object(_) => Type::String,
    }
}

fn fit_element(ty: &Type, place: Place, in_object: bool) -> Type {
    let Type::Object(object) = ty else { return fit_type(ty, place, in_object) };
    // Z157: the fields of an object type are optional, and have no defaults.
    if place.careful {
        return Type::String;
    }
    let plain = |attribute: &TypeAttribute| !attribute.name.is_empty() && !attribute.name.contains('.');
    let fields: Vec<(Text, Type)> = object
        .attributes()
        .iter()
        .filter(|attribute| plain(attribute))
        .map(|attribute| (attribute.name.clone(), fit_type(&attribute.ty, place, true)))
        .collect();
    if fields.is_empty() || in_object && place.set { Type::String } else { Type::object(fields) }
}

/// The SDK's schema for an adapted Core schema, with the behaviour of its fields; `None` for a shape that it does not have.
pub(super) fn schema(
    dice: &mut Dice<'_, '_>,
    core: &planfuzz_core::schema::Schema,
    conduct: Conduct,
    whole: bool,
) -> Option<Schema> {
    let plain = Schema::from_core(core).ok()?;
    let mut values = FieldMaker { dice, conduct, whole, depth: 0, in_set: false };
    Some(Schema::new(values.fields(plain.fields(), true)))
}

struct FieldMaker<'f, 'd, 'b> {
    dice: &'f mut Dice<'d, 'b>,
    conduct: Conduct,
    /// Whether all numbers of the resource are whole.
    whole: bool,
    /// How many lists and sets of resources are above the field.
    depth: usize,
    /// Whether one of them is a set.
    in_set: bool,
}

impl FieldMaker<'_, '_, '_> {
    fn fields(&mut self, fields: &Named<Field>, own: bool) -> Named<Field> {
        let made = fields.iter().map(|(name, field)| (name.clone(), self.field(field, own)));
        Named::new(made.collect())
    }

    /// The field with behaviours. Only a schema's own fields get them, the fields of an object type do not (Z01).
    fn field(&mut self, plain: &Field, own: bool) -> Field {
        let mut field = plain.clone();
        let of_own = own && field.config_mode != ConfigMode::Attr;
        field.kind = self.kind(&field.kind, of_own && plain.is_block());
        if !own {
            return field;
        }
        let primitive = match field.kind {
            Kind::Primitive(primitive) => Some(primitive),
            _ => None,
        };
        // Z55: a field inside something unknown does not request a replacement yet.
        let settles = self.conduct == Conduct::Free || self.depth == 0;
        field.force_new = settles && field.is_configurable() && self.dice.chance(44);
        if let Some(primitive) = primitive.filter(|_| !field.computed && !field.required && !field.write_only)
            && self.dice.chance(64)
        {
            field.default = Some(self.default(primitive));
        }
        if primitive == Some(Primitive::String) && field.is_configurable() && !field.write_only {
            self.texts(&mut field);
        }
        field
    }

    fn kind(&mut self, kind: &Kind, own: bool) -> Kind {
        match kind {
            Kind::Primitive(primitive) => Kind::Primitive(self.primitive(*primitive)),
            Kind::Map(primitive) => Kind::Map(self.primitive(*primitive)),
            Kind::List(elem) => Kind::List(self.elem(elem, own)),
            Kind::Set(elem) => {
                let above = std::mem::replace(&mut self.in_set, true);
                let elem = self.elem(elem, own);
                self.in_set = above;
                Kind::Set(elem)
            }
        }
    }

    fn elem(&mut self, elem: &Elem, own: bool) -> Elem {
        match elem {
            Elem::Kind(kind) => Elem::Kind(Box::new(self.kind(kind, false))),
            Elem::Resource(resource) => {
                self.depth += 1;
                let fields = self.fields(resource.fields(), own);
                self.depth -= 1;
                Elem::Resource(Resource::new(fields))
            }
        }
    }

    /// A number is an int or a float.
    fn primitive(&mut self, primitive: Primitive) -> Primitive {
        match primitive {
            Primitive::Float if self.whole && self.dice.chance(160) => Primitive::Int,
            same => same,
        }
    }

    fn default(&mut self, primitive: Primitive) -> SdkValue {
        let number = self.dice.below(4);
        match primitive {
            Primitive::Bool => SdkValue::Bool(self.dice.chance(128)),
            Primitive::Int => SdkValue::Int(number as i64),
            Primitive::Float => SdkValue::Float(number as f64),
            Primitive::String => SdkValue::Text(["a", "b", "", "1"][number].to_owned()),
        }
    }

    /// State functions and suppression: both model what the remote system does to the text.
    fn texts(&mut self, field: &mut Field) {
        let careful = self.conduct == Conduct::WellBehaved;
        match self.dice.below(16) {
            0 | 1 => field.state_func = Some([Canon::Lower, Canon::Trim, Canon::Json][self.dice.below(3)].clone()),
            2 if !careful => field.state_func = Some(Canon::AlwaysPrefix),
            // Z152: not below a set.
            3..=5 if careful && self.in_set => {}
            3..=5 => {
                field.diff_suppress = Some([Equiv::Case, Equiv::Trim, Equiv::Json][self.dice.below(3)].clone());
                field.suppress_on_refresh = self.dice.chance(128);
            }
            6 if !careful => {
                field.diff_suppress = Some([Equiv::Always, Equiv::NewEmpty][self.dice.below(2)].clone());
                field.suppress_on_refresh = self.dice.chance(128);
            }
            _ => {}
        }
    }
}

/// The form in which the remote system stores a field: that of its state function, or one that its suppression hides.
pub(super) fn remote_forms(
    values: &mut ValueGenerator<'_, '_, '_>,
    schema: &Arc<Schema>,
    conduct: Conduct,
) -> Vec<(SchemaPath, Canon)> {
    let mut forms = Vec::new();
    forms_of(values, schema.fields(), &SchemaPath::new(Vec::new()), conduct, &mut forms);
    forms
}

fn forms_of(
    values: &mut ValueGenerator<'_, '_, '_>,
    fields: &Named<Field>,
    at: &SchemaPath,
    conduct: Conduct,
    forms: &mut Vec<(SchemaPath, Canon)>,
) {
    for (name, field) in fields.iter() {
        let canon = match (&field.state_func, &field.diff_suppress) {
            _ if conduct == Conduct::Free && values.dice.chance(20) => Some(free_canon(values, true)),
            (Some(canon), _) => Some(canon.clone()),
            (None, Some(Equiv::Case)) if field.suppress_on_refresh => Some(Canon::Lower),
            (None, Some(Equiv::Trim)) if field.suppress_on_refresh => Some(Canon::Trim),
            (None, Some(Equiv::Json)) if field.suppress_on_refresh => Some(Canon::Json),
            _ => None,
        };
        let path = at.child(name);
        if let (Kind::List(Elem::Resource(inner)) | Kind::Set(Elem::Resource(inner)), true) =
            (&field.kind, field.is_block())
        {
            forms_of(values, inner.fields(), &path, conduct, forms);
        }
        forms.extend(canon.map(|canon| (path, canon)));
    }
}

/// Plan customisation (section 3.3); mostly none.
pub(super) fn customize(values: &mut ValueGenerator<'_, '_, '_>, kit: &Kit<'_>) -> Vec<CustomizeOp> {
    if !values.dice.chance(96) {
        return Vec::new();
    }
    let count = 1 + values.dice.run(120, 2);
    (0..count).filter_map(|_| customization(values, kit, true)).collect()
}

/// The kinds of plan customisation.
enum Customization {
    ForceNew,
    SetNew,
    SetNewComputed,
    Clear,
    ErrorIf,
    When,
}

fn customization(values: &mut ValueGenerator<'_, '_, '_>, kit: &Kit<'_>, outer: bool) -> Option<CustomizeOp> {
    let careful = kit.conduct == Conduct::WellBehaved;
    let free = u8::from(!careful);
    let reach = |bounds| Reach { spots: kit.spots, of: None, bounds };
    let computed = |spot: &Spot| is_changeable(spot) && spot.computed;
    let configured = |spot: &Spot| is_changeable(spot) && spot.is_configurable();
    let kind = weighted! {
        values.dice;
        24 * free => Customization::ForceNew,
        30 => Customization::SetNew,
        20 * free => Customization::SetNewComputed,
        10 * free => Customization::Clear,
        20 => Customization::ErrorIf,
        40 * u8::from(outer) => Customization::When,
    };
    Some(match kind {
        Customization::ForceNew => CustomizeOp::ForceNew(expressions::top_name(values, kit.spots, configured)?.1),
        Customization::SetNew => {
            let leaf = |spot: &Spot| computed(spot) && spot.part == Part::Leaf && is_plain(&spot.ty);
            let (path, name) = expressions::top_name(values, kit.spots, leaf)?;
            let ty = kit.spots.iter().find(|spot| spot.path == *path)?.ty.clone();
            let reach = reach(if careful { Bounds::Configured } else { Bounds::Free });
            let value = match careful {
                true => never_empty(values, &reach, &ty),
                false => reach.expr(values, &ty, DEPTH - 1),
            };
            CustomizeOp::SetNew(name, value)
        }
        Customization::SetNewComputed => {
            CustomizeOp::SetNewComputed(expressions::top_name(values, kit.spots, computed)?.1)
        }
        Customization::Clear => CustomizeOp::Clear(expressions::top_name(values, kit.spots, is_changeable)?.1),
        Customization::ErrorIf => {
            let both = [reach(Bounds::Free).cond(values, DEPTH - 1), reach(Bounds::Free).cond(values, DEPTH - 1)];
            CustomizeOp::ErrorIf(Cond::All(both.to_vec()))
        }
        Customization::When if careful => when_changed(values, kit)?,
        Customization::When => {
            let cond = reach(Bounds::Free).cond(values, DEPTH - 1);
            CustomizeOp::When(cond, Box::new(customization(values, kit, false)?))
        }
    })
}

/// A value that is neither null nor the empty text (Z71).
fn never_empty(values: &mut ValueGenerator<'_, '_, '_>, reach: &Reach<'_>, ty: &Type) -> Expr {
    if *ty == Type::String && values.dice.chance(160) {
        return Expr::Hash(vec![reach.expr(values, ty, DEPTH - 1)]);
    }
    let value = expressions::constant(values, ty);
    let is_empty = value.view().as_text().is_some_and(|text| text.is_empty());
    Expr::Const(if is_empty { Value::string("a") } else { value })
}

/// Marks a field as computed anew, or replaces the resource, when another field changes.
fn when_changed(values: &mut ValueGenerator<'_, '_, '_>, kit: &Kit<'_>) -> Option<CustomizeOp> {
    let configured = |spot: &Spot| is_changeable(spot) && spot.is_configurable() && !spot.computed;
    let (_, cause) = expressions::top_name(values, kit.spots, configured)?;
    let changed = Cond::Changed(Changed::Name(cause.clone()));
    let computed = |spot: &Spot| is_changeable(spot) && spot.computed;
    let effect = match expressions::top_name(values, kit.spots, computed) {
        Some((_, name)) if values.dice.chance(128) => CustomizeOp::SetNewComputed(name),
        _ => CustomizeOp::ForceNew(cause),
    };
    Some(CustomizeOp::When(changed, Box::new(effect)))
}

fn is_plain(ty: &Type) -> bool {
    matches!(ty, Type::String | Type::Number | Type::Bool)
}

/// Whether plan customisation can refer to it: not the id, and nothing with a set in it (Z75).
fn is_changeable(spot: &Spot) -> bool {
    spot.part == Part::Leaf && spot.name().as_str() != ID && !spot.ty.has_set()
}
