//! Conversion, checked by rule.
