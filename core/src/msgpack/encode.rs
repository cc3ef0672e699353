//! Writing values as the engines write them (V70 to V74).

use rmp::Marker;
use rmp::encode::{
    ByteBuf, write_array_len, write_bin_len, write_bool, write_ext_meta, write_f64, write_map_len, write_nil,
    write_sint, write_str_len,
};

use crate::value::convert::{ConvertError, convert};
use crate::value::{Node, Number, ObjectType, Truth, Type, ValueRef};

/// Why a value could not be encoded.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The value does not conform to the type and cannot be converted to it (V60).
    #[error(transparent)]
    Convert(#[from] ConvertError),
    /// A string, collection or record is longer than msgpack can express.
    #[error("expected a length of at most {}, found {found}", u32::MAX)]
    TooLong {
        /// The length in bytes or elements.
        found: usize,
    },
    /// The payload of a value does not belong to its type: the caller combined the wrong two.
    #[error("expected a payload of type {}, found another one", ty.to_v05_text())]
    Payload {
        /// The type.
        ty: Type,
    },
}

/// Writes a value against a type (V70 to V74). A value that does not conform to the type is converted first (V60).
///
/// # Errors
/// A value that neither conforms to the type nor can be converted to it (V60), and lengths beyond 32 bits.
pub fn encode(value: ValueRef<'_>, ty: &Type) -> Result<Vec<u8>, EncodeError> {
    let mut buffer = Vec::new();
    encode_into(&mut buffer, value, ty)?;
    Ok(buffer)
}

/// Appends a value, written against a type, to `buffer`; where it fails, the buffer is as before.
///
/// # Errors
/// As for [`encode`].
pub fn encode_into(buffer: &mut Vec<u8>, value: ValueRef<'_>, ty: &Type) -> Result<(), EncodeError> {
    if !value.ty().conforms_to(ty) {
        let converted = convert(&value.to_value(), ty)?;
        return encode_conforming(buffer, converted.view(), ty);
    }
    encode_conforming(buffer, value, ty)
}

fn encode_conforming(buffer: &mut Vec<u8>, value: ValueRef<'_>, ty: &Type) -> Result<(), EncodeError> {
    let start = buffer.len();
    let mut encoder = Encoder { out: ByteBuf::from_vec(std::mem::take(buffer)) };
    let done = encoder.value(value.node(), value.ty(), ty);
    *buffer = encoder.out.into_vec();
    if done.is_err() {
        buffer.truncate(start);
    }
    done
}

pub(super) struct Encoder {
    out: ByteBuf,
}

impl Encoder {
    /// Writes the payload of a value of type `given`, which conforms to `want`.
    fn value(&mut self, node: &Node, given: &Type, want: &Type) -> Result<(), EncodeError> {
        if want.is_dynamic() && !given.is_dynamic() {
            return self.dynamic(node, given);
        }
        match (node, given, want) {
            (Node::Null, _, _) => self.nil(),
            (Node::Unknown(record), _, _) => return self.unknown(record.as_deref()),
            (Node::Bool(Truth(bool)), Type::Bool, _) => self.bool(*bool),
            (Node::Number(number), Type::Number, _) => return self.number(number),
            (Node::String(text), Type::String, _) => return self.string(text),
            (Node::Seq(seq), Type::List(given), Type::List(want))
            | (Node::Seq(seq), Type::Set(given), Type::Set(want)) => {
                self.array_length(seq.len())?;
                for item in seq.as_slice() {
                    self.value(item, given, want)?;
                }
            }
            (Node::Map(map), Type::Map(given), Type::Map(want)) => {
                self.map_length(map.keys().len())?;
                for (key, item) in map.keys().iter().zip(map.values.as_slice()) {
                    self.string(key)?;
                    self.value(item, given, want)?;
                }
            }
            (Node::Seq(seq), Type::Tuple(given), Type::Tuple(want)) if seq.len() == given.len() => {
                self.array_length(seq.len())?;
                let types = given.elements().iter().zip(want.elements());
                for (item, (given, want)) in seq.as_slice().iter().zip(types) {
                    self.value(item, given, want)?;
                }
            }
            (Node::Seq(seq), Type::Object(given), Type::Object(want)) if seq.len() == given.len() => {
                return self.object(seq.as_slice(), given, want);
            }
            _ => return Err(EncodeError::Payload { ty: given.clone() }),
        }
        Ok(())
    }

    /// Both types have the same names, and payloads come in their order (V71).
    fn object(&mut self, members: &[Node], given: &ObjectType, want: &ObjectType) -> Result<(), EncodeError> {
        self.map_length(members.len())?;
        let attributes = given.attributes().iter().zip(want.attributes());
        for (member, (given, want)) in members.iter().zip(attributes) {
            self.string(&given.name)?;
            self.value(member, &given.ty, &want.ty)?;
        }
        Ok(())
    }

    /// V74.
    fn dynamic(&mut self, node: &Node, given: &Type) -> Result<(), EncodeError> {
        self.array_length(2)?;
        let text = given.to_v05_text();
        let Ok(_) = write_bin_len(&mut self.out, length(text.len())?);
        self.raw(text.as_bytes());
        self.value(node, given, given)
    }

    /// V71.
    pub(super) fn number(&mut self, number: &Number) -> Result<(), EncodeError> {
        if let Some(int) = number.to_i64() {
            self.int(int);
            return Ok(());
        }
        match number.to_f64() {
            Some(float) if number.is_infinite() || !number.is_whole() => {
                let Ok(()) = write_f64(&mut self.out, float);
                Ok(())
            }
            _ => self.string(&number.text()),
        }
    }

    /// V72: an unknown without facts.
    pub(super) fn plain_unknown(&mut self) {
        self.raw(&[Marker::FixExt1.to_u8(), 0, 0]);
    }

    /// V73: an extension whose body `write` writes.
    pub(super) fn extension(
        &mut self,
        code: i8,
        write: impl FnOnce(&mut Encoder) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        let mut body = Encoder { out: ByteBuf::new() };
        write(&mut body)?;
        let body = body.out.into_vec();
        let Ok(_) = write_ext_meta(&mut self.out, length(body.len())?, code);
        self.raw(&body);
        Ok(())
    }

    pub(super) fn int(&mut self, int: i64) {
        let Ok(_) = write_sint(&mut self.out, int);
    }

    pub(super) fn string(&mut self, text: &str) -> Result<(), EncodeError> {
        let Ok(_) = write_str_len(&mut self.out, length(text.len())?);
        self.raw(text.as_bytes());
        Ok(())
    }

    pub(super) fn array_length(&mut self, count: usize) -> Result<(), EncodeError> {
        let Ok(_) = write_array_len(&mut self.out, length(count)?);
        Ok(())
    }

    pub(super) fn map_length(&mut self, count: usize) -> Result<(), EncodeError> {
        let Ok(_) = write_map_len(&mut self.out, length(count)?);
        Ok(())
    }

    fn nil(&mut self) {
        let Ok(()) = write_nil(&mut self.out);
    }

    pub(super) fn bool(&mut self, bool: bool) {
        let Ok(()) = write_bool(&mut self.out, bool);
    }

    fn raw(&mut self, bytes: &[u8]) {
        self.out.as_mut_vec().extend_from_slice(bytes);
    }
}

fn length(found: usize) -> Result<u32, EncodeError> {
    u32::try_from(found).map_err(|_| EncodeError::TooLong { found })
}
