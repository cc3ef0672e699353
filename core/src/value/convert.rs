//! Conversion between types and the most general common type (V60 to V64).
