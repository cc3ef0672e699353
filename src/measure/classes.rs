//! Contests summed by class.

use std::time::Duration;

use super::contest::{Times, contest};
use super::corpus::Class;
use crate::night::record::{Spread, Timing};

/// Measures every question of a class, each for about `time`; `None` if it has none.
pub fn class(class: &Class, time: Duration) -> Option<Timing> {
    let contests: Vec<Times> = class.items.iter().map(|item| contest(item, time)).collect();
    sum(class.name, &contests)
}

/// Sums the measurements of a class; `None` if there are none.
pub fn sum(class: &str, contests: &[Times]) -> Option<Timing> {
    let median = |of: fn(&Times) -> f64| Some(spread(contests.iter().map(of))?.median);
    let ratio = |of: fn(&Times) -> f64| ratios(contests, |times| times.optimized, of);
    let faster = ratios(contests, |times| times.reference, |times| times.optimized);
    Some(Timing {
        class: class.to_owned(),
        operations: contests.len() as u64,
        reference: median(|times| times.reference)?,
        optimized: median(|times| times.optimized)?,
        ratio: spread(faster.iter().copied())?.median,
        least: faster.iter().copied().min_by(f64::total_cmp)?,
        clone: median(|times| times.clone),
        to_reference: spread(ratio(|times| times.reference).into_iter()),
        to_clone: spread(ratio(|times| times.clone).into_iter()),
    })
}

/// Ratios of single questions, without those whose divisor the clock measured as zero.
fn ratios(contests: &[Times], above: fn(&Times) -> f64, below: fn(&Times) -> f64) -> Vec<f64> {
    let both = contests.iter().map(|times| (above(times), below(times)));
    both.filter(|(_, below)| *below > 0.0).map(|(above, below)| above / below).collect()
}

/// The median and the 99th percentile; `None` of no numbers.
fn spread(numbers: impl Iterator<Item = f64>) -> Option<Spread> {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    let rank = (numbers.len() * 99).div_ceil(100);
    Some(Spread { median: *numbers.get(numbers.len() / 2)?, p99: *numbers.get(rank.checked_sub(1)?)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(reference: f64, optimized: f64, clone: f64) -> Times {
        Times { reference, optimized, clone }
    }

    #[test]
    fn times_are_summed_by_questions() {
        let timing =
            sum("10-49 nodes", &[times(100.0, 50.0, 25.0), times(300.0, 100.0, 400.0), times(900.0, 90.0, 0.0)])
                .unwrap();
        assert_eq!((timing.class.as_str(), timing.operations), ("10-49 nodes", 3));
        assert_eq!((timing.reference, timing.optimized, timing.clone), (300.0, 90.0, Some(25.0)));
        assert_eq!((timing.ratio, timing.least), (3.0, 2.0));
        assert_eq!(timing.to_reference, Some(Spread { median: 1.0 / 3.0, p99: 0.5 }));
        // A clone that took no time is no yardstick.
        assert_eq!(timing.to_clone, Some(Spread { median: 2.0, p99: 2.0 }));
        assert_eq!(sum("none", &[]), None);
    }

    #[test]
    fn one_in_a_hundred_is_above_the_last_percentile() {
        let of = |count: u32| spread((1..=count).rev().map(f64::from)).unwrap();
        assert_eq!(of(1), Spread { median: 1.0, p99: 1.0 });
        assert_eq!(of(99), Spread { median: 50.0, p99: 99.0 });
        assert_eq!(of(100), Spread { median: 51.0, p99: 99.0 });
        assert_eq!(of(300), Spread { median: 151.0, p99: 297.0 });
    }

    #[test]
    fn a_class_is_measured() {
        let whole = super::super::corpus().remove(0);
        let small = Class { items: whole.items.into_iter().take(2).collect(), ..whole };
        let timing = class(&small, Duration::ZERO).unwrap();
        assert_eq!(timing.operations, 2);
        assert!(timing.reference > 0.0 && timing.optimized > 0.0, "{timing:?}");
        assert_eq!(class(&Class { items: Vec::new(), ..small }, Duration::ZERO), None);
    }
}
