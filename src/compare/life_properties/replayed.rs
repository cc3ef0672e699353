//! LP01: the same life planned twice is the same.

use super::{Held, Subject};
use crate::compare::life::{View, compare_lives};

pub(super) fn check(subject: &Subject<'_>) -> Held {
    let again = subject.life_of(subject.scenario)?;
    let compared = compare_lives(&subject.life, &again, View::default());
    Some(match compared.difference {
        None => Ok(()),
        Some(difference) => Err(format!(
            "played again, it differs at {}: {}",
            difference.path,
            difference.class.name().replace('_', " ")
        )),
    })
}
