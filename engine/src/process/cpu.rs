//! The processor time of a child process.

use std::time::Duration;

/// The processor time of a process that was not waited for yet, with its children's that it waited for.
#[cfg(target_os = "linux")]
pub(super) fn of(pid: u32) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let ticks = ticks(&stat)?;
    let rate = rustix::param::clock_ticks_per_second();
    Some(Duration::from_millis(ticks.checked_mul(1000)?.checked_div(rate)?))
}

/// Not available on this system.
#[cfg(not(target_os = "linux"))]
pub(super) fn of(_: u32) -> Option<Duration> {
    None
}

/// Fields 14 to 17; the name, field 2, may hold anything but ends at the last bracket.
#[cfg(target_os = "linux")]
fn ticks(stat: &str) -> Option<u64> {
    let (_, after) = stat.rsplit_once(')')?;
    let fields: Vec<u64> = after.split_whitespace().skip(11).take(4).filter_map(|field| field.parse().ok()).collect();
    (fields.len() == 4).then(|| fields.iter().sum())
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    #[test]
    fn ticks_are_found_behind_any_name() {
        let stat = "7 (a) b (c)) Z 1 7 7 0 -1 4228100 1 2 3 4 5 6 7 8 20 0 1 0 99 0 0";
        assert_eq!(super::ticks(stat), Some(5 + 6 + 7 + 8));
        assert_eq!(super::ticks("7 (a) Z 1 7"), None);
    }
}
