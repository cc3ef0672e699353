//! The time of a night: every phase has a latest end, so that the last phases have their time whatever the first ones did.

use std::time::{Duration, Instant};

/// The phases, in order, each with its latest end, in per cent of the night. The rest is for the record.
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

    /// The latest end of a phase.
    pub fn end_of(&self, phase: &str) -> Instant {
        let share = PHASES.iter().find(|(name, _)| *name == phase).map_or(100, |(_, share)| *share);
        self.start + self.whole * share / 100
    }

    /// What a phase that begins now may take.
    pub fn left_of(&self, phase: &str) -> Duration {
        self.end_of(phase).saturating_duration_since(Instant::now())
    }

    /// The time since the start.
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
        // A name that is no phase has the whole night.
        assert_eq!(clock.end_of("record") - clock.start, Duration::from_secs(600));
    }
}
