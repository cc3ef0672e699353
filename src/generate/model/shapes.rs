//! Schemas that a pipeline can express (F01), and those with which a provider can be well-behaved (W2, W10).

use planfuzz_core::schema::{Attribute, Block, Named, NestedBlock, Nesting, Shape};
use planfuzz_core::value::{ObjectType, Text, Type, TypeAttribute};
use triomphe::Arc;

/// Changes a schema into one that the framework can express (F01).
pub(super) fn fit_framework(block: &mut Block) {
    fit_block(block, Place { collection: false, set: false });
}

#[derive(Clone, Copy)]
struct Place {
    /// Inside a list, set or map.
    collection: bool,
    /// Inside a set.
    set: bool,
}

impl Place {
    fn inside(self, nesting: Nesting) -> Place {
        let collection = !matches!(nesting, Nesting::Single | Nesting::Group);
        Place { collection: self.collection || collection, set: self.set || nesting == Nesting::Set }
    }
}

fn fit_block(block: &mut Block, place: Place) {
    block.computed = false;
    block.attributes.values_mut().for_each(|attribute| fit_attribute(attribute, place));
    for nested in block.block_types.values_mut() {
        let plainer = match nested.nesting {
            Nesting::Group => Nesting::Single,
            Nesting::Map => Nesting::List,
            same => same,
        };
        if plainer != nested.nesting {
            let block = std::mem::take(&mut nested.block);
            *nested = NestedBlock { nesting: plainer, min_items: 0, max_items: 0, block };
        }
        fit_block(&mut nested.block, place.inside(nested.nesting));
    }
}

fn fit_attribute(attribute: &mut Attribute, place: Place) {
    let is_set = match &mut attribute.shape {
        Shape::Leaf(ty) => {
            *ty = fit_type(ty, place.collection);
            matches!(ty, Type::Set(_))
        }
        Shape::Nested(nested) => {
            if nested.nesting == Nesting::Group {
                nested.nesting = Nesting::Single;
            }
            let inside = place.inside(nested.nesting);
            nested.attributes.values_mut().for_each(|field| fit_attribute(field, inside));
            nested.nesting == Nesting::Set
        }
    };
    if attribute.computed || is_set || place.set {
        attribute.write_only = false;
    }
}

/// A type without tuples, and without `dynamic` inside collections.
fn fit_type(ty: &Type, in_collection: bool) -> Type {
    match ty {
        Type::Dynamic if in_collection => Type::String,
        Type::Dynamic | Type::Bool | Type::Number | Type::String => ty.clone(),
        Type::List(element) => Type::list(fit_type(element, true)),
        Type::Set(element) => Type::set(fit_type(element, true)),
        Type::Map(element) => Type::map(fit_type(element, true)),
        Type::Tuple(tuple) => Type::list(tuple.elements().first().map_or(Type::String, |first| fit_type(first, true))),
        Type::Object(object) => {
            let attributes = object.attributes().iter().map(|attribute| TypeAttribute {
                name: attribute.name.clone(),
                ty: fit_type(&attribute.ty, in_collection),
                optional: attribute.optional,
            });
            Type::Object(Arc::new(ObjectType::new(attributes.collect())))
        }
    }
}

/// Changes a schema that the framework can express into one whose providers can be well-behaved (W2, W10).
pub(super) fn fit_well_behaved(block: &mut Block) {
    behave_block(block, false);
}

fn behave_block(block: &mut Block, in_set: bool) {
    if in_set {
        keep_out_of_sets(&mut block.attributes);
    }
    block.attributes.values_mut().for_each(behave_attribute);
    for nested in block.block_types.values_mut() {
        if nested.nesting == Nesting::Set && has_nested_below(&nested.block) {
            uncompute_block(&mut nested.block);
        }
        behave_block(&mut nested.block, in_set || nested.nesting == Nesting::Set);
    }
}

fn behave_attribute(attribute: &mut Attribute) {
    let Shape::Nested(nested) = &mut attribute.shape else { return };
    if nested.nesting == Nesting::Set {
        if has_nested(&nested.attributes) {
            uncompute(&mut nested.attributes);
        }
        keep_out_of_sets(&mut nested.attributes);
        // W2: a set nested attribute is not optional and computed.
        attribute.computed &= !attribute.optional;
    }
    nested.attributes.values_mut().for_each(behave_attribute);
    // W10.
    let computed_only = nested.attributes.values().all(is_only_computed);
    if attribute.optional && attribute.computed && !computed_only {
        attribute.computed = false;
    }
}

/// Whether a block contains a nested attribute or an optional single block.
fn has_nested_below(block: &Block) -> bool {
    let is_single = |nesting: Nesting| matches!(nesting, Nesting::Single | Nesting::Group);
    let below = |nested: &NestedBlock| is_single(nested.nesting) || has_nested_below(&nested.block);
    has_nested(&block.attributes) || block.block_types.values().any(below)
}

/// Whether one of the attributes is a nested attribute.
fn has_nested(attributes: &Named<Attribute>) -> bool {
    attributes.values().any(|attribute| attribute.nested_type().is_some())
}

/// W2: if elements can differ in null and empty only, nothing in them is computed.
fn uncompute_block(block: &mut Block) {
    uncompute(&mut block.attributes);
    block.block_types.values_mut().for_each(|nested| uncompute_block(&mut nested.block));
}

fn uncompute(attributes: &mut Named<Attribute>) {
    for attribute in attributes.values_mut() {
        if attribute.computed {
            (attribute.computed, attribute.optional) = (false, !attribute.required);
        }
        if let Shape::Nested(nested) = &mut attribute.shape {
            uncompute(&mut nested.attributes);
        }
    }
}

/// W2 for the elements of a set nested attribute and all that is in them.
fn keep_out_of_sets(attributes: &mut Named<Attribute>) {
    behave_in_set(attributes);
    for attribute in attributes.values_mut() {
        if let Shape::Nested(nested) = &mut attribute.shape {
            keep_out_of_sets(&mut nested.attributes);
        }
    }
}

/// W2 for one object below a set.
fn behave_in_set(attributes: &mut Named<Attribute>) {
    for attribute in attributes.values_mut() {
        let collects = match &attribute.shape {
            Shape::Leaf(ty) => matches!(ty, Type::Set(_)),
            Shape::Nested(_) => true,
        };
        if attribute.computed && (attribute.optional || collects) {
            (attribute.computed, attribute.optional) = (false, true);
        }
    }
    if attributes.values().any(|attribute| attribute.required) {
        return;
    }
    if let Some(attribute) = attributes.values_mut().find(|attribute| attribute.leaf_type().is_some()) {
        (attribute.required, attribute.optional, attribute.computed) = (true, false, false);
        return;
    }
    let mut entries = std::mem::take(attributes).into_entries();
    entries.push((fresh_name(&entries), Attribute { required: true, ..Attribute::new(Shape::Leaf(Type::String)) }));
    *attributes = Named::new(entries);
}

fn is_only_computed(attribute: &Attribute) -> bool {
    let fields = match &attribute.shape {
        Shape::Leaf(_) => true,
        Shape::Nested(nested) => nested.attributes.values().all(is_only_computed),
    };
    fields && attribute.computed && !attribute.optional
}

/// A name that none of the entries has.
pub(super) fn fresh_name<T>(entries: &[(Text, T)]) -> Text {
    let name = |index: usize| Text::new(&format!("f{index}"));
    (0..).map(name).find(|name| entries.iter().all(|(taken, _)| taken != name)).unwrap_or_default()
}
