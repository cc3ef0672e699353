//! Numbers as text: the shortest decimal (V19) and the key text (V20).

use num_bigint::BigUint;

use super::binary::Binary;

/// Significant digits in a key text (V20).
const KEY_DIGITS: usize = 10;

/// A decimal `0.d1d2… · 10^(place+1)` other than zero: digits without leading or trailing zeros, and the place of
/// the first, 0 for the one before the point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    pub(super) digits: Vec<u8>,
    pub(super) place: i64,
}

impl Decimal {
    /// The decimal `digits · 10^power`, of digits that are not all zero.
    pub(super) fn new(digits: &[u8], power: i64) -> Decimal {
        let place = power + signed(digits.len()) - 1;
        let start = digits.iter().take_while(|digit| **digit == b'0').count();
        let end = digits.len() - digits.iter().rev().take_while(|digit| **digit == b'0').count();
        Decimal { digits: digits[start..end].to_vec(), place: place - signed(start) }
    }

    /// The decimal of a positional text without sign.
    pub(super) fn of_positional(text: &str) -> Decimal {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        Decimal::new(&[whole.as_bytes(), fraction.as_bytes()].concat(), -signed(fraction.len()))
    }

    pub(super) fn is_whole(&self) -> bool {
        self.place >= signed(self.digits.len()) - 1
    }

    /// The positional text: no exponent, no zero that could be left out.
    pub(super) fn positional(&self, negative: bool) -> String {
        let zeros = |count: i64| std::iter::repeat_n('0', usize::try_from(count).unwrap_or(0));
        let digits = str::from_utf8(&self.digits).expect("digits are ASCII");
        let mut text = String::with_capacity(digits.len() + 3 + usize::try_from(self.place.abs()).unwrap_or(0));
        if negative {
            text.push('-');
        }
        if self.place < 0 {
            text.push_str("0.");
            text.extend(zeros(-self.place - 1));
            text.push_str(digits);
        } else if self.is_whole() {
            text.push_str(digits);
            text.extend(zeros(self.place + 1 - signed(digits.len())));
        } else {
            let (whole, fraction) = digits.split_at(usize::try_from(self.place + 1).unwrap_or(0));
            text.extend([whole, ".", fraction]);
        }
        text
    }

    /// The form of V20: positional for places from −4 to 9, else with an exponent of at least two digits.
    fn key_form(&self, negative: bool) -> String {
        if (-4..10).contains(&self.place) {
            return self.positional(negative);
        }
        let mantissa = Decimal { digits: self.digits.clone(), place: 0 }.positional(negative);
        let sign = if self.place < 0 { '-' } else { '+' };
        format!("{mantissa}e{sign}{:02}", self.place.abs())
    }

    /// The key text (V20) of the number that this is exactly.
    pub(super) fn key_text(&self, negative: bool) -> String {
        self.clone().rounded_to_key(false).key_form(negative)
    }

    /// Whether the key text depends on more digits than these: exactly half of the tenth digit is left over.
    pub(super) fn is_halfway_in_key(&self) -> bool {
        self.digits.len() == KEY_DIGITS + 1 && self.digits[KEY_DIGITS] == b'5'
    }

    /// Rounded to the digits of a key, half to even; `cut` is true if a little more than these digits is left over.
    fn rounded_to_key(self, cut: bool) -> Decimal {
        if self.digits.len() <= KEY_DIGITS {
            return self;
        }
        let (kept, rest) = self.digits.split_at(KEY_DIGITS);
        if rounds_up(kept, rest, cut) { one_more(kept, self.place) } else { Decimal::new(kept, self.power(KEY_DIGITS)) }
    }

    /// The power of ten that the digit number `count`, counted from one, stands for.
    fn power(&self, count: usize) -> i64 {
        self.place + 1 - signed(count)
    }
}

/// The canonical text of a number of a precision (V19).
pub(super) fn canonical(number: &Binary, precision: u32) -> String {
    shortest(number, precision).positional(number.negative)
}

/// The key text of a number (V20), from its exact digits.
pub(super) fn key_text(number: &Binary) -> String {
    let scale = Scale::new(number.magnitude(), KEY_DIGITS + 2);
    let (whole, cut) = scale.apply(&number.mantissa, number.exponent);
    let digits = whole.to_string().into_bytes();
    let place = signed(digits.len()) - 1 - scale.places;
    Decimal { digits, place }.rounded_to_key(cut).key_form(number.negative)
}

/// The shortest decimal that identifies the number among those of its precision (V19).
fn shortest(number: &Binary, precision: u32) -> Decimal {
    let spare = u64::from(precision) - number.mantissa.bits();
    let exponent = number.exponent - spare.cast_signed() - 1;
    let double: BigUint = &number.mantissa << (spare + 1);
    // Decimals so long are closer together than half of the distance to the bounds: every search ends among them.
    let scale = Scale::new(number.magnitude(), usize::try_from(precision).unwrap_or(0) * 30_103 / 100_000 + 4);
    let (exact, low, high) = (
        scale.apply(&double, exponent),
        scale.apply(&(&double - 1u8), exponent),
        scale.apply(&(&double + 1u8), exponent),
    );
    let search = Search::new([exact, low, high], spare > 0);
    let Decimal { digits, place } = search.run();
    Decimal { digits, place: place - scale.places }
}

/// The exact number and its bounds as digit strings of one length, and whether more follows after the digits.
struct Search {
    exact: (Vec<u8>, bool),
    low: (Vec<u8>, bool),
    high: (Vec<u8>, bool),
    /// Whether the bounds themselves count as inside.
    inclusive: bool,
}

impl Search {
    fn new(numbers: [(BigUint, bool); 3], inclusive: bool) -> Search {
        let texts = numbers.map(|(whole, cut)| (whole.to_string(), cut));
        let width = texts.iter().map(|(text, _)| text.len()).max().unwrap_or(0);
        let [exact, low, high] = texts.map(|(text, cut)| (format!("{text:0>width$}").into_bytes(), cut));
        Search { exact, low, high, inclusive }
    }

    /// V19: the first cut of the digits, or one more than a cut, that is inside the bounds. The place of the result
    /// is that of its first digit if the last digit of the strings is at place 0.
    fn run(&self) -> Decimal {
        let digits = &self.exact.0;
        let start = digits.iter().take_while(|digit| **digit == b'0').count();
        let (mut above_low, mut below_high) = (Gap::Same, Gap::Same);
        let mut touched_high = false;
        for count in 1..=digits.len() {
            above_low = above_low.next(digits[count - 1], self.low.0[count - 1]);
            below_high = below_high.next(self.high.0[count - 1], digits[count - 1]);
            if count <= start {
                continue;
            }
            let cut = above_low != Gap::Same || (self.inclusive && ends_at(&self.low, count));
            let at_high = below_high == Gap::One && ends_at(&self.high, count);
            touched_high |= at_high && !self.inclusive;
            let one_more_is_below = below_high != Gap::Same && (!at_high || self.inclusive);
            let next = one_more_is_below && !touched_high;
            let (kept, rest) = digits.split_at(count);
            let place = signed(digits.len()) - 1;
            let up = next && (!cut || rounds_up(kept, rest, self.exact.1));
            match (cut, up) {
                (_, true) => return one_more(kept, place),
                (true, false) => return Decimal::new(kept, place + 1 - signed(count)),
                (false, false) => {}
            }
        }
        unreachable!("the digits themselves are inside the bounds")
    }
}

/// The difference between two prefixes of digits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
    Same,
    One,
    More,
}

impl Gap {
    /// The gap once both prefixes have grown by a digit. The greater never falls below the smaller.
    fn next(self, greater: u8, smaller: u8) -> Gap {
        let units = match self {
            Gap::Same => 0,
            Gap::One => 10,
            Gap::More => return Gap::More,
        };
        match units + i16::from(greater) - i16::from(smaller) {
            0 => Gap::Same,
            1 => Gap::One,
            _ => Gap::More,
        }
    }
}

/// Whether a number has nothing but zeros after its first `count` digits.
fn ends_at((digits, cut): &(Vec<u8>, bool), count: usize) -> bool {
    !cut && digits[count..].iter().all(|digit| *digit == b'0')
}

/// Whether the nearest to `kept` followed by `rest`, and by more where `cut`, is one more than `kept`; exactly half
/// goes to the even digit.
fn rounds_up(kept: &[u8], rest: &[u8], cut: bool) -> bool {
    match rest.split_first() {
        Some((b'5', after)) if !cut && after.iter().all(|digit| *digit == b'0') => {
            kept.last().is_some_and(|digit| digit % 2 == 1)
        }
        Some((first, _)) => *first >= b'5',
        None => false,
    }
}

/// One more in the last of the digits, the first of which is at `place`.
fn one_more(digits: &[u8], place: i64) -> Decimal {
    let power = place + 1 - signed(digits.len());
    let nines = digits.iter().rev().take_while(|digit| **digit == b'9').count();
    let mut more = vec![b'0'];
    more.extend_from_slice(&digits[..digits.len() - nines]);
    if let Some(last) = more.last_mut() {
        *last += 1;
    }
    Decimal::new(&more, power + signed(nines))
}

/// A power of ten that brings a number to a wanted count of digits before the point.
struct Scale {
    places: i64,
    five: BigUint,
}

impl Scale {
    /// The scale that gives numbers below `2^magnitude` and not below half of that at least `digits` digits.
    fn new(magnitude: i64, digits: usize) -> Scale {
        // The logarithm of two; the place of the first digit is this or one more.
        let place = (i128::from(magnitude - 1) * 30_102_999_566_398).div_euclid(100_000_000_000_000);
        let places = signed(digits) - i64::try_from(place).expect("a number has few places");
        let power = u32::try_from(places.unsigned_abs()).expect("a number has few places");
        Scale { places, five: BigUint::from(5u8).pow(power) }
    }

    /// `mantissa · 2^exponent · 10^places` cut to a whole number, and whether anything was cut off.
    fn apply(&self, mantissa: &BigUint, exponent: i64) -> (BigUint, bool) {
        let two = exponent + self.places;
        if self.places >= 0 {
            let product = mantissa * &self.five;
            if two >= 0 {
                return (product << two, false);
            }
            let cut = product.trailing_zeros().is_some_and(|zeros| zeros < two.unsigned_abs());
            return (product >> two.unsigned_abs(), cut);
        }
        let (dividend, divisor) = match two {
            0.. => (mantissa << two, self.five.clone()),
            _ => (mantissa.clone(), &self.five << two.unsigned_abs()),
        };
        let (quotient, rest) = num_integer::Integer::div_rem(&dividend, &divisor);
        (quotient, rest != BigUint::ZERO)
    }
}

fn signed(count: usize) -> i64 {
    i64::try_from(count).expect("texts of numbers are short")
}
