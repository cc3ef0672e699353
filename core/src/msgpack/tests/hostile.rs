//! Hostile input.

use super::*;
use crate::value::{MAX_DEPTH, Type};

const TYPES: &[&str] = &[
    r#""bool""#,
    r#""number""#,
    r#""string""#,
    r#""dynamic""#,
    r#"["list","number"]"#,
    r#"["set","dynamic"]"#,
    r#"["map",["tuple",["bool"]]]"#,
    r#"["object",{"":"bool","a":["list","string"]}]"#,
];

/// Reading gives a value or an error, and the value can be traversed.
fn touch(bytes: &[u8], ty: &Type) {
    match decode(bytes, ty) {
        Ok(value) => drop(encode(value.view(), value.ty()).expect("a decoded value encodes")),
        Err(error) => assert!(error.offset() <= bytes.len() && !error.to_string().is_empty()),
    }
}

#[test]
fn every_short_input_gives_a_value_or_an_error() {
    let types: Vec<_> = TYPES.iter().map(|text| ty(text)).collect();
    let check = |bytes: &[u8]| {
        types.iter().for_each(|ty| touch(bytes, ty));
        let _ = implied_type(bytes).map(|ty| ty.to_v05_text());
    };
    check(&[]);
    for first in 0..=255 {
        check(&[first]);
        for second in 0..=255 {
            check(&[first, second]);
        }
    }
}

/// Decoding ignores what follows a value, so a third byte matters only where two were not enough.
#[test]
fn every_input_of_three_bytes_gives_a_value_or_an_error() {
    let types: Vec<_> = TYPES.iter().map(|text| ty(text)).collect();
    let is_cut = |result: Result<Value, DecodeError>| {
        result.is_err_and(|error| matches!(error.problem(), DecodeProblem::Truncated { .. }))
    };
    for (first, second) in (0..=255).flat_map(|first| (0..=255).map(move |second| (first, second))) {
        let cut: Vec<_> = types.iter().filter(|ty| is_cut(decode(&[first, second], ty))).collect();
        for third in 0..=255 {
            cut.iter().for_each(|ty| touch(&[first, second, third], ty));
        }
        // One code of each kind, and the lengths at the ends: a document is read to its end, so there are many of these.
        for third in [0, 1, 0x7f, 0x80, 0x81, 0x8f, 0x90, 0x91, 0x9f, 0xa0, 0xa1, 0xbf, 0xe0, 0xff]
            .into_iter()
            .chain(0xc0..=0xdf)
        {
            let _ = implied_type(&[first, second, third]);
        }
    }
}

#[test]
fn depth_is_bounded_by_the_type() {
    let deepest = (1..MAX_DEPTH).fold(Type::Bool, |ty, _| Type::list(ty));
    let bytes = [vec![0x91; MAX_DEPTH - 1], vec![0xc3]].concat();
    let value = decode(&bytes, &deepest).expect("as deep as values get");
    assert_eq!(encode(value.view(), &deepest).expect("encodes"), bytes);
    let error = decode(&[&[0x91][..], &bytes].concat(), &Type::list(deepest)).expect_err("one more");
    assert_eq!(*error.problem(), DecodeProblem::TooDeep);
}

#[test]
fn depth_is_bounded_in_nested_dynamic_values() {
    for text in ["\"dynamic\"", r#"["list","dynamic"]"#] {
        let wrapped = [&[0x92, 0xc4, text.len() as u8], text.as_bytes()].concat();
        let turn = if text.starts_with('[') { [&wrapped[..], &[0x91]].concat() } else { wrapped };
        let bytes = turn.repeat(100_000);
        let error = decode(&bytes, &Type::Dynamic).expect_err("too deep");
        assert_eq!(*error.problem(), DecodeProblem::TooDeep, "{text}");
    }
    // Every type is shallow enough, but not in its place.
    let half = (0..MAX_DEPTH / 2 + 1).fold(Type::Dynamic, |ty, _| Type::list(ty)).to_v05_text();
    let header = [&[0x92, 0xc5, (half.len() >> 8) as u8, half.len() as u8], half.as_bytes()].concat();
    let bytes = [&header[..], &[0x91; MAX_DEPTH / 2 + 1], &header, &[0xc0]].concat();
    let error = decode(&bytes, &Type::Dynamic).expect_err("too deep");
    assert_eq!(*error.problem(), DecodeProblem::TooDeep);
}

#[test]
fn depth_is_bounded_in_implied_types() {
    for opening in [&[0x91][..], &[0x81, 0xa0]] {
        let error = implied_type(&opening.repeat(100_000)).expect_err("too deep");
        assert_eq!(*error.problem(), DecodeProblem::TooDeep);
        // After the document, any depth is skipped.
        assert!(implied_type(&[&[0xc3][..], &opening.repeat(100_000)].concat()).is_ok());
    }
}

#[test]
fn depth_is_bounded_in_bounds_of_bounds() {
    let mut bytes = vec![5];
    loop {
        let body = [&[0x81, 3, 0x92][..], &bytes, &[0xc3]].concat();
        if body.len() > 1024 {
            break;
        }
        bytes = [&[0xc8, (body.len() >> 8) as u8, body.len() as u8, 12], &body[..]].concat();
    }
    assert!(decode(&bytes, &Type::Number).is_err());
}

#[test]
fn v43_few_bytes_do_not_become_many_elements() {
    let list = |length: [u8; 4]| [&[0xc7, 15, 12, 0x83, 1, 0xc2, 5, 0xce][..], &length, &[6, 0xce], &length].concat();
    let ty = Type::list(Type::list(Type::Bool));
    for length in [[0xff; 4], [0x7f, 0xff, 0xff, 0xff], [0, 0, 5, 0]] {
        assert!(decode(&[&[0x91][..], &list(length)].concat(), &ty).is_err());
    }
    let thousand = list([0, 0, 3, 0xe8]);
    assert!(decode(&[&[0xdc, 0, 100][..], &thousand.repeat(100)].concat(), &ty).is_ok());
    let error = decode(&[&[0xdc, 0, 101][..], &thousand.repeat(101)].concat(), &ty).expect_err("too many");
    assert_eq!(*error.problem(), DecodeProblem::TooManyMade);
}

#[test]
fn numbers_in_strings_are_bounded() {
    for text in ["1e999999999", "1e-999999999", "1p2147483600"] {
        let bytes = [&[0xa0 | text.len() as u8], text.as_bytes()].concat();
        touch(&bytes, &Type::Number);
    }
    let digits = "9".repeat(60_000);
    touch(&[&[0xda, 0xea, 0x60], digits.as_bytes()].concat(), &Type::Number);
}
