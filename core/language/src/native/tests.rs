//! Tests of the native reader.
