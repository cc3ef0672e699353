//! Errors that end a call of the pipeline.

/// An error of the provider. If upstream would crash on an input, this error replaces the crash.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SdkError {
    /// A null element of a list or set in the proposed object.
    #[error("{path}: expected no null element in a list or set (Z50)")]
    NullElement {
        /// The flat path of the list or set.
        path: String,
    },
    /// A text that is not valid for the type.
    #[error("{path}: expected the text of a {expected}, found {found:?} (Z21)")]
    Text {
        /// The flat path.
        path: String,
        /// The type.
        expected: &'static str,
        /// The start of the text.
        found: String,
    },
    /// A configuration whose form does not match the field.
    #[error("{path}: expected {expected} in the configuration (Z41)")]
    Form {
        /// The flat path.
        path: String,
        /// The form that the field takes.
        expected: &'static str,
    },
    /// A count that is impossible for a real list.
    #[error("{path}: expected a count of at most {}, found {found} (Z23)", super::text::MAX_COUNT)]
    Count {
        /// The flat path.
        path: String,
        /// The count.
        found: i64,
    },
    /// A map with bool elements inside a set has no element text.
    #[error("expected no bool in a map inside a set (Z31)")]
    BoolInMap,
    /// Plan customisation names a key that is no field.
    #[error("{key}: expected the key of a field (Z71)")]
    NoSuchKey {
        /// The key.
        key: String,
    },
    /// Plan customisation of a field that is not computed.
    #[error("{key}: expected a computed field (Z71)")]
    NotComputed {
        /// The key.
        key: String,
    },
    /// Replacement asked for a key that does not change.
    #[error("{key}: expected a key that changes (Z71)")]
    NoChange {
        /// The key.
        key: String,
    },
    /// A check of the plan customisation failed.
    #[error("refused by a check in the plan customisation (Z70)")]
    Refused,
}

impl SdkError {
    pub(super) fn text(path: &str, expected: &'static str, found: &str) -> SdkError {
        SdkError::Text { path: path.to_owned(), expected, found: found.chars().take(40).collect() }
    }
}
