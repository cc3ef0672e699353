//! How often is often enough.

use super::row::Feature;

impl Feature {
    /// The least share of cases, of the mixed preset in all dialects, that must have the feature; nothing for what is not
    /// generated yet.
    pub(super) fn floor(self) -> Option<f64> {
        match self {
            Feature::Missing(_) => None,
            _ => Some(0.001),
        }
    }
}
