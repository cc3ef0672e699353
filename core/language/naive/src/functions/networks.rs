//! Address prefixes: `cidrsubnet` and related functions.

use std::net::{Ipv4Addr, Ipv6Addr};

use planfuzz_core::value::{Number, Type, Value};

use super::{ARGUMENT, Answer, CALL, text, typed};
use planfuzz_language::expression::Marked;

const S: Type = Type::String;
const N: Type = Type::Number;

pub(super) fn call(name: &str, a: &[Marked]) -> Option<Answer> {
    Some(match name {
        "cidrhost" => typed(a, &[S, N], &S, |v| host(prefix(&v[0])?, &whole(&v[1])?)),
        "cidrnetmask" => typed(a, &[S], &S, |v| {
            let prefix = prefix(&v[0])?;
            if prefix.bits == 32 { Ok(prefix.shown(prefix.mask())) } else { Err(CALL) }
        }),
        "cidrsubnet" => typed(a, &[S, N, N], &S, |v| subnet(prefix(&v[0])?, &whole(&v[1])?, &whole(&v[2])?)),
        "cidrcontains" => typed(a, &[S, S], &Type::Bool, |v| lies_within(&v[0], &v[1])),
        "cidrsubnets" => typed(a, &[S, N], &Type::list(S), subnets),
        _ => return None,
    })
}

/// A prefix of an address of 32 or 128 bits.
#[derive(Clone, Copy, Debug)]
struct Prefix {
    address: u128,
    length: u32,
    bits: u32,
}

impl Prefix {
    /// The address with all bits set.
    fn all(self) -> u128 {
        u128::MAX >> (128 - self.bits)
    }

    fn mask(self) -> u128 {
        let free = self.bits - self.length;
        self.all() & u128::MAX.checked_shl(free).unwrap_or(0)
    }

    fn text_of(self, address: u128) -> String {
        match u32::try_from(address) {
            Ok(address) if self.bits == 32 => Ipv4Addr::from(address).to_string(),
            _ => Ipv6Addr::from(address).to_string(),
        }
    }

    fn shown(self, address: u128) -> Value {
        Value::string(&self.text_of(address))
    }
}

/// The engine's text for a network that does not exist.
const NO_NETWORK: &str = "<nil>";

fn whole(value: &Value) -> Answer<Number> {
    value.view().as_number().filter(|number| number.is_whole()).cloned().ok_or(CALL)
}

/// Parses a prefix; leading zeros of octets are accepted.
fn prefix(value: &Value) -> Answer<Prefix> {
    let (address, length) = text(value).split_once('/').ok_or(CALL)?;
    if length.is_empty() || !length.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(CALL);
    }
    let length: u32 = length.parse().map_err(|_| CALL)?;
    let (address, bits) = match address.contains(':') {
        true => (u128::from(address.parse::<Ipv6Addr>().map_err(|_| CALL)?), 128),
        false => (u128::from(four(address).ok_or(CALL)?), 32),
    };
    if length > bits {
        return Err(CALL);
    }
    let prefix = Prefix { address, length, bits };
    Ok(Prefix { address: address & prefix.mask(), ..prefix })
}

/// Whether an address or a prefix lies within the prefix `outer`.
fn lies_within(outer: &Value, inner: &Value) -> Answer<Value> {
    let outer = prefix(outer).map_err(|_| ARGUMENT)?;
    let written = text(inner);
    let inner = match (written.contains('/'), written.contains(':')) {
        (true, _) => prefix(inner),
        (false, true) => prefix(&Value::string(&format!("{written}/128"))),
        (false, false) => prefix(&Value::string(&format!("{written}/32"))),
    };
    let inner = inner.ok().filter(|inner| inner.bits == outer.bits).ok_or(ARGUMENT)?;
    Ok(Value::bool(inner.length >= outer.length && inner.address & outer.mask() == outer.address))
}

fn four(address: &str) -> Option<u32> {
    let parts: Vec<u8> = address
        .split('.')
        .map(|part| part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok()).flatten())
        .collect::<Option<_>>()?;
    Some(u32::from_be_bytes(parts.try_into().ok()?))
}

/// The sign and the magnitude of a whole number of up to 128 bits.
fn magnitude(number: &Number) -> Answer<(bool, u128)> {
    let text = number.digits(10).unwrap_or_else(|| "0".to_owned());
    let (negative, digits) = text.strip_prefix('-').map_or((false, &*text), |rest| (true, rest));
    Ok((negative, digits.parse().map_err(|_| CALL)?))
}

fn host(prefix: Prefix, number: &Number) -> Answer<Value> {
    let (negative, number) = magnitude(number)?;
    let most = prefix.all() & !prefix.mask();
    // Of a number of more than 64 bits, the engine compares only the lowest 64 with the prefix.
    if !negative && u64::try_from(number).is_err() {
        let low = (number & u128::from(u64::MAX)) as u64 as i64;
        let is_less = u128::try_from(low).is_ok_and(|low| low > most);
        return if is_less || number > prefix.all() { Err(CALL) } else { Ok(prefix.shown(prefix.address | number)) };
    }
    // A negative one counts from the end.
    let offset =
        if negative { number.checked_sub(1).and_then(|number| most.checked_sub(number)) } else { Some(number) };
    let offset = offset.filter(|&offset| offset <= most).ok_or(CALL)?;
    Ok(prefix.shown(prefix.address | offset))
}

fn subnet(prefix: Prefix, new_bits: &Number, number: &Number) -> Answer<Value> {
    let new_bits = new_bits.to_i64().ok_or(CALL)?;
    let length = i64::from(prefix.length).checked_add(new_bits).ok_or(CALL)?;
    let (negative, number) = magnitude(number)?;
    if length < 0 && number == 0 {
        return Ok(Value::string(NO_NETWORK));
    }
    let length = u32::try_from(length).ok().filter(|&length| length <= prefix.bits).ok_or(CALL)?;
    if let Ok(new_bits @ 0..=127) = u32::try_from(new_bits)
        && number >> new_bits != 0
    {
        return Err(CALL);
    }
    let shift = prefix.bits - length;
    let moved = match (shift, number) {
        (_, 0) => 0,
        (128, _) => return Err(CALL),
        _ if number.leading_zeros() < shift => return Err(CALL),
        _ => number << shift,
    };
    // A negative number is an infinite row of ones in two's complement; the magnitude of the result counts.
    let address = match negative && moved > 0 {
        true => ((moved - 1) & !prefix.address) + 1,
        false => prefix.address | moved,
    };
    if address > prefix.all() {
        return Err(CALL);
    }
    Ok(Value::string(&format!("{}/{length}", prefix.text_of(address))))
}

/// The engine searches for the first part after the preceding address, and fails if there is none or it is an IPv4-mapped one.
fn begins_behind_nothing(prefix: Prefix) -> bool {
    prefix.address == 0 || prefix.bits == 128 && (prefix.address - 1) >> 32 == 0xffff
}

fn subnets(values: &[Value]) -> Answer<Value> {
    let prefix = prefix(&values[0]).map_err(|_| ARGUMENT)?;
    let last = prefix.address | (prefix.all() & !prefix.mask());
    if values.len() > 1 && begins_behind_nothing(prefix) {
        return Err(ARGUMENT);
    }
    let (mut next, mut made) = (Some(prefix.address), Vec::new());
    for value in &values[1..] {
        let new_bits = whole(value).ok().and_then(|number| number.to_i64()).filter(|bits| (1..=32).contains(bits));
        let new_bits = new_bits.and_then(|bits| u32::try_from(bits).ok()).ok_or(ARGUMENT)?;
        let length = prefix.length + new_bits;
        if length > prefix.bits {
            return Err(ARGUMENT);
        }
        let rest = Prefix { length, ..prefix };
        let size_less_one = prefix.all() & !rest.mask();
        let begin = next.and_then(|next| next.checked_add(size_less_one)).ok_or(ARGUMENT)? & !size_less_one;
        let end = begin | size_less_one;
        if begin > last || end > last {
            return Err(ARGUMENT);
        }
        made.push(Value::string(&format!("{}/{length}", prefix.text_of(begin))));
        next = end.checked_add(1);
    }
    Value::list(&S, made).map_err(|_| CALL)
}
