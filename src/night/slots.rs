//! The schedule of fuzzing: distributes the kinds of work, by their shares, to workers that run at the same time.

use std::time::Duration;

/// A slot of a worker: one process, for some time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The number of the kind of work.
    pub kind: usize,
    /// How long.
    pub time: Duration,
}

/// The shortest slot for which a process is started.
const SHORTEST: Duration = Duration::from_secs(2);

/// The rest that divisions may leave of a worker's time.
const ROUNDING: Duration = Duration::from_millis(1);

/// Distributes kinds of work by their weights to so many workers, each of which works for `time`: the rest of a kind that does not fit on
/// a worker goes to the next one, so that every worker is busy until the end and every kind has its share.
pub fn slots(weights: &[u32], workers: usize, time: Duration) -> Vec<Vec<Slot>> {
    let total: u32 = weights.iter().sum();
    let mut laid = vec![Vec::new(); workers];
    if total == 0 {
        return laid;
    }
    let whole = time * u32::try_from(workers).unwrap_or(u32::MAX);
    let (mut worker, mut free) = (0, time);
    for (kind, weight) in weights.iter().enumerate() {
        let mut need = whole * *weight / total;
        while !need.is_zero() && worker < workers {
            let part = need.min(free);
            laid[worker].push(Slot { kind, time: part });
            need -= part;
            free -= part;
            if free < ROUNDING {
                (worker, free) = (worker + 1, time);
            }
        }
    }
    laid.iter_mut().for_each(drop_crumbs);
    laid
}

/// Merges slots that are too short with their neighbours.
fn drop_crumbs(slots: &mut Vec<Slot>) {
    let mut kept: Vec<Slot> = Vec::new();
    for slot in slots.drain(..) {
        match kept.last_mut() {
            Some(last) if slot.time < SHORTEST || last.time < SHORTEST => {
                let kind = if slot.time > last.time { slot.kind } else { last.kind };
                *last = Slot { kind, time: last.time + slot.time };
            }
            _ => kept.push(slot),
        }
    }
    *slots = kept;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(laid: &[Vec<Slot>]) -> Vec<Vec<(usize, u64)>> {
        let of = |slot: &Slot| (slot.kind, slot.time.as_secs());
        laid.iter().map(|worker| worker.iter().map(of).collect()).collect()
    }

    #[test]
    fn every_worker_is_busy_and_every_kind_has_its_share() {
        let laid = slots(&[35, 35, 10, 20], 2, Duration::from_secs(100));
        assert_eq!(seconds(&laid), [vec![(0, 70), (1, 30)], vec![(1, 40), (2, 20), (3, 40)]]);
        let laid = slots(&[1, 1], 1, Duration::from_secs(100));
        assert_eq!(seconds(&laid), [vec![(0, 50), (1, 50)]]);
        let laid = slots(&[1], 3, Duration::from_secs(10));
        assert_eq!(seconds(&laid), [vec![(0, 10)], vec![(0, 10)], vec![(0, 10)]]);
    }

    #[test]
    fn slots_that_are_too_short_go_to_their_neighbours() {
        let laid = slots(&[35, 35, 10, 20], 1, Duration::from_secs(4));
        assert_eq!(laid[0].iter().map(|slot| slot.time).sum::<Duration>(), Duration::from_secs(4));
        assert!(laid[0].len() <= 2, "{laid:?}");
        let laid = slots(&[35, 35, 10, 20], 2, Duration::from_millis(5_580));
        let kinds: Vec<usize> = laid.iter().flatten().map(|slot| slot.kind).collect();
        assert_eq!(kinds, [0, 1, 3]);
        assert!(slots(&[], 2, Duration::from_secs(4)).iter().all(Vec::is_empty));
        assert!(slots(&[0], 2, Duration::from_secs(4)).iter().all(Vec::is_empty));
    }
}
