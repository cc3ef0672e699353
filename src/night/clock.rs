//! The time of a night: every phase has a point at which it ends at the latest, so that the last ones have theirs whatever the
//! first ones did.

use std::time::{Duration, Instant};

/// The phases, in order, each with the part of the night, in per cent, by which it has ended. The rest is for the record.
const PHASES: [(&str, u32); 10] = [
    ("restore", 2),
    ("canary", 5),
    ("kills", 11),
    ("fuzz", 62),
    ("distil", 76),
    ("coverage", 79),
    ("bulk", 89),
    ("triage", 96),
    ("features", 98),
    ("measure", 99),
];

/// The clock of a night.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Instant,
    whole: Duration,
}

impl Clock {
    /// A night of that length, which begins now.
    pub fn start(whole: Duration) -> Clock {
        Clock { start: Instant::now(), whole }
    }

    /// When a phase has ended at the latest.
    pub fn end_of(&self, phase: &str) -> Instant {
        let share = PHASES.iter().find(|(name, _)| *name == phase).map_or(100, |(_, share)| *share);
        self.start + self.whole * share / 100
    }

    /// What a phase that begins now may take.
    pub fn left_of(&self, phase: &str) -> Duration {
        self.end_of(phase).saturating_duration_since(Instant::now())
    }

    /// What has passed.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_phase_ends_before_the_next_and_the_night_in_time() {
        let clock = Clock::start(Duration::from_secs(600));
        let ends: Vec<Instant> = PHASES.iter().map(|(name, _)| clock.end_of(name)).collect();
        assert!(ends.is_sorted());
        assert!(ends[PHASES.len() - 1] - clock.start < Duration::from_secs(600));
        // What is not a phase of its own has the whole night.
        assert_eq!(clock.end_of("record") - clock.start, Duration::from_secs(600));
    }
}
