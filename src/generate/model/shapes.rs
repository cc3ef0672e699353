//! Schemas that a pipeline can express (F01), and those with which a provider can be well-behaved (W2, W10).

use planfuzz_core::schema::{Attribute, Block, Named, NestedBlock, Nesting, Shape};
use planfuzz_core::value::{Text, Type};

/// Changes a schema into one that the framework can express (F01).
pub(super) fn fit_framework(block: &mut Block) {
    fit_block(block, false);
}

fn fit_block(block: &mut Block, in_set: bool) {
    block.computed = false;
    block.attributes.values_mut().for_each(|attribute| fit_attribute(attribute, in_set));
    for nested in block.block_types.values_mut() {
        let plainer = match nested.nesting {
            Nesting::Group => Nesting::Single,
            Nesting::Map => Nesting::List,
            same => same,
        };
        if plainer != nested.nesting {
            *nested =
                NestedBlock { nesting: plainer, min_items: 0, max_items: 0, block: std::mem::take(&mut nested.block) };
        }
        fit_block(&mut nested.block, in_set || nested.nesting == Nesting::Set);
    }
}

fn fit_attribute(attribute: &mut Attribute, in_set: bool) {
    let mut in_set = in_set;
    let is_set = match &mut attribute.shape {
        Shape::Leaf(ty) => matches!(ty, Type::Set(_)),
        Shape::Nested(nested) => {
            if nested.nesting == Nesting::Group {
                nested.nesting = Nesting::Single;
            }
            let is_set = nested.nesting == Nesting::Set;
            in_set |= is_set;
            nested.attributes.values_mut().for_each(|field| fit_attribute(field, in_set));
            is_set
        }
    };
    if attribute.computed || is_set || in_set {
        attribute.write_only = false;
    }
}

/// Changes a schema that the framework can express into one whose providers can be well-behaved (W2, W10).
pub(super) fn fit_well_behaved(block: &mut Block) {
    behave_block(block, false);
}

fn behave_block(block: &mut Block, in_set: bool) {
    if in_set {
        behave_in_set(&mut block.attributes);
    }
    block.attributes.values_mut().for_each(behave_attribute);
    for nested in block.block_types.values_mut() {
        behave_block(&mut nested.block, in_set || nested.nesting == Nesting::Set);
    }
}

fn behave_attribute(attribute: &mut Attribute) {
    let Shape::Nested(nested) = &mut attribute.shape else { return };
    if nested.nesting == Nesting::Set {
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
