//! The resources that a group of processes uses.

/// The counted resources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    /// How many processes there are.
    pub(super) processes: usize,
    /// The bytes of memory that they hold.
    pub(super) memory: u64,
}

/// The usage of the group that `leader` leads.
#[cfg(target_os = "linux")]
pub(super) fn of_group(leader: u32) -> Usage {
    let page = rustix::param::page_size() as u64;
    let mut usage = Usage::default();
    let Ok(entries) = std::fs::read_dir("/proc") else { return usage };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if !name.as_encoded_bytes().first().is_some_and(u8::is_ascii_digit) {
            continue;
        }
        // The process may end meanwhile.
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        if let Some((group, pages)) = group_and_pages(&stat)
            && group == leader
        {
            usage.processes += 1;
            usage.memory += pages.saturating_mul(page);
        }
    }
    usage
}

/// Not available on this system.
#[cfg(not(target_os = "linux"))]
pub(super) fn of_group(_: u32) -> Usage {
    Usage::default()
}

/// Fields 5 and 24; the name, field 2, may hold anything but ends at the last bracket.
#[cfg(target_os = "linux")]
fn group_and_pages(stat: &str) -> Option<(u32, u64)> {
    let (_, after) = stat.rsplit_once(')')?;
    let mut fields = after.split_whitespace().skip(2);
    let group = fields.next()?.parse().ok()?;
    let pages = fields.nth(18)?.parse().ok()?;
    Some((group, pages))
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_counted() {
        let group = rustix::process::getpgrp().as_raw_nonzero().get();
        let usage = of_group(u32::try_from(group).expect("a number"));
        assert!(usage.processes >= 1 && usage.memory > 1 << 16, "{usage:?}");
    }

    #[test]
    fn fields_are_found_behind_any_name() {
        let stat = "7 (a) b (c)) S 1 42 7 0 -1 4228100 1 2 3 4 5 6 7 8 20 0 1 0 99 1000 321 0";
        assert_eq!(group_and_pages(stat), Some((42, 321)));
        assert_eq!(group_and_pages("7 (a) Z 1 7"), None);
    }
}
