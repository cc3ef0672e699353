//! The generator: cases from random bytes, valid by construction.
