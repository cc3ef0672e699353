//! The names, texts and numbers that cases are made of.
//!
//! The pools are small, so that values are often equal: a planner decides by equality, correlation and collisions. Besides the
//! plain entries there are odd ones on which engines have failed. A generator owns its pools, so that the reference counters of
//! shared texts stay with one worker.

use planfuzz_core::value::{Number, Text};

/// Shared names, texts and numbers.
#[derive(Debug)]
pub(super) struct Pools {
    /// Names of attributes in schemas; [`Pools::PLAIN_NAMES`] plain ones first. All different in NFC.
    pub(super) names: Vec<Text>,
    /// Names of block types (S17); none is in `names`.
    pub(super) block_names: Vec<Text>,
    /// Keys of maps.
    pub(super) keys: Vec<Text>,
    /// Texts that are drawn most of the time.
    pub(super) texts: Vec<Text>,
    /// Texts with something odd about them.
    pub(super) odd_texts: Vec<Text>,
    /// Texts of hundreds of bytes; the lengths are the limits of the msgpack forms (V71) and of prefixes (V73).
    pub(super) long_texts: Vec<Text>,
    /// Prefixes of the texts, for refinements.
    pub(super) prefixes: Vec<Text>,
    /// Prefixes at the ends of what a record keeps on the wire (V73) and may hold there (V81).
    pub(super) long_prefixes: Vec<Text>,
    /// Numbers that are drawn most of the time.
    pub(super) numbers: Vec<Number>,
    /// Numbers with something odd about them. The first is -0, which stays out of sets (V56).
    pub(super) odd_numbers: Vec<Number>,
    /// Numbers at the edges of all widths, and fractions.
    pub(super) edges: Vec<Number>,
    /// Pairs of different numbers that a careless comparison takes for equal, each pair in both orders.
    pub(super) close: Vec<(Number, Number)>,
}

const NAMES: [&str; 8] = ["id", "name", "a", "b", "kind", "value", "tags", "zone"];

/// Names that no provider has and that the format allows: attribute names are not checked (S27).
const ODD_NAMES: [&str; 8] = ["é", "A-b", "x.y", "", "$unknown", "type", "a b", "\"q\\"];

const BLOCK_NAMES: [&str; 8] = ["timeouts", "rule", "blk", "item", "net", "setting", "z9", "0"];

/// The last one is a block name too: C02 is about an attribute of such a type beside such a block.
const KEYS: [&str; 7] = ["a", "b", "c", "x.y", "é", "$k", "blk"];

const TEXTS: [&str; 5] = ["a", "b", "ab", "", "1"];

const ODD_TEXTS: [&str; 18] = [
    "true",
    "é",
    "e\u{301}f",
    "\u{1e9b}\u{323}",
    "\"",
    "a\\",
    "${a}",
    "%{ if }",
    "$unknown",
    "a\nb",
    "\u{1}\u{7f}",
    "\u{2028}<&>",
    "日本",
    "🎉\u{200d}",
    "null",
    "?",
    "~",
    "-0",
];

/// Texts whose other form (CANON of provider-model.md) is in the pool too: in lower case, trimmed, as JSON.
const FORMS: [&str; 2] = ["A", "aB"];
const ODD_FORMS: [&str; 4] = [" a", "1\n", "[1, \"a\"]", "[1,\"a\"]"];

const PREFIXES: [&str; 5] = ["a", "ab", "é", "1", "ami-"];

/// Pairs that agree in ten digits share a set key (V51); then the edges of 53 and 64 bits, fractions that binary
/// cannot hold, and the far ends.
const ODD_NUMBERS: [&str; 20] = [
    "-0",
    "12345678901",
    "12345678902",
    "9007199254740992",
    "9007199254740993",
    "0.1",
    "0.12345678901234568",
    "0.12345678901",
    "0.12345678902",
    "1.1",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "18446744073709551616",
    "1e100",
    "1e-10",
    "2.5",
    "100000000000000000000000000000000000001",
    "inf",
    "-inf",
];

/// The edges of all widths: of the short forms of msgpack (V71), of integers of 8 to 64 bits, of what a float of 64 bits
/// holds; and fractions of every kind.
const EDGES: [&str; 44] = [
    "31",
    "32",
    "127",
    "128",
    "129",
    "255",
    "256",
    "257",
    "32767",
    "32768",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9007199254740991",
    "9007199254740994",
    "1152921504606846976",
    "9223372036854774784",
    "-9007199254740996",
    "9223372036854775806",
    "9223372036854775809",
    "18446744073709551614",
    "18446744073709551615",
    "18446744073709551617",
    "-31",
    "-32",
    "-33",
    "-127",
    "-128",
    "-129",
    "-32768",
    "-32769",
    "-2147483648",
    "-2147483649",
    "-9007199254740993",
    "-9223372036854775807",
    "-9223372036854775808",
    "0.30000000000000004",
    "-0.1",
    "123456.789012345678901234567890",
    "0.5",
    "0.1000000000000000055511151231257827",
];

/// The same ten digits, the same float of 64 bits, the same 64 bits.
const CLOSE: [(&str, &str); 4] = [
    ("12345678901", "12345678902"),
    ("9007199254740992", "9007199254740993"),
    ("0.12345678901", "0.12345678902"),
    ("9223372036854775807", "9223372036854775808"),
];

impl Pools {
    /// How many of the attribute names are plain.
    pub(super) const PLAIN_NAMES: usize = NAMES.len();

    /// The key that is the name of a block as well.
    pub(super) const SHARED_KEY: usize = 6;
    /// The block name that is a key as well.
    pub(super) const SHARED_BLOCK_NAME: usize = 2;

    /// Pools that share nothing with other pools.
    pub(super) fn new() -> Pools {
        let texts = |all: &[&str]| all.iter().map(|text| Text::new(text)).collect::<Vec<_>>();
        let parse = |text: &str| Number::parse(text).expect("the pool holds decimal numbers (V17)");
        let both = |(one, other): &(&str, &str)| [(parse(one), parse(other)), (parse(other), parse(one))];
        Pools {
            names: texts(&NAMES).into_iter().chain(texts(&ODD_NAMES)).collect(),
            block_names: texts(&BLOCK_NAMES),
            keys: texts(&KEYS),
            texts: texts(&TEXTS),
            odd_texts: texts(&ODD_TEXTS),
            long_texts: [31, 32, 255, 256, 300].map(|length| Text::new(&"a".repeat(length))).to_vec(),
            prefixes: texts(&PREFIXES),
            long_prefixes: [255, 256, 257, 300, 1030].map(|length| Text::new(&"a".repeat(length))).to_vec(),
            numbers: [0, 1, 2, 3, 10].map(|int: i64| Number::from(int)).to_vec(),
            edges: EDGES.iter().map(|text| parse(text)).collect(),
            odd_numbers: ODD_NUMBERS.iter().map(|text| parse(text)).collect(),
            close: CLOSE.iter().flat_map(both).collect(),
        }
    }
}

impl Pools {
    /// Pools for providers, with texts that some providers take for one another.
    pub(super) fn of_framework() -> Pools {
        let mut pools = Pools::new();
        pools.texts.extend(FORMS.map(Text::new));
        pools.odd_texts.extend(ODD_FORMS.map(Text::new));
        pools
    }

    /// Pools for providers of the SDK (section 11 of provider-sdk.md): no keys with dots; of the whole numbers those of 64 bits that
    /// a float of 64 bits holds; fractions unless `whole`.
    pub(super) fn of_sdk(whole: bool) -> Pools {
        let mut pools = Pools::of_framework();
        pools.keys.retain(|key| !key.contains('.'));
        let fits = |number: &Number| {
            let exact = number.to_i64().is_some_and(has_53_bits);
            let fraction = !whole && matches!(&*number.text(), "0.1" | "1.1" | "2.5" | "-0.1" | "0.5");
            exact || fraction
        };
        pools.odd_numbers.retain(fits);
        pools.edges.retain(fits);
        pools.close.retain(|(one, other)| fits(one) && fits(other));
        pools
    }
}

/// Whether a float of 64 bits holds the number.
fn has_53_bits(int: i64) -> bool {
    int == 0 || int.unsigned_abs() >> int.trailing_zeros() < 1 << 53
}

/// The name of the `index`-th attribute or block of a very wide object, once the pool is used up.
pub(super) fn numbered(letter: char, index: usize) -> Text {
    Text::new(&format!("{letter}{index}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use planfuzz_pipelines::expression::Canon;

    use super::*;

    #[test]
    fn s16_names_of_attributes_and_blocks_are_all_different() {
        let pools = Pools::new();
        let all: BTreeSet<&Text> = pools.names.iter().chain(&pools.block_names).collect();
        assert_eq!(all.len(), pools.names.len() + pools.block_names.len());
    }

    #[test]
    fn c02_a_key_is_a_block_name_too() {
        let pools = Pools::new();
        assert_eq!(pools.keys[Pools::SHARED_KEY], pools.block_names[Pools::SHARED_BLOCK_NAME]);
    }

    #[test]
    fn each_form_of_a_text_changes_some_text_into_another_of_the_pool() {
        let pools = Pools::of_framework();
        let all: BTreeSet<&str> = pools.texts.iter().chain(&pools.odd_texts).map(|text| &**text).collect();
        for canon in [Canon::Lower, Canon::Trim, Canon::Json] {
            let changes = |text: &str| canon.text(text) != text && all.contains(&*canon.text(text));
            assert!(all.iter().any(|text| changes(text)), "{canon:?}");
        }
    }

    #[test]
    fn v51_there_are_numbers_that_share_a_key() {
        let pools = Pools::new();
        let keys: BTreeSet<_> = pools.odd_numbers.iter().map(Number::key_text).collect();
        assert!(keys.len() < pools.odd_numbers.len());
    }
}
