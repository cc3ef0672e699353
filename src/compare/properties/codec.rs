//! Values written to msgpack and read back.

use planfuzz_core::msgpack::{self, DecodeError, EncodeError};
use planfuzz_core::value::{Node, Number, Path, Type, Value, ValueRef};

use super::trial::Trial;
use super::{Breach, PropertyResult, same};
use crate::case::{Merge, Op, has_minus_zero_in_set};

/// The longest prefix that is written unchanged (V73).
const LONGEST_PREFIX: usize = 256;

/// An encoder and a decoder.
pub(super) struct Codec {
    pub(super) encode: fn(ValueRef<'_>, &Type) -> Result<Vec<u8>, EncodeError>,
    pub(super) decode: fn(&[u8], &Type) -> Result<Value, DecodeError>,
}

/// The codec of planfuzz.
pub(super) const MSGPACK: Codec = Codec { encode: msgpack::encode, decode: msgpack::decode };

/// MP25: V95 for one of the case's values.
pub(super) fn round_trip(trial: &Trial<'_>) -> PropertyResult {
    let Merge { prior, config, planned, actual, .. } = trial.merge;
    let value = [prior, config, planned, actual][trial.choices(25).below(4)];
    comes_back(&MSGPACK, value, &trial.ty)
}

/// V95: a value that is written and read back is the same, except for what msgpack cannot express, and writing it again gives
/// the same bytes. Does not apply if the engine crashes on reading (V86), or to sets whose order a lost sign changes
/// (V56).
pub(super) fn comes_back(codec: &Codec, value: &Value, ty: &Type) -> PropertyResult {
    if has_minus_zero_in_set(value.view()) {
        return None;
    }
    let failed = |op, message| Some(Err(Breach { op, path: Path::root(), message }));
    let bytes = match (codec.encode)(value.view(), ty) {
        Ok(bytes) => bytes,
        Err(error) => return failed(Op::MsgpackEncode, format!("a value of the case: {error}")),
    };
    let read = match (codec.decode)(&bytes, ty) {
        Ok(read) => read,
        Err(error) if error.is_engine_crash() => return None,
        Err(error) => return failed(Op::MsgpackDecode, format!("what was written: {error}")),
    };
    if is_exact(value.view(), ty) {
        let held = same(Op::MsgpackDecode, "what was written, read again", value.view(), read.view());
        if held.is_err() {
            return Some(held);
        }
    }
    match (codec.encode)(read.view(), ty) {
        Ok(again) if again == bytes => Some(Ok(())),
        Ok(_) => failed(Op::MsgpackEncode, "what was read, written again, gives other bytes".to_owned()),
        Err(error) => failed(Op::MsgpackEncode, format!("what was read: {error}")),
    }
}

/// Whether nothing in the value is among the exceptions of V95, or loses its type: where `dynamic` is inside the type
/// that is written against, a null, an unknown and an empty collection come back with that type (V86).
fn is_exact(value: ValueRef<'_>, ty: &Type) -> bool {
    let ty = if ty.is_dynamic() { value.ty() } else { ty };
    let is_bare = !value.is_present() || value.ty().is_collection() && value.is_empty();
    if is_bare && ty.has_dynamic() && ty != value.ty() {
        return false;
    }
    match value.node() {
        Node::Unknown(Some(record)) => !record.is_empty() && record.prefix().len() <= LONGEST_PREFIX,
        Node::Number(number) => survives_msgpack(number),
        _ => value.children().enumerate().all(|(index, (_, part))| ty.part(index).is_some_and(|ty| is_exact(part, ty))),
    }
}

/// Whether a number comes back from msgpack unchanged (V95): whole numbers beyond msgpack's integers may not.
fn survives_msgpack(number: &Number) -> bool {
    number.is_infinite() || !number.is_whole() || number.to_i64().is_some()
}

#[cfg(test)]
mod tests {
    use planfuzz_core::json::Json;

    use super::*;

    fn list() -> Value {
        Value::list(&Type::String, vec![Value::string("a"), Value::string("b")]).expect("one type")
    }

    fn broken(codec: &Codec, value: &Value) -> Option<Op> {
        comes_back(codec, value, value.ty()).expect("no crash").err().map(|breach| breach.op)
    }

    #[test]
    fn mp25_a_codec_that_changes_values_is_noticed() {
        let codec = Codec { decode: |_, ty| Ok(Value::null(ty.clone())), ..MSGPACK };
        assert_eq!(broken(&MSGPACK, &list()), None);
        assert_eq!(broken(&codec, &list()), Some(Op::MsgpackDecode));
    }

    #[test]
    fn mp25_v56_negative_zeros_inside_elements_of_sets_are_left_out() {
        let ty = Type::parse(r#"["list",["set",["object",{"n":"number"}]]]"#).expect("a type");
        let value = |number: &str| {
            let text = format!(r#"[[{{"n":{number}}},{{"n":0.12345678901}}]]"#);
            Value::from_json(&Json::parse(&text).expect("JSON"), &ty).expect("a value")
        };
        assert!(comes_back(&MSGPACK, &value("-0"), &ty).is_none());
        assert!(matches!(comes_back(&MSGPACK, &value("0"), &ty), Some(Ok(()))));
    }

    #[test]
    fn mp25_a_codec_that_writes_other_bytes_is_noticed() {
        // The value may come back changed only where V95 allows it, but the bytes must be the same.
        let record = planfuzz_core::value::Refinement::default();
        let refined = Value::from_parts(Type::String, Node::Unknown(Some(triomphe::Arc::new(record))));
        let codec = Codec { decode: |_, ty| Ok(Value::null(ty.clone())), ..MSGPACK };
        assert_eq!(broken(&MSGPACK, &refined), None);
        assert_eq!(broken(&codec, &refined), Some(Op::MsgpackEncode));
    }
}
