//! The native syntax: bodies, blocks and attributes by a parser of this crate; expressions by the one parser for both syntaxes.
