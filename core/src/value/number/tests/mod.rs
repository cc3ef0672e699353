//! Numbers, compared with the examples of values.md and with a second, naive implementation of the same rules.

mod oracle;

use std::cmp::Ordering;
use std::time::{Duration, Instant};

use num_bigint::BigUint;
use proptest::prelude::*;

use super::*;

/// Text, canonical text and key text, or `None` for an error.
#[track_caller]
fn check_text(input: &str, want: Option<(&str, &str)>) {
    let number = Number::parse(input).ok();
    let found = number.as_ref().map(|number| (number.text(), number.key_text()));
    assert_eq!(found.as_ref().map(|(text, key)| (&**text, &**key)), want, "{input}");
}

fn parse(text: &str) -> Number {
    Number::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn float(float: f64) -> Number {
    Number::from_f64(float).expect("not NaN")
}

#[test]
fn v17_examples() {
    check_text("5.", Some(("5", "5")));
    check_text(".5", Some(("0.5", "0.5")));
    check_text("007", Some(("7", "7")));
    check_text("1p3", Some(("8", "8")));
    check_text("1.5P-1", Some(("0.75", "0.75")));
    check_text("+1E+2", Some(("100", "100")));
    for infinite in ["inf", "Inf", "+inf", "+Inf"] {
        check_text(infinite, Some(("+Inf", "+Inf")));
    }
    check_text("-Inf", Some(("-Inf", "-Inf")));
}

#[test]
fn v17_other_text_is_refused() {
    let refused = [
        "", "+", "-", ".", "-.", "0x10", "1_000", "1e", "1e+", "1p", "e1", ".e1", " 1", "1 ", "1.2.3", "1e1.5", "--1",
        "+-1", "INF", "infinity", "nan", "NaN", "1e1e1", "1p1e1", "0b1", "0o7", "١", "1,5",
    ];
    for text in refused {
        assert!(matches!(Number::parse(text), Err(NumberError::Syntax { .. })), "{text}");
    }
}

#[test]
fn v17_long_text_and_far_exponents_are_refused_at_once() {
    let start = Instant::now();
    for text in ["1e9999999", "1e-9999999", "1e99999999999999999999", "-1p-99999999999999999999", "1e4001", "1e-4001"] {
        let error = Number::parse(text).expect_err(text);
        assert!(matches!(error, NumberError::TooManyPlaces { .. }) && error.to_string().contains("4000"), "{error}");
    }
    let long = "1".repeat(20_001);
    let error = Number::parse(&long).expect_err("too long");
    assert!(matches!(error, NumberError::TooLong { length: 20_001 }) && error.to_string().contains("20000"), "{error}");
    assert!(start.elapsed() < Duration::from_millis(50), "{:?}", start.elapsed());
    check_text("0e99999999999999999999", Some(("0", "0")));
    check_text("-0.000e-99999999999999999999", Some(("-0", "-0")));
}

#[test]
fn v17_the_greatest_numbers_that_are_read_are_written_too() {
    for text in ["1e4000", "-9e4000", "1e-4000", "1p13287", "1p-13287"] {
        let number = parse(text);
        assert!(number.text().len() <= 4_200, "{text}");
        assert!(!number.key_text().is_empty());
        let _ = (number.hash_code(), number.to_f64(), number.to_i64());
    }
}

#[test]
fn v18_ties_beyond_the_exact_powers_go_where_the_power_of_five_sends_them() {
    // The point between two neighbours of 512 bits: ties to even up to 5^248, beyond it the rounded power decides.
    let odd = (BigUint::from(1u8) << 513u32) - 3u8;
    let mut differ = 0;
    for places in (200..=330).step_by(5) {
        let digits = &odd * BigUint::from(5u8).pow(places);
        let text = format!("{digits}e-{places}");
        let (exact, wanted) = (oracle::parse_exactly(&text), oracle::parse(&text));
        let same = exact.compare(&wanted.value).is_eq();
        assert!(same || places > 248, "{places}");
        differ += usize::from(!same);
        check_against_oracle(&parse(&text), &wanted);
    }
    assert!(differ > 0, "the examples show what they are for");
}

#[test]
fn v19_examples() {
    check_text("0", Some(("0", "0")));
    check_text("-0", Some(("-0", "-0")));
    check_text("-0.00", Some(("-0", "-0")));
    check_text("1e21", Some(("1000000000000000000000", "1e+21")));
    check_text("00.10", Some(("0.1", "0.1")));
    assert_eq!(float(1.1).text(), "1.1");
    assert_eq!(float(f64::from(1.1f32)).text(), "1.100000023841858");
}

#[test]
fn v19_a_great_float_is_known_by_few_digits() {
    assert_eq!(float(9_223_372_036_854_775_808.0).text(), "9223372036854776000");
    assert_eq!(float(4_611_686_018_427_387_904.0).text(), "4611686018427388000");
    assert_eq!(Number::from(1u64 << 62).text(), "4611686018427387904");
    assert_eq!(Number::from(u64::MAX).text(), "18446744073709551615");
    assert!(float(4_611_686_018_427_387_904.0).equals(&Number::from(1u64 << 62)));
}

#[test]
fn v19_one_more_is_never_taken_again_after_it_met_the_upper_bound() {
    // Odd mantissas of 53 bits whose upper bound, 128 above, is a multiple of a thousand: the cut to thousands plus
    // one is that bound, so the nearer hundred above is not taken.
    let first = (1u64 << 53) / 125 / 4 * 4 + 7;
    for step in 0..20 {
        let mantissa = (125 * (first + 4 * step) - 1) / 2;
        let exact = Binary::new(false, mantissa.into(), 8);
        let number = float(exact.to_f64().expect("53 bits"));
        assert!(number.text().ends_with("800"), "{number}");
        check_against_oracle(&number, &oracle::Exact::of_parts(false, &exact.mantissa, exact.exponent, 53));
    }
}

#[test]
fn v20_examples() {
    check_text("123456789012", Some(("123456789012", "1.23456789e+11")));
    check_text("0.00001", Some(("0.00001", "1e-05")));
    check_text("0.0001", Some(("0.0001", "0.0001")));
    check_text("9999999999.96", Some(("9999999999.96", "1e+10")));
    check_text("100000", Some(("100000", "100000")));
    check_text("9999999999", Some(("9999999999", "9999999999")));
    check_text("10000000000", Some(("10000000000", "1e+10")));
    check_text("-12345678905", Some(("-12345678905", "-1.23456789e+10")));
    check_text("-12345678915", Some(("-12345678915", "-1.234567892e+10")));
    check_text("1e-150", Some((&format!("0.{}1", "0".repeat(149)), "1e-150")));
}

#[test]
fn v20_half_of_the_tenth_digit_turns_on_the_exact_value() {
    // 0.12345678905 has no exact binary form, so it lies on one side of its own digits.
    for text in ["0.12345678905", "0.12345678915", "0.98765432125", "1234567890.5", "1.2345678905", "123456.78925"] {
        check_against_oracle(&parse(text), &oracle::parse(text));
    }
}

#[test]
fn v21_examples() {
    assert!(parse("0").equals(&parse("-0")) && parse("-0").equals(&parse("0")));
    assert_eq!(parse("0").hash_code(), parse("-0").hash_code());
    assert_eq!(parse("0").compare(&parse("-0")), Ordering::Equal);
    assert!(float(1.1).equals(&parse("1.1")));
    assert_eq!(float(1.1).hash_code(), parse("1.1").hash_code());
    assert_eq!(float(1.1).compare(&parse("1.1")), Ordering::Greater);
    assert_eq!(parse("-inf").compare(&parse("-1e300")), Ordering::Less);
    assert_eq!(parse("inf").compare(&parse("1e300")), Ordering::Greater);
    assert!(parse("inf").equals(&parse("+Inf")) && !parse("inf").equals(&parse("-inf")));
    assert!(!parse("inf").is_whole() && parse("inf").is_infinite() && parse("1e300").is_whole());
}

#[test]
fn v16_floats_and_integers_are_found_exactly() {
    let floats = [1.0, 0.1, -0.1, 5e-324, f64::MIN_POSITIVE, 2.2e-308, f64::MAX, f64::MIN, 0.5, 1e300, -0.0, 3.0e-310];
    for given in floats.into_iter().chain([f64::INFINITY, f64::NEG_INFINITY]) {
        assert_eq!(float(given).to_f64().map(f64::to_bits), Some(given.to_bits()), "{given}");
    }
    assert!(Number::from_f64(f64::NAN).is_none());
    for none in ["0.1", "9007199254740993", "1e309", "2e-324", "1p1024", "1p-1075"] {
        assert_eq!(parse(none).to_f64(), None, "{none}");
    }
    assert_eq!(parse("1p1023").to_f64(), Some(2f64.powi(1023)));
    assert_eq!(parse("3p-1074").to_f64(), Some(1.5e-323));
    for int in [0, 1, -1, i64::MAX, i64::MIN, i64::MIN + 1, 1 << 53, (1 << 53) + 1] {
        assert_eq!(parse(&int.to_string()).to_i64(), Some(int));
        assert_eq!(Number::from(int).text(), int.to_string());
    }
    assert_eq!(float(9_223_372_036_854_774_784.0).to_i64(), Some(9_223_372_036_854_774_784));
    assert_eq!(float(-9_223_372_036_854_775_808.0).to_i64(), Some(i64::MIN));
    for none in ["9223372036854775808", "-9223372036854775809", "1.5", "1e30", "inf"] {
        assert_eq!(parse(none).to_i64(), None, "{none}");
    }
    assert_eq!(parse("1.50e1").to_i64(), Some(15));
    assert_eq!(parse(&format!("0.{}", "9".repeat(200))).to_i64(), Some(1));
}

/// Checks every method of a number; `wanted` is the expected number.
#[track_caller]
fn check_against_oracle(number: &Number, wanted: &oracle::Exact) {
    let binary = number.binary().expect("neither zero nor infinite");
    let value = oracle::Exact::of_parts(binary.negative, &binary.mantissa, binary.exponent, wanted.precision);
    assert!(value.value.compare(&wanted.value).is_eq(), "{number}: {value:?} {wanted:?}");
    assert_eq!(number.text(), oracle::text(wanted));
    assert_eq!(number.key_text(), oracle::key_text(wanted));
    let (mut text, mut key) = (String::new(), Vec::new());
    number.write_text(&mut text);
    number.write_key_text(&mut key);
    assert_eq!((&*text, &*key), (&*number.text(), number.key_text().as_bytes()));
    assert_eq!(number.is_whole(), wanted.value.is_whole());
    assert!(number.equals(&number.deep_clone()));
    let compared = Number::Exact(Arc::new(Exact::of_value(binary.into_owned(), wanted.precision)));
    assert!(number.equals(&compared) && number.compare(&compared).is_eq());
    assert_eq!(number.hash_code(), compared.hash_code());
    assert_eq!(number.to_i64(), compared.to_i64());
}

/// A text and the same read as a float, where it is one other than zero.
fn readings(text: &str) -> Vec<(Number, oracle::Exact)> {
    let mut readings = vec![(parse(text), oracle::parse(text))];
    if let Some(near) = text.parse::<f64>().ok().filter(|near| near.is_finite() && *near != 0.0) {
        let exact = Binary::from_f64(near);
        readings.push((float(near), oracle::Exact::of_parts(exact.negative, &exact.mantissa, exact.exponent, 53)));
    }
    readings
}

/// V21 between two numbers.
#[track_caller]
fn check_pair((a, exact_a): &(Number, oracle::Exact), (b, exact_b): &(Number, oracle::Exact)) {
    let equal = oracle::equals(exact_a, exact_b);
    assert_eq!(a.equals(b), equal, "{a} {b}");
    assert!(!equal || a.hash_code() == b.hash_code(), "{a} {b}");
    assert_eq!(a.compare(b), exact_a.value.compare(&exact_b.value), "{a} {b}");
}

/// Texts around every boundary of a rule.
fn boundaries() -> Vec<String> {
    let mut texts = Vec::new();
    let mut around = |middle: &BigUint| {
        for off in 0u8..=4 {
            texts.push((middle + off).to_string());
            if *middle > BigUint::from(4u8) {
                texts.push((middle - off).to_string());
            }
        }
    };
    let one = BigUint::from(1u8);
    for bits in [3u32, 10, 31, 32, 52, 53, 54, 55, 56, 62, 63, 64, 65, 127, 128, 511, 512, 513, 514, 576] {
        around(&(&one << bits));
        around(&((&one << bits) - (&one << (bits / 2))));
    }
    for ten in [1u32, 2, 9, 10, 11, 12, 15, 16, 17, 18, 19, 20, 149, 150, 151, 153, 154, 155, 156, 160] {
        around(&BigUint::from(10u8).pow(ten));
        around(&(BigUint::from(10u8).pow(ten) * 5u8));
    }
    let integers: Vec<_> = texts.iter().filter(|text| *text != "0").cloned().collect();
    for (index, integer) in integers.iter().enumerate() {
        let places = [1, 4, 5, 9, 10, 11, 247, 248, 249, 250, 300][index % 11];
        texts.push(format!("{integer}e-{places}"));
        texts.push(format!("-{integer}e{places}"));
        texts.push(format!("{integer}p-{places}"));
        texts.push(format!("{integer}.5"));
    }
    for two in [-1074, -1022, -600, -513, -512, -54, -53, -1, 1, 52, 53, 54, 511, 512, 600, 1023] {
        texts.extend([
            format!("1p{two}"),
            format!("3p{two}"),
            format!("-1.5p{two}"),
            format!("4503599627370495p{two}"),
        ]);
    }
    texts.retain(|text| text != "0" && !text.starts_with("0p") && !text.starts_with("0e"));
    texts
}

#[test]
fn v18_to_v20_hold_at_the_boundaries() {
    for text in boundaries() {
        for (number, wanted) in readings(&text) {
            check_against_oracle(&number, &wanted);
        }
    }
}

#[test]
fn v21_holds_between_neighbouring_boundaries() {
    let readings: Vec<_> = boundaries().iter().flat_map(|text| readings(text)).collect();
    for (index, a) in readings.iter().enumerate() {
        for b in readings.iter().skip(index).take(12) {
            check_pair(a, b);
            check_pair(b, a);
        }
    }
}

#[test]
fn v19_floats_at_every_power_of_two() {
    for biased in (1..2047u64).step_by(3) {
        for fraction in [0, 1, 2, (1 << 52) - 1] {
            let near = f64::from_bits(biased << 52 | fraction);
            let exact = Binary::from_f64(near);
            let wanted = oracle::Exact::of_parts(false, &exact.mantissa, exact.exponent, 53);
            assert_eq!(float(near).text(), oracle::text(&wanted), "{near:e}");
        }
    }
}

fn decimal_text() -> impl Strategy<Value = String> {
    let digits = prop_oneof!["[0-9]{1,12}", "[0-9]{10,20}", "[0-9]{140,170}", "[1-9]0{0,30}[1-9]", "9{1,170}"];
    let exponent = prop_oneof![
        Just(String::new()),
        (-30i32..30).prop_map(|ten| format!("e{ten}")),
        (-260i32..260).prop_map(|ten| format!("E{ten}")),
        (-600i32..600).prop_map(|two| format!("p{two}")),
    ];
    (any::<bool>(), digits, proptest::option::of(0usize..12), exponent).prop_map(
        |(negative, digits, point, exponent)| {
            let sign = if negative { "-" } else { "" };
            let at = digits.len().saturating_sub(point.unwrap_or(0));
            let (whole, fraction) = digits.split_at(at);
            let point = if point.is_some() { "." } else { "" };
            format!("{sign}{whole}{point}{fraction}{exponent}")
        },
    )
}

fn is_zero(text: &str) -> bool {
    !text.split(['e', 'E', 'p']).next().unwrap_or("").contains(|digit: char| ('1'..='9').contains(&digit))
}

/// Below a power of two numbers lie twice as close as above it, which the shortest text does not allow for: that of `1p525` is one
/// of its neighbours' (V19).
fn is_power_of_two(text: &str) -> bool {
    let mantissa = text.split(['e', 'E', 'p']).next().unwrap_or("");
    let float: f64 = mantissa.parse().expect("a decimal");
    text.contains('p') && float.to_bits().trailing_zeros() >= 52
}

#[test]
fn v19_the_text_of_a_great_power_of_two_is_that_of_a_neighbour() {
    let number = parse("1p525");
    let again = parse(&number.text());
    assert!(!again.equals(&number) && parse(&again.text()).equals(&again));
    assert!(parse(&parse("3p525").text()).equals(&parse("3p525")));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn v18_to_v20_hold_for_random_text(text in decimal_text()) {
        prop_assume!(!is_zero(&text));
        for (number, wanted) in readings(&text) {
            check_against_oracle(&number, &wanted);
        }
    }

    #[test]
    fn v19_the_text_of_a_text_is_the_same_number(text in decimal_text()) {
        prop_assume!(!is_power_of_two(&text));
        let number = parse(&text);
        let again = parse(&number.text());
        prop_assert_eq!(again.text(), number.text());
        prop_assert!(again.equals(&number) && again.hash_code() == number.hash_code());
    }

    #[test]
    fn v21_holds_for_random_pairs(a in decimal_text(), b in decimal_text(), digits in 1usize..30) {
        prop_assume!(!is_zero(&a) && !is_zero(&b));
        let near = parse(&a).text().chars().take(digits + 2).collect::<String>();
        let mut all = readings(&a);
        all.extend(readings(&b));
        if near.ends_with(|last: char| last.is_ascii_digit()) && !is_zero(&near) {
            all.extend(readings(&near));
        }
        for a in &all {
            for b in &all {
                check_pair(a, b);
            }
        }
    }

    #[test]
    fn v19_random_floats(bits in any::<u64>()) {
        let near = f64::from_bits(bits);
        prop_assume!(near.is_finite() && near != 0.0);
        let exact = Binary::from_f64(near);
        let wanted = oracle::Exact::of_parts(exact.negative, &exact.mantissa, exact.exponent, 53);
        check_against_oracle(&float(near), &wanted);
        prop_assert_eq!(float(near).to_f64(), Some(near));
        prop_assert_eq!(Number::parse(&float(near).text()).ok().map(|read| read.text() == float(near).text()), Some(true));
    }

    #[test]
    fn v17_no_text_panics(text in "[-+0-9.eEpPinfIN_ x]{0,12}") {
        if let Ok(number) = Number::parse(&text) {
            prop_assume!(number.text().len() < 5_000);
            let again = parse(&number.text());
            prop_assert_eq!(again.text(), number.text());
        }
    }
}

#[test]
fn e82_results_have_the_precision_of_their_operands() {
    let (one, three) = (Number::counted(1_u64), Number::counted(3_u64));
    let third = one.divided_by(&three).expect("a quotient");
    assert_eq!(third.text(), "0.33333333333333333334");
    assert!(!third.equals(&parse("1").divided_by(&parse("3")).expect("a quotient")));
    // The greater precision of both counts.
    assert_eq!(one.divided_by(&parse("3")).expect("a quotient").precision(), 512);
    let root = Number::calculated(2_f64.sqrt()).expect("a number");
    assert_eq!(root.plus(&one).expect("a sum").precision(), 64);
    // A product has the bits that it needs, and no more than the operands where those suffice.
    assert_eq!(root.times(&root).expect("a product").text(), "2.00000000000000027343234630647693");
    assert_eq!(root.times(&Number::calculated(2.0).expect("a number")).expect("a product").precision(), 53);
    assert_eq!(parse("10").minus_at(&one, 53).expect("a difference").precision(), 53);
}

#[test]
fn e82_whole_numbers_of_any_precision_are_equal_and_alike_in_sets() {
    let counted = Number::counted(7_u64);
    let written = parse("7");
    assert!(counted.equals(&written) && written.equals(&counted));
    assert_eq!(counted.hash_code(), written.hash_code());
    assert_eq!((counted.text(), counted.key_text()), (written.text(), written.key_text()));
    assert_eq!(counted.compare(&written), std::cmp::Ordering::Equal);
    assert_eq!(counted.to_i64(), Some(7));
}

#[test]
fn fn18_all_digits_are_those_of_the_value() {
    let float = float(0.1);
    assert_eq!(float.all_digits().as_deref(), Some("0.1000000000000000055511151231257827021181583404541015625"));
    assert_eq!(Number::NEGATIVE_ZERO.all_digits().as_deref(), Some("-0"));
    assert_eq!(parse("-1e30").all_digits().as_deref(), Some("-1000000000000000000000000000000"));
}
