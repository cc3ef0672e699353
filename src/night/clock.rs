//! The time of a night: every phase has a latest end, so that the last phases have their time whatever the first ones did.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

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
    /// The start as files have it.
    date: SystemTime,
    whole: Duration,
}

impl Clock {
    /// A night of that length, which begins now.
    pub fn start(whole: Duration) -> Clock {
        Clock { start: Instant::now(), date: SystemTime::now(), whole }
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

    /// Whether a file was written tonight, or may have been.
    pub fn has_seen_written(&self, file: &Path) -> bool {
        let written = fs::metadata(file).and_then(|about| about.modified());
        written.map_or(true, |written| written >= self.date)
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
    fn a_file_of_tonight_is_told_from_one_of_before() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        fs::write(&file, "").unwrap();
        let written = fs::metadata(&file).unwrap().modified().unwrap();
        let clock = Clock { date: written, ..Clock::start(Duration::ZERO) };
        assert!(clock.has_seen_written(&file));
        let clock = Clock { date: written + Duration::from_secs(1), ..clock };
        assert!(!clock.has_seen_written(&file));
    }

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
