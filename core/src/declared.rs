//! The macros that declare records and words ([`crate::json::Record`], [`crate::json::Word`]).
//!
//! They are apart from what they implement: a build with planted mistakes includes the other modules by a macro, and what is defined
//! there cannot be used by its path in the same crate.

/// Declares a structure as a record: `record!(Import, "an import": to, id)`.
///
/// The text says in messages what the object describes. A field is written under its own name, `field as "name"` under another one;
/// `field by codec` with the functions `write` and `read` of the module `codec` in the place of those of its type. A member must be
/// there, unless the declaration says what stands for it: `field or default` is not written where it is the default,
/// `field[always] or default` is written all the same. The second is for members that older documents do not have.
///
/// The members of `field[flat]`, which is a record itself, stand among the others.
///
/// `record!(Night, "a night", open: …)` passes over members that no field has: newer writers may have added them.
#[macro_export]
macro_rules! record {
    ($of:ident, $what:literal: $($fields:tt)*) => {
        $crate::record!(@record $of, $what, finish, $($fields)*);
    };
    ($of:ident, $what:literal, open: $($fields:tt)*) => {
        $crate::record!(@record $of, $what, open, $($fields)*);
    };
    (@record $of:ident, $what:literal, $end:ident,
        $($field:ident $([$mode:ident])? $(as $name:literal)? $(by $codec:ident)? $(or $absent:expr)?),* $(,)?) => {
        impl $crate::json::Record for $of {
            fn members(&self) -> $crate::json::RecordMembers {
                let $of { $($field),* } = self;
                let mut members = Vec::new();
                $($crate::record!(@put members, $field,
                    ($crate::record!(@name $field $($name)?), $crate::record!(@write $($codec)?)($field))
                    $(, [$mode])? $(, $absent)?);)*
                members
            }

            fn read_members(
                reader: &mut $crate::json::ObjectReader<'_>,
            ) -> Result<$of, $crate::json::JsonError> {
                Ok($of { $($field: $crate::record!(@take reader, $crate::record!(@name $field $($name)?),
                    $crate::record!(@read $($codec)?) $(, [$mode])? $(, $absent)?),)* })
            }
        }

        impl $crate::json::Field for $of {
            fn write(&self) -> $crate::json::Json {
                $crate::json::Json::object($crate::json::Record::members(self))
            }

            fn read(json: &$crate::json::Json) -> Result<$of, $crate::json::JsonError> {
                let mut reader = $crate::json::ObjectReader::new(json, $what)?;
                let record = $crate::json::Record::read_members(&mut reader)?;
                $crate::record!(@end $end reader);
                Ok(record)
            }
        }
    };
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $name:literal) => { $name };
    (@write) => { $crate::json::Field::write };
    (@write $codec:ident) => { $codec::write };
    (@read) => { $crate::json::Field::read };
    (@read $codec:ident) => { $codec::read };
    (@put $members:ident, $field:ident, $member:expr) => { $members.extend([$member]) };
    (@put $members:ident, $field:ident, $member:expr, [always], $absent:expr) => { $members.extend([$member]) };
    (@put $members:ident, $field:ident, $member:expr, [flat]) => {
        $members.extend($crate::json::Record::members($field))
    };
    (@put $members:ident, $field:ident, $member:expr, $absent:expr) => {
        if $crate::json::differs($field, $absent) {
            $members.extend([$member]);
        }
    };
    (@take $reader:ident, $name:expr, $read:expr) => { $reader.required($name, $read)? };
    (@take $reader:ident, $name:expr, $read:expr, [flat]) => { $crate::json::Record::read_members($reader)? };
    (@take $reader:ident, $name:expr, $read:expr, [always], $absent:expr) => {
        $crate::record!(@take $reader, $name, $read, $absent)
    };
    (@take $reader:ident, $name:expr, $read:expr, $absent:expr) => {
        match $reader.optional($name, $read)? {
            Some(found) => found,
            None => $absent,
        }
    };
    (@end finish $reader:ident) => { $reader.finish()? };
    (@end open $reader:ident) => { drop($reader) };
}

/// Declares the words of an enum: `words!(Mode, "a mode": Normal = "normal", Destroy = "destroy")`.
///
/// The text says in messages what the word names.
#[macro_export]
macro_rules! words {
    ($of:ident, $what:literal: $($variant:ident = $word:literal),* $(,)?) => {
        impl $crate::json::Word for $of {
            const WORDS: &'static [($of, &'static str)] = &[$(($of::$variant, $word)),*];

            fn word(self) -> &'static str {
                match self { $($of::$variant => $word,)* }
            }
        }

        impl $crate::json::Field for $of {
            fn write(&self) -> $crate::json::Json {
                $crate::json::Json::string($crate::json::Word::word(*self))
            }

            fn read(json: &$crate::json::Json) -> Result<$of, $crate::json::JsonError> {
                $crate::json::Word::read_word(json, $what)
            }
        }
    };
}
