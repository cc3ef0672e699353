//! Progress of long work, on a terminal only.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::output;
use crate::campaign::Progress;

/// A progress bar.
pub struct Bar {
    bar: ProgressBar,
    bound: Bound,
}

/// The bound that the bar fills up to.
#[derive(Clone, Copy)]
enum Bound {
    Cases(u64),
    Time(Duration),
    None,
}

impl Bar {
    /// A bar on standard error, hidden where that is no terminal.
    pub fn new(cases: Option<u64>, time: Option<Duration>) -> Bar {
        let bound = match (cases, time) {
            (_, Some(time)) => Bound::Time(time),
            (Some(cases), None) => Bound::Cases(cases),
            (None, None) => Bound::None,
        };
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(5));
        let style = match bound {
            Bound::None => "{spinner} {elapsed_precise} {msg}",
            Bound::Cases(_) | Bound::Time(_) => "[{bar:30}] {elapsed_precise} {msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style.progress_chars("=> "));
        }
        Bar { bar, bound }
    }

    /// Shows the progress of a campaign.
    pub fn show(&self, progress: &Progress) {
        let Progress { cases, elapsed, buckets, overdue: _ } = *progress;
        let found = if buckets == 0 { "no findings".to_owned() } else { format!("{buckets} buckets") };
        self.show_counts(cases, elapsed, &found);
    }

    /// Shows the progress of long work, and its results so far.
    pub fn show_counts(&self, cases: u64, elapsed: Duration, found: &str) {
        if self.bar.is_hidden() {
            return;
        }
        let seconds = elapsed.as_secs_f64().max(0.001);
        let rate = cases as f64 / seconds;
        let left = match self.bound {
            Bound::Time(time) => {
                self.fill(elapsed.as_millis(), time.as_millis());
                time.saturating_sub(elapsed)
            }
            Bound::Cases(bound) => {
                self.fill(u128::from(cases), u128::from(bound));
                Duration::try_from_secs_f64(bound.saturating_sub(cases) as f64 / rate.max(1.0)).unwrap_or_default()
            }
            Bound::None => Duration::ZERO,
        };
        let left = Duration::from_secs(left.as_secs());
        let left = if left.is_zero() { String::new() } else { format!(", {} left", humantime::format_duration(left)) };
        self.bar.set_message(format!("{cases} cases, {rate:.0}/s, {found}{left}"));
    }

    /// Shows the progress of work with a known end.
    pub fn part(&self, doing: &str, done: usize, of: usize) {
        if self.bar.is_hidden() {
            return;
        }
        self.fill(done as u128, of as u128);
        self.bar.set_message(format!("{doing}: {done} of {of}"));
    }

    /// Prints a message above the bar.
    pub fn report(&self, text: &str) {
        self.bar.suspend(|| output::report(text));
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn fill(&self, done: u128, whole: u128) {
        self.bar.set_length(u64::try_from(whole).unwrap_or(u64::MAX));
        self.bar.set_position(u64::try_from(done.min(whole)).unwrap_or(u64::MAX));
    }
}
