//! Tests of the static checks.
