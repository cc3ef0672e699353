//! Texts of primitive values (Z21).

use super::error::SdkError;
use super::schema::Primitive;
use super::value::SdkValue;

/// The greatest count that is accepted, because a text can claim any number.
pub const MAX_COUNT: i64 = 1_000_000;

/// The text that stands for a value that is not known yet (Z10).
pub const UNKNOWN: &str = "74D93920-ED26-11E3-AC10-0800200C9A66";

/// Z21: the value of a text for a primitive field.
pub(super) fn parse(primitive: Primitive, text: &str, path: &str) -> Result<SdkValue, SdkError> {
    if primitive != Primitive::String && text.is_empty() {
        return Ok(SdkValue::zero_primitive(primitive));
    }
    let refused = |expected| SdkError::text(path, expected, text);
    match primitive {
        Primitive::String => Ok(SdkValue::Text(text.to_owned())),
        Primitive::Bool => parse_bool(text).map(SdkValue::Bool).ok_or_else(|| refused("bool")),
        Primitive::Int => parse_int(text).map(SdkValue::Int).ok_or_else(|| refused("int")),
        Primitive::Float => parse_float(text).map(SdkValue::Float).ok_or_else(|| refused("float")),
    }
}

fn parse_bool(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}

/// A whole number with a sign and optionally the prefix of a base; with a prefix, `_` may separate digits.
fn parse_int(text: &str) -> Option<i64> {
    let (negative, unsigned) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (digits, base) = base_of(unsigned);
    let digits = if base == 10 { digits.to_owned() } else { without_underscores(digits)? };
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_alphanumeric()) {
        return None;
    }
    let magnitude = i128::from_str_radix(&digits, base).ok()?;
    i64::try_from(if negative { -magnitude } else { magnitude }).ok()
}

fn base_of(unsigned: &str) -> (&str, u32) {
    let bases = [("0x", 16), ("0X", 16), ("0b", 2), ("0B", 2), ("0o", 8), ("0O", 8)];
    for (prefix, base) in bases {
        if let Some(digits) = unsigned.strip_prefix(prefix) {
            return (digits, base);
        }
    }
    match unsigned.strip_prefix('0') {
        Some(octal) if !octal.is_empty() => (octal, 8),
        _ => (unsigned, 10),
    }
}

/// The digits after a base's prefix; an underscore stands after the prefix or between two digits.
fn without_underscores(digits: &str) -> Option<String> {
    let well_placed = !digits.ends_with('_') && !digits.contains("__");
    well_placed.then(|| digits.replace('_', ""))
}

fn parse_float(text: &str) -> Option<f64> {
    let float: f64 = text.parse().ok()?;
    let unsigned = text.trim_start_matches(['-', '+']);
    let is_number = unsigned.starts_with(|first: char| first.is_ascii_digit() || first == '.');
    (!is_number || float.is_finite()).then_some(float)
}

/// The text of a value in a diff, "weak text" (Z21); empty for values that are not primitive.
pub(super) fn weak(value: Option<&SdkValue>) -> String {
    match value {
        Some(SdkValue::Bool(bool)) => (if *bool { "1" } else { "0" }).to_owned(),
        Some(SdkValue::Int(int)) => int.to_string(),
        Some(SdkValue::Float(float)) => plain_float(*float),
        Some(SdkValue::Text(text)) => text.clone(),
        Some(SdkValue::List(_) | SdkValue::Map(_) | SdkValue::Object(_) | SdkValue::Set(_)) | None => String::new(),
    }
}

/// The text of a value in a state (Z21).
pub(super) fn stored(value: &SdkValue) -> String {
    match value {
        SdkValue::Bool(bool) => bool.to_string(),
        SdkValue::Float(float) => float_with_exponent(*float, 'E'),
        other => weak(Some(other)),
    }
}

/// The shortest decimal of a float, without exponent.
pub(super) fn plain_float(float: f64) -> String {
    match special_float(float) {
        Some(text) => text.to_owned(),
        None => float.to_string(),
    }
}

/// The shortest decimal of a float, with an exponent of at least two digits where it is less than −4 or at least 6.
pub(super) fn float_with_exponent(float: f64, letter: char) -> String {
    if let Some(text) = special_float(float) {
        return text.to_owned();
    }
    let scientific = format!("{float:e}");
    let parts = scientific.split_once('e').and_then(|(digits, power)| Some((digits, power.parse::<i32>().ok()?)));
    match parts {
        Some((digits, power)) if !(-4..6).contains(&power) => {
            let sign = if power < 0 { '-' } else { '+' };
            format!("{digits}{letter}{sign}{:02}", power.abs())
        }
        _ => float.to_string(),
    }
}

fn special_float(float: f64) -> Option<&'static str> {
    match float {
        _ if float.is_nan() => Some("NaN"),
        f64::INFINITY => Some("+Inf"),
        f64::NEG_INFINITY => Some("-Inf"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn z21_floats_in_a_state_have_an_exponent_outside_minus_four_and_six() {
        for (float, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.5, "1.5"),
            (123_456.7, "123456.7"),
            (999_999.0, "999999"),
            (1_000_000.0, "1E+06"),
            (1_234_567.0, "1.234567E+06"),
            (0.0001, "0.0001"),
            (0.00001, "1E-05"),
            (1e100, "1E+100"),
        ] {
            assert_eq!(stored(&SdkValue::Float(float)), text);
        }
        assert_eq!(float_with_exponent(1e21, 'e'), "1e+21");
    }

    #[test]
    fn z21_floats_in_a_diff_have_no_exponent() {
        assert_eq!(weak(Some(&SdkValue::Float(1e21))), "1000000000000000000000");
        assert_eq!(weak(Some(&SdkValue::Float(0.000_001))), "0.000001");
        assert_eq!(weak(None), "");
    }

    #[test]
    fn z21_ints_may_have_the_prefix_of_a_base() {
        let int = |text| parse(Primitive::Int, text, "k").ok();
        for (text, want) in [("0x10", 16), ("-0b11", -3), ("0o17", 15), ("017", 15), ("0x_1_0", 16), ("+7", 7), ("", 0)]
        {
            assert_eq!(int(text), Some(SdkValue::Int(want)), "{text}");
        }
        for text in ["1_0", "0x", "08", "1.5", "-", "0x1__0", "--1", "0x-1", "9223372036854775808"] {
            assert_eq!(int(text), None, "{text}");
        }
        assert_eq!(int("-9223372036854775808"), Some(SdkValue::Int(i64::MIN)));
    }

    #[test]
    fn z21_bools_have_several_texts() {
        for (text, want) in [("t", Some(true)), ("0", Some(false)), ("", Some(false)), ("yes", None)] {
            assert_eq!(parse(Primitive::Bool, text, "k").ok(), want.map(SdkValue::Bool), "{text}");
        }
    }

    #[test]
    fn z21_a_float_beyond_64_bits_is_an_error() {
        assert!(parse(Primitive::Float, "1e999", "k").is_err());
        assert_eq!(parse(Primitive::Float, "+Inf", "k").ok(), Some(SdkValue::Float(f64::INFINITY)));
    }
}
