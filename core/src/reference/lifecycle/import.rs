//! Import (section 6).

use crate::planner::{ImportState, summary};
use crate::plans::Marked;
use crate::value::Text;

use super::held::Held;
use super::walk::{Step, Walk, stop_if};

impl Walk<'_, '_> {
    /// L20, L21: the object that the provider has under an id, read.
    pub fn import(&mut self, id: &Text) -> Step<Held> {
        let mut answer = self.provider.import(ImportState { id: id.clone() });
        let failed = self.hear(answer.remarks);
        let mut undecodable = false;
        for (value, _) in &answer.imported {
            undecodable |= self.decode(value, "L21")?;
        }
        stop_if(failed || undecodable)?;
        let Some((value, private)) = answer.imported.pop() else {
            return Err(self.fail(summary::IMPORT_NONE, "L21"));
        };
        if !answer.imported.is_empty() {
            return Err(self.fail(summary::IMPORT_MANY, "L21"));
        }
        if value.is_null() {
            return Err(self.fail(summary::IMPORT_NULL, "L21"));
        }
        self.refuse_write_only(&value, summary::IMPORT_WRITE_ONLY, "L21")?;
        match self.read(&Held::ready(Marked::plain(value), private))? {
            Some(object) => Ok(object),
            None => Err(self.fail(summary::IMPORT_ABSENT, "L21")),
        }
    }
}
