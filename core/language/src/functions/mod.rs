//! The functions of the language (section 7).
