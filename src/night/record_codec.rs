//! Parts of a record: structures that are written as JSON objects, a member for each field.
//!
//! A record is read for ever, so the one description of a part is its definition: what [`part!`] defines is written and read by the
//! names of its fields. A field that was added later is an `Option`, which may be absent. Unknown members are ignored: a newer writer
//! added them.

use std::collections::BTreeMap;

use planfuzz_core::json::{Json, JsonError, ObjectReader};

/// The value of a member of a record.
pub trait Field: Sized {
    /// As JSON.
    fn write(&self) -> Json;

    /// From JSON.
    ///
    /// # Errors
    /// JSON that [`Field::write`] does not write.
    fn read(json: &Json) -> Result<Self, JsonError>;

    /// The value of an absent member; `None` if the member is required.
    fn absent() -> Option<Self> {
        None
    }

    /// Reads the member of that name.
    ///
    /// # Errors
    /// As [`Field::read`], and a member that is missing.
    fn take(reader: &mut ObjectReader<'_>, name: &'static str) -> Result<Self, JsonError> {
        match Self::absent() {
            Some(absent) => Ok(reader.optional(name, Self::read)?.unwrap_or(absent)),
            None => reader.required(name, Self::read),
        }
    }
}

impl Field for u64 {
    fn write(&self) -> Json {
        Json::int(*self)
    }

    fn read(json: &Json) -> Result<u64, JsonError> {
        json.expect_u64()
    }
}

/// With six digits after the point; a number that is not finite is written as 0.
impl Field for f64 {
    fn write(&self) -> Json {
        let finite = if self.is_finite() { *self } else { 0.0 };
        let text = format!("{finite:.6}");
        Json::Number(text.trim_end_matches('0').trim_end_matches('.').into())
    }

    fn read(json: &Json) -> Result<f64, JsonError> {
        let number = match json {
            Json::Number(text) => text.parse().ok(),
            _ => None,
        };
        number.filter(|number: &f64| number.is_finite()).ok_or_else(|| json.unexpected("a number"))
    }
}

impl Field for bool {
    fn write(&self) -> Json {
        Json::Bool(*self)
    }

    fn read(json: &Json) -> Result<bool, JsonError> {
        json.expect_bool()
    }
}

impl Field for String {
    fn write(&self) -> Json {
        Json::string(self)
    }

    fn read(json: &Json) -> Result<String, JsonError> {
        json.expect_string().map(str::to_owned)
    }
}

/// A document of another format, as it is.
impl Field for Json {
    fn write(&self) -> Json {
        self.clone()
    }

    fn read(json: &Json) -> Result<Json, JsonError> {
        Ok(json.clone())
    }
}

impl<T: Field> Field for Option<T> {
    fn write(&self) -> Json {
        self.as_ref().map_or(Json::Null, Field::write)
    }

    fn read(json: &Json) -> Result<Option<T>, JsonError> {
        if *json == Json::Null { Ok(None) } else { T::read(json).map(Some) }
    }

    fn absent() -> Option<Option<T>> {
        Some(None)
    }
}

impl<T: Field> Field for Vec<T> {
    fn write(&self) -> Json {
        Json::Array(self.iter().map(Field::write).collect())
    }

    fn read(json: &Json) -> Result<Vec<T>, JsonError> {
        json.read_items(T::read)
    }
}

/// An absent map has no entries.
impl<T: Field> Field for BTreeMap<String, T> {
    fn write(&self) -> Json {
        Json::object(self.iter().map(|(name, value)| (name.as_str(), value.write())))
    }

    fn read(json: &Json) -> Result<BTreeMap<String, T>, JsonError> {
        let member = |(name, value): &(Box<str>, Json)| {
            let value = T::read(value).map_err(|problem| problem.inside_member(name))?;
            Ok((name.to_string(), value))
        };
        json.expect_object()?.iter().map(member).collect()
    }

    fn absent() -> Option<BTreeMap<String, T>> {
        Some(BTreeMap::new())
    }
}

/// Defines a part: a structure whose fields are all [`Field`]s, and one itself.
macro_rules! part {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $field:ident: $ty:ty,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name { $($(#[$of])* pub $field: $ty,)* }

        impl $crate::night::Field for $name {
            fn write(&self) -> planfuzz_core::json::Json {
                planfuzz_core::json::Json::object([$((stringify!($field), self.$field.write()),)*])
            }

            fn read(json: &planfuzz_core::json::Json) -> Result<$name, planfuzz_core::json::JsonError> {
                let mut reader = planfuzz_core::json::ObjectReader::new(json, stringify!($name))?;
                Ok($name { $($field: $crate::night::Field::take(&mut reader, stringify!($field))?,)* })
            }
        }
    };
}

/// Defines an enum whose variants are words; the first is the default.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum $name { #[default] $($(#[$of])* $variant,)* }

        impl $name {
            /// The word.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }
        }

        impl $crate::night::Field for $name {
            fn write(&self) -> planfuzz_core::json::Json {
                planfuzz_core::json::Json::string(self.name())
            }

            fn read(json: &planfuzz_core::json::Json) -> Result<$name, planfuzz_core::json::JsonError> {
                match json.expect_string()? {
                    $($text => Ok($name::$variant),)*
                    _ => Err(json.unexpected(concat!("one of" $(, " ", $text)*))),
                }
            }
        }
    };
}

pub(crate) use {part, words};
