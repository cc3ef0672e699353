//! Tests of the JSON reader.
