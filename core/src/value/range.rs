//! Ranges of values and lengths (V44 to V46).
