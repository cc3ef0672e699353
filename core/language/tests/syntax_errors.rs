//! Syntax errors in expressions, as the engine reports them: summary and bytes. Inputs with several errors are left out, because the parser
//! stops at the first.

use planfuzz_language::config::load;
use planfuzz_language::{SourcePlace, Sources};

/// The value of `v` in a `locals` block; first and last byte, and summary.
const ERRORS: &[(&str, u32, u32, &str)] = &[
    ("1 +", 18, 19, "Invalid expression"),
    ("[1 2]", 18, 19, "Missing item separator"),
    ("[1, 2", 21, 22, "Missing item separator"),
    ("foo(1 2)", 21, 22, "Missing argument separator"),
    ("foo(1", 21, 22, "Missing argument separator"),
    ("{ a 1 }", 19, 20, "Missing key/value separator"),
    ("{ a = 1 b = 2 }", 23, 24, "Missing attribute separator"),
    ("\"a ${1 2}\"", 22, 23, "Extra characters after interpolation expression"),
    ("true ? 1", 23, 24, "Missing false expression in conditional"),
    ("1 ? : 2", 19, 20, "Invalid expression"),
    ("(1", 18, 19, "Unbalanced parentheses"),
    ("(1 2)", 18, 19, "Unbalanced parentheses"),
    ("a.", 17, 18, "Invalid attribute name"),
    ("a[", 18, 19, "Invalid expression"),
    ("a..b", 17, 18, "Invalid attribute name"),
    ("\"\\q\"", 16, 18, "Invalid escape sequence"),
    ("[for x in y : ]", 29, 30, "Invalid expression"),
    ("[for x y : 1]", 22, 23, "Invalid 'for' expression"),
    ("foo(", 20, 21, "Invalid expression"),
    ("a.b.*.c.*", 23, 24, "Nested splat expression not allowed"),
    ("\"%{ foo }\"", 19, 22, "Invalid template control keyword"),
    ("<<X\na", 23, 24, "Unterminated template string"),
    ("= 1", 15, 16, "Invalid expression"),
    ("1 2", 17, 18, "Missing newline after argument"),
    ("a b", 17, 18, "Missing newline after argument"),
    ("!", 16, 17, "Invalid expression"),
    ("-", 16, 17, "Invalid expression"),
    ("a &&", 19, 20, "Invalid expression"),
    ("[1,,2]", 18, 19, "Invalid expression"),
    ("foo(1,,2)", 21, 22, "Invalid expression"),
    ("[\n1\n2\n]", 19, 20, "Missing item separator"),
    ("a::b", 19, 20, "Missing open parenthesis"),
    ("a::", 18, 19, "Missing function name"),
    ("provider::a::b", 29, 30, "Missing open parenthesis"),
];

/// The engine reports another token for these.
const ELSEWHERE: &[(&str, &str)] = &[
    ("true ? 1 : ", "Invalid expression"),
    ("a[1", "Missing close bracket on index"),
    ("{for x in y : 1}", "Invalid 'for' expression"),
    ("\"%{ if true }x\"", "Unexpected end of template"),
    ("\"%{ endif }\"", "Unexpected endif directive"),
    ("foo(a...,b)", "Missing closing parenthesis"),
];

fn reported(text: &str) -> Vec<(u32, u32, String)> {
    let mut sources = Sources::new();
    sources.add("main.tf", format!("locals {{\n  v = {text}\n}}\n")).expect("a small file");
    let place = |place: SourcePlace| (place.span.start, place.span.end);
    let found = load(&sources, "").diagnostics.into_iter().map(|one| (one.place.map_or((0, 0), place), one.summary));
    found.map(|((start, end), summary)| (start, end, summary)).collect()
}

#[test]
fn errors_of_syntax_are_those_of_the_engine() {
    let mut wrong = Vec::new();
    for (text, start, end, summary) in ERRORS {
        let found = reported(text);
        if found != [(*start, *end, (*summary).to_owned())] {
            wrong.push(format!("{text:?}\n  wanted {:?}\n  found  {found:?}", (start, end, summary)));
        }
    }
    for (text, summary) in ELSEWHERE {
        let found: Vec<String> = reported(text).into_iter().map(|one| one.2).collect();
        if found.last().map(String::as_str) != Some(*summary) {
            wrong.push(format!("{text:?}\n  wanted {summary}\n  found  {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
