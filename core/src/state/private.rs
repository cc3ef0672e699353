//! A provider's private data.

use std::fmt;

use triomphe::Arc;

/// Opaque bytes of a provider that Core keeps for it (L203). No bytes and no data are the same.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Private(Option<Arc<[u8]>>);

impl Private {
    /// No data.
    pub const NONE: Private = Private(None);

    /// Whether there is no data.
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_deref().unwrap_or_default()
    }
}

impl From<&[u8]> for Private {
    fn from(bytes: &[u8]) -> Private {
        Private((!bytes.is_empty()).then(|| Arc::from(bytes)))
    }
}

impl fmt::Debug for Private {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Private(\"{}\")", self.as_bytes().escape_ascii())
    }
}
