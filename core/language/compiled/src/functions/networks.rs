//! Network addresses: `cidrhost` and related functions; addresses of both versions are numbers of 128 bits.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::{Given, Made, Wrong, text, texts, truth};

/// A network: its address with the host bits cleared, the width of an address, and the length of the prefix.
#[derive(Clone, Copy)]
struct Network {
    bits: u128,
    width: u32,
    fixed: u32,
}

impl Network {
    fn parse(written: &str, wrong: Wrong) -> Result<Network, Wrong> {
        let (address, fixed) = written.split_once('/').ok_or(wrong)?;
        let address: IpAddr = without_zeros(address).parse().map_err(|_| wrong)?;
        let is_number = !fixed.is_empty() && fixed.bytes().all(|byte| byte.is_ascii_digit());
        let fixed: u32 = Some(fixed).filter(|_| is_number).and_then(|fixed| fixed.parse().ok()).ok_or(wrong)?;
        let (bits, width) = match address {
            IpAddr::V4(address) => (u128::from(u32::from(address)), 32),
            IpAddr::V6(address) => (u128::from(address), 128),
        };
        if fixed > width {
            return Err(wrong);
        }
        Ok(Network { bits: bits & mask(width, fixed), width, fixed })
    }

    fn address(&self, bits: u128) -> IpAddr {
        if self.width == 32 { Ipv4Addr::from(bits as u32).into() } else { Ipv6Addr::from(bits).into() }
    }

    /// The number of addresses in the network; `None` if it is 2^128.
    fn hosts(&self) -> Option<u128> {
        1_u128.checked_shl(self.width - self.fixed)
    }

    /// Subnet number `size` with a prefix that is `more` bits longer (or shorter). A negative number is an infinite row of ones in two's
    /// complement; the engine uses the magnitude of the result.
    fn among(&self, more: i64, size: u128, is_negative: bool) -> Option<Network> {
        let fixed =
            u32::try_from(i64::from(self.fixed).checked_add(more)?).ok().filter(|fixed| *fixed <= self.width)?;
        let is_too_great = (0..128).contains(&more) && size >> more != 0;
        if is_too_great {
            return None;
        }
        let free = self.width - fixed;
        let moved = if size == 0 { 0 } else { size.checked_shl(free).filter(|moved| moved >> free == size)? };
        let bits = if is_negative && moved > 0 {
            // (-m | bits) is -(((m - 1) & !bits) + 1)
            ((moved - 1) & !self.bits) + 1
        } else {
            self.bits | moved
        };
        let is_width = self.width == 128 || bits >> self.width == 0;
        is_width.then_some(Network { bits, width: self.width, fixed })
    }

    fn written(&self) -> String {
        format!("{}/{}", self.address(self.bits), self.fixed)
    }
}

/// An IPv4 address without the leading zeros of its octets.
fn without_zeros(address: &str) -> String {
    if address.contains(':') {
        return address.to_owned();
    }
    let step = |step: &str| match step.trim_start_matches('0') {
        "" if !step.is_empty() => "0".to_owned(),
        rest => rest.to_owned(),
    };
    address.split('.').map(step).collect::<Vec<_>>().join(".")
}

fn mask(width: u32, fixed: u32) -> u128 {
    let all = if width == 128 { u128::MAX } else { (1 << width) - 1 };
    all & !all.checked_shr(fixed).unwrap_or(0)
}

pub(crate) fn cidrhost(given: &Given<'_, '_>) -> Made {
    let network = Network::parse(given.text(0)?, Wrong::Call)?;
    let hosts = network.hosts();
    let written = given.number(1)?;
    if let (None, true) = (written.to_i64(), written.is_whole() && written.sign_number() > 0) {
        return far_host(&network, hosts, written.digits(10).and_then(|digits| digits.parse().ok()));
    }
    let number = if written.is_whole() && written.sign_number() < 0 {
        // A negative number counts from the end.
        let digits = written.digits(10).ok_or(Wrong::Call)?;
        let back: u128 = digits.trim_start_matches('-').parse().map_err(|_| Wrong::Call)?;
        match hosts {
            Some(hosts) => hosts.checked_sub(back).ok_or(Wrong::Call)?,
            None => u128::MAX - back + 1,
        }
    } else {
        given.whole(1)? as u128
    };
    if hosts.is_some_and(|hosts| number >= hosts) {
        return Err(Wrong::Call);
    }
    text(&network.address(network.bits | number).to_string())
}

/// A number of more than 63 bits: the engine compares its lowest 64 bits, as a signed number, with the number of hosts, and then sets all
/// bits.
fn far_host(network: &Network, hosts: Option<u128>, number: Option<u128>) -> Made {
    let number = number.ok_or(Wrong::Call)?;
    let low = number as u64 as i64;
    let checked = if u64::try_from(number).is_ok() { number } else { u128::try_from(low).unwrap_or(0) };
    let is_width = network.width == 128 || number >> network.width == 0;
    if !is_width || hosts.is_some_and(|hosts| checked >= hosts) {
        return Err(Wrong::Call);
    }
    text(&network.address(network.bits | number).to_string())
}

pub(crate) fn cidrnetmask(given: &Given<'_, '_>) -> Made {
    let network = Network::parse(given.text(0)?, Wrong::Call)?;
    if network.width != 32 {
        return Err(Wrong::Call);
    }
    text(&network.address(mask(32, network.fixed)).to_string())
}

pub(crate) fn cidrsubnet(given: &Given<'_, '_>) -> Made {
    let network = Network::parse(given.text(0)?, Wrong::Call)?;
    let more = given.whole(1)?;
    let number = given.number(2)?;
    let digits = number.digits(10).filter(|_| number.is_whole()).ok_or(Wrong::Call)?;
    let size: u128 = digits.trim_start_matches('-').parse().map_err(|_| Wrong::Call)?;
    if size == 0 && more < -i64::from(network.fixed) {
        // For a network that does not exist the engine prints Go's text for nil.
        return text("<nil>");
    }
    let part = network.among(more, size, digits.starts_with('-')).ok_or(Wrong::Call)?;
    text(&part.written())
}

/// Consecutive networks, each at the next address that is aligned to its size.
pub(crate) fn cidrsubnets(given: &Given<'_, '_>) -> Made {
    let network = Network::parse(given.text(0)?, Wrong::Argument)?;
    // The engine searches for the first network after the preceding address, which has to exist and must not be an IPv4-mapped one.
    let before = network.bits.checked_sub(1).filter(|before| network.width == 32 || before >> 32 != 0xffff);
    if before.is_none() && given.arguments.len() > 1 {
        return Err(Wrong::Argument);
    }
    let mut next: Option<u128> = Some(network.bits);
    let mut written = Vec::new();
    for at in 1..given.arguments.len() {
        let more = given
            .whole(at)
            .ok()
            .and_then(|more| u32::try_from(more).ok())
            .filter(|more| (1..=32).contains(more))
            .ok_or(Wrong::Argument)?;
        let fixed = network.fixed.checked_add(more).filter(|fixed| *fixed <= network.width).ok_or(Wrong::Argument)?;
        let size = 1_u128.checked_shl(network.width - fixed).ok_or(Wrong::Argument)?;
        let start = next.ok_or(Wrong::Argument)?.checked_add(size - 1).ok_or(Wrong::Argument)? & !(size - 1);
        if start & mask(network.width, network.fixed) != network.bits {
            return Err(Wrong::Argument);
        }
        written.push(Network { bits: start, width: network.width, fixed }.written());
        next = start.checked_add(size).filter(|next| network.width == 128 || *next >> 32 == 0);
    }
    texts(written.iter().map(String::as_str))
}

/// Whether an address or a network lies in a network.
pub(crate) fn cidrcontains(given: &Given<'_, '_>) -> Made {
    let network = Network::parse(given.text(0)?, Wrong::Argument)?;
    let inner = given.text(1)?;
    let inner = match inner.parse::<IpAddr>() {
        Ok(address) => {
            let width = if address.is_ipv4() { 32 } else { 128 };
            Network::parse(&format!("{address}/{width}"), Wrong::Argument)?
        }
        Err(_) => Network::parse(inner, Wrong::Argument)?,
    };
    if inner.width != network.width {
        return Err(Wrong::Argument);
    }
    truth(inner.fixed >= network.fixed && inner.bits & mask(network.width, network.fixed) == network.bits)
}
