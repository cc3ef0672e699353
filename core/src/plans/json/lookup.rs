//! Members of an object by name, in constant time where there are many.

use std::collections::HashMap;

use crate::json::Json;

/// Objects with more members are put into a table.
const SMALL_OBJECT: usize = 16;

/// The members of an object.
pub(super) enum Lookup<'a> {
    Few(&'a [(Box<str>, Json)]),
    Many(HashMap<&'a str, &'a Json>),
}

impl<'a> Lookup<'a> {
    pub(super) fn new(members: &'a [(Box<str>, Json)]) -> Lookup<'a> {
        if members.len() <= SMALL_OBJECT {
            return Lookup::Few(members);
        }
        Lookup::Many(members.iter().map(|(name, value)| (&**name, value)).collect())
    }

    pub(super) fn get(&self, name: &str) -> Option<&'a Json> {
        match self {
            Lookup::Few(members) => members.iter().find(|(probe, _)| **probe == *name).map(|(_, value)| value),
            Lookup::Many(members) => members.get(name).copied(),
        }
    }
}
