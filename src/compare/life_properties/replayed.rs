//! LP01: playing the same scenario twice gives the same run.

use super::{Held, Subject, same_life};

pub(super) fn check(subject: &Subject<'_>) -> Held {
    let again = subject.life_of(subject.scenario)?;
    Some(same_life("played again", &subject.life, &again))
}
