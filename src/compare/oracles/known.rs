//! Known differences: expected of real engines, and of no other subject.

use planfuzz_core::dialect::Dialect;

use crate::case::Case;
use crate::compare::finding::Excuse;
use crate::compare::judge::Judge;
use crate::compare::known::{KnownDifference, KnownDifferences};
use crate::compare::oracle::{Oracle, Ruling, Whose};
use crate::compare::signature::Signature;

pub(super) const NAME: &str = "known_differences";

struct Known<'s>(&'s KnownDifferences);

pub(super) fn make<'s>(judge: &'s Judge, _: &'s Case) -> Vec<Box<dyn Oracle + 's>> {
    if judge.known.entries().is_empty() { Vec::new() } else { vec![Box::new(Known(&judge.known))] }
}

impl Oracle for Known<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn excuse(&self, signature: &Signature, whose: Whose, dialect: Dialect) -> Ruling {
        match whose {
            Whose::Others => Ruling::NotMine,
            Whose::Engine => match self.0.find(signature, dialect) {
                Some(KnownDifference { name, reason, .. }) => {
                    Ruling::Excused(Excuse::Known { name: name.clone(), reason: reason.clone() })
                }
                None => Ruling::Stands,
            },
        }
    }
}
