//! Writing values.

use crate::json::Sink;
use crate::value::Type;
use crate::value::node::Node;
use crate::value::truth::Truth;

use super::Notation;
use super::record::{self, write_number};

/// Writes the value of type `ty` for a reader that expects the type `declared`, to which it conforms.
pub(super) fn value(ty: &Type, node: &Node, declared: &Type, notation: Notation, sink: &mut impl Sink) {
    match declared {
        Type::Dynamic if !ty.is_dynamic() && notation.is_stored() => {
            sink.open_object();
            sink.name("value");
            value(ty, node, ty, notation, sink);
            sink.name("type");
            ty.write_json(sink);
            sink.close_object();
        }
        Type::Dynamic if !ty.is_dynamic() => {
            sink.open_object();
            sink.name("type");
            ty.write_json(sink);
            sink.name("value");
            value(ty, node, ty, notation, sink);
            sink.close_object();
        }
        _ => own(ty, node, declared, notation, sink),
    }
}

fn own(ty: &Type, node: &Node, declared: &Type, notation: Notation, sink: &mut impl Sink) {
    match node {
        Node::Null => sink.null(),
        Node::Unknown(record) => {
            sink.open_object();
            sink.name("$unknown");
            match record {
                None => sink.bool(true),
                Some(record) => record::write(record, sink),
            }
            sink.close_object();
        }
        Node::Bool(Truth(bool)) => sink.bool(*bool),
        Node::Number(number) => write_number(number, sink),
        Node::String(text) => sink.string(text),
        Node::Seq(seq) => sequence(ty, seq.as_slice(), declared, notation, sink),
        Node::Map(map) => {
            let (Some(ty), Some(declared)) = (ty.element(), declared.element()) else { return sink.null() };
            sink.open_object();
            for (key, node) in map.keys().iter().zip(map.values.as_slice()) {
                name(key, notation, sink);
                value(ty, node, declared, notation, sink);
            }
            sink.close_object();
        }
    }
}

fn sequence(ty: &Type, nodes: &[Node], declared: &Type, notation: Notation, sink: &mut impl Sink) {
    match (ty, declared) {
        (Type::List(ty), Type::List(declared)) | (Type::Set(ty), Type::Set(declared)) => {
            sink.open_array();
            nodes.iter().for_each(|node| value(ty, node, declared, notation, sink));
            sink.close_array();
        }
        (Type::Tuple(ty), Type::Tuple(declared)) => {
            sink.open_array();
            let types = ty.elements().iter().zip(declared.elements());
            nodes.iter().zip(types).for_each(|(node, (ty, declared))| value(ty, node, declared, notation, sink));
            sink.close_array();
        }
        (Type::Object(ty), Type::Object(declared)) => {
            sink.open_object();
            let types = ty.attributes().iter().zip(declared.attributes());
            for (node, (attribute, declared)) in nodes.iter().zip(types) {
                name(&attribute.name, notation, sink);
                value(&attribute.ty, node, &declared.ty, notation, sink);
            }
            sink.close_object();
        }
        // The value does not conform to `declared`, which its caller promised: it is written for its own type.
        _ => sequence_of_own_type(ty, nodes, notation, sink),
    }
}

/// As [`sequence`], where the reader's type is not known.
fn sequence_of_own_type(ty: &Type, nodes: &[Node], notation: Notation, sink: &mut impl Sink) {
    match ty {
        Type::List(_) | Type::Set(_) | Type::Tuple(_) | Type::Object(_) => sequence(ty, nodes, ty, notation, sink),
        _ => sink.null(),
    }
}

fn name(name: &str, notation: Notation, sink: &mut impl Sink) {
    match name.starts_with('$') && !notation.is_stored() {
        true => sink.name(&format!("${name}")),
        false => sink.name(name),
    }
}
