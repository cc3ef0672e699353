//! The allow list: findings that the user already knows, by signature.

use planfuzz_core::dialect::Dialect;

use crate::case::Case;
use crate::compare::Allowances;
use crate::compare::finding::Excuse;
use crate::compare::judge::Judge;
use crate::compare::oracle::{Oracle, Ruling, Whose};
use crate::compare::signature::Signature;

pub(super) const NAME: &str = "allow_list";

struct AllowList<'s>(&'s Allowances);

pub(super) fn make<'s>(judge: &'s Judge, _: &'s Case) -> Vec<Box<dyn Oracle + 's>> {
    if judge.allowances.is_empty() { Vec::new() } else { vec![Box::new(AllowList(&judge.allowances))] }
}

impl Oracle for AllowList<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn excuse(&self, signature: &Signature, _: Whose, _: Dialect) -> Ruling {
        match self.0.reason_of(signature) {
            Some(reason) => Ruling::Excused(Excuse::Allowed { reason: reason.to_owned() }),
            None => Ruling::Stands,
        }
    }
}
