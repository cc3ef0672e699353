//! Faults in the operations of values: the right answer, altered by one wrong decision.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use planfuzz_core::json::Json;
use planfuzz_core::msgpack;
use planfuzz_core::value::{
    MapNode, Node, Number, Tri, Truth, Type, Value, ValueRef, includes, longest_common_subsequence,
    raw_equals_unrefined, set_key,
};
use triomphe::Arc;

use super::super::outcome::Outcome;
use super::catalogue::Fault;
use crate::case::ValueCall;

/// The wrong answer to a call.
pub(super) fn spoilt(fault: Fault, call: &ValueCall, right: Outcome) -> Outcome {
    match (fault, call, right) {
        (Fault::DynamicNullBare, ValueCall::MsgpackEncode { ty, value }, right) => {
            match msgpack::encode(bare_nulls(ty, value.view()).view(), ty) {
                Ok(bytes) => want("base64", Json::string(&BASE64.encode(bytes))),
                Err(_) => right,
            }
        }
        (Fault::NullNotConsumed, ValueCall::MsgpackDecode { .. }, Outcome::Value(value)) => {
            let (ty, node) = value.into_parts();
            Outcome::Value(Value::from_parts(ty, null_repeated(node)))
        }
        (Fault::TextNumberAsFloat, ValueCall::MsgpackDecode { .. }, Outcome::Value(value)) => {
            let (ty, node) = value.into_parts();
            Outcome::Value(Value::from_parts(ty, floats(node)))
        }
        (Fault::EqualKeyIsEqual, ValueCall::Length { value, .. }, right) => match value.ty() {
            Type::Set(element) if value.view().is_present() && value.is_wholly_known() => {
                let keys: BTreeSet<Vec<u8>> = value.node().parts().iter().map(|node| set_key(element, node)).collect();
                Outcome::Value(Value::number(keys.len() as u64))
            }
            _ => right,
        },
        (Fault::NullNeverEqual, ValueCall::Equals { a, b, .. }, _) if a.is_null() && b.is_null() => result(false),
        (Fault::RefinementsNotEqual, ValueCall::RawEquals { a, b, .. }, _) => {
            result(raw_equals_unrefined(a.view(), b.view()))
        }
        (Fault::NotNullForgotten, ValueCall::Includes { a, b, .. }, right) => {
            let forgotten = a.is_unknown() && b.is_null();
            let ty = a.ty();
            let admitted = includes(ValueRef::unknown(ty), b.view()) == Tri::True;
            if forgotten && admitted { result(true) } else { right }
        }
        (Fault::InfinityIncluded, ValueCall::Includes { a, b, .. }, right) => {
            let infinite = b.view().as_number().is_some_and(Number::is_infinite);
            if infinite && a.is_unknown() { result_unknown() } else { right }
        }
        (Fault::RefinementsDropped, ValueCall::Roundtrip { .. }, Outcome::Value(value)) if value.is_unknown() => {
            Outcome::Value(Value::unknown(value.ty().clone()))
        }
        (Fault::NumberTextOfFloat, ValueCall::NumberText { text }, right) => float_texts(text).unwrap_or(right),
        (Fault::ConformsReversed, ValueCall::Conforms { a, b }, _) => result(b.conforms_to(a)),
        (Fault::BoolAsDigit, ValueCall::Convert { value, to, .. }, right) => match value.node() {
            Node::Bool(Truth(bool)) if *to == Type::String => {
                Outcome::Value(Value::string(if *bool { "1" } else { "0" }))
            }
            _ => right,
        },
        (Fault::UnifyNeedsEqualTypes, ValueCall::Unify { types }, right) => {
            let equal = types.windows(2).all(|pair| pair[0] == pair[1]);
            if equal { right } else { want("type", Json::Null) }
        }
        (Fault::LcsFromSecond, ValueCall::Lcs { ty, a, b }, right) => match longest_common_subsequence(b, a) {
            Ok(common) => want("value", Json::Array(common.iter().map(|value| value.to_json(ty)).collect())),
            Err(_) => right,
        },
        (_, _, right) => right,
    }
}

fn want(name: &str, json: Json) -> Outcome {
    Outcome::Want(Json::object([(name, json)]))
}

fn result_unknown() -> Outcome {
    want("result", Json::string("unknown"))
}

fn result(answer: bool) -> Outcome {
    want("result", Json::Bool(answer))
}

/// A value in which nulls and unknowns of dynamic type lose their own type (B177).
fn bare_nulls(ty: &Type, value: ValueRef<'_>) -> Value {
    match (ty, value.ty()) {
        (Type::Dynamic, _) if value.is_null() => Value::null(Type::Dynamic),
        (Type::Dynamic, _) if value.is_unknown() => Value::unknown(Type::Dynamic),
        (Type::Object(declared), Type::Object(_)) if value.is_present() => {
            let members = value.entries().map(|(name, member)| {
                let bare = declared.attribute_type(name).map(|ty| bare_nulls(ty, member));
                (name.clone(), bare.unwrap_or_else(|| member.to_value()))
            });
            Value::object(members.collect())
        }
        (Type::Tuple(declared), Type::Tuple(_)) if value.is_present() => {
            let parts = declared.elements().iter().zip(value.children());
            Value::tuple(parts.map(|(ty, (_, part))| bare_nulls(ty, part)).collect())
        }
        _ => value.to_value(),
    }
}

/// A payload in which everything after a null or unknown element is null (B054).
fn null_repeated(node: Node) -> Node {
    let Node::Seq(seq) = &node else { return node };
    let absent = |node: &Node| node.is_null() || node.is_unknown();
    let consumed = seq.as_slice().iter().position(absent).map_or(seq.len(), |at| at + 1);
    let parts = seq.as_slice().iter().enumerate();
    Node::seq(parts.map(|(at, part)| if at < consumed { null_repeated(part.clone()) } else { Node::Null }).collect())
}

/// A payload with its numbers rounded to 64 bits (B057).
fn floats(node: Node) -> Node {
    match node {
        Node::Number(number) => Node::Number(as_float(&number).unwrap_or(number)),
        Node::Seq(seq) => Node::seq(seq.as_slice().iter().cloned().map(floats).collect()),
        Node::Map(map) => {
            let values = map.values.as_slice().iter().cloned().map(floats);
            Node::Map(Arc::new(MapNode::from_sorted(map.keys().iter().cloned().zip(values).collect())))
        }
        other => other,
    }
}

fn as_float(number: &Number) -> Option<Number> {
    number.text().parse().ok().and_then(Number::from_f64)
}

fn float_texts(text: &str) -> Option<Outcome> {
    let float = as_float(&Number::parse(text).ok()?)?;
    let members = [("text", float.text()), ("short", float.key_text())];
    Some(Outcome::Want(Json::object(members.map(|(name, text)| (name, Json::string(&text))))))
}
