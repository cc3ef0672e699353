//! Sums of numbers, exact.

use num_bigint::BigInt;
use num_traits::Zero;

use planfuzz_core::value::{Number, Type, Value};

/// The sum of two numbers: unknown if one is unknown, null if one is null or the sum is not representable.
pub(super) fn sum(a: &Value, b: &Value) -> Value {
    if a.is_unknown() || b.is_unknown() {
        return Value::unknown(Type::Number);
    }
    let sum = a.view().as_number().zip(b.view().as_number()).and_then(|(a, b)| of_numbers(a, b));
    sum.map_or_else(|| Value::null(Type::Number), Value::number)
}

fn of_numbers(a: &Number, b: &Number) -> Option<Number> {
    if let Some(sum) = a.to_i64().zip(b.to_i64()).and_then(|(a, b)| a.checked_add(b)) {
        return Some(Number::from(sum));
    }
    match (a.is_infinite(), b.is_infinite()) {
        (true, true) => a.equals(b).then(|| a.clone()),
        (true, false) => Some(a.clone()),
        (false, true) => Some(b.clone()),
        (false, false) => {
            let (a, b) = (Decimal::parse(&a.text())?, Decimal::parse(&b.text())?);
            Number::parse(&a.plus(&b).text()).ok()
        }
    }
}

/// A whole number divided by a power of ten.
struct Decimal {
    digits: BigInt,
    places: u32,
}

impl Decimal {
    /// Reads the canonical text of a number (V19): digits, perhaps a sign and a point.
    fn parse(text: &str) -> Option<Decimal> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = format!("{whole}{fraction}").parse().ok()?;
        Some(Decimal { digits, places: u32::try_from(fraction.len()).ok()? })
    }

    fn plus(&self, other: &Decimal) -> Decimal {
        let places = self.places.max(other.places);
        let scaled = |decimal: &Decimal| &decimal.digits * BigInt::from(10).pow(places - decimal.places);
        Decimal { digits: scaled(self) + scaled(other), places }
    }

    fn text(&self) -> String {
        if self.digits.is_zero() || self.places == 0 {
            return self.digits.to_string();
        }
        format!("{}e-{}", self.digits, self.places)
    }
}
