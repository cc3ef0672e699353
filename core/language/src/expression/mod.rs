//! Expressions and templates: parsed into a tree with places, compiled, evaluated.
//!
//! One parser for both syntaxes. Entry points, for native expressions, for templates of JSON strings:
//! `parse(text, place) -> Result<Expression, Vec<Diagnostic>>`, `parse_template(text, place)`; `place` is where the text begins.
//! The body parser of [`crate::native`] finds where an expression ends (line ends count but inside brackets) and hands over that text.
