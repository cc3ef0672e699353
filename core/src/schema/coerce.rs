//! Coercion of values to a schema (S40 to S48).
