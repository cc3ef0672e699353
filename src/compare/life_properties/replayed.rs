//! LP01: the same life planned twice is the same.

use super::{Held, Subject, same_life};

pub(super) fn check(subject: &Subject<'_>) -> Held {
    let again = subject.life_of(subject.scenario)?;
    Some(same_life("played again", &subject.life, &again))
}
