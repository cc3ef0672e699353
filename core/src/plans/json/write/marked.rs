//! Values with the marks that documents show.

use super::error::NotShown;
use super::trees::{self, has_infinity};
use crate::dialect::Dialect;
use crate::json::Sink;
use crate::msgpack::decode;
use crate::plans::file::FileChange;
use crate::schema::Schema;
use crate::value::{PathSet, Type, Value, WrittenPath};

/// A value, and the marks that are stored with it.
pub(super) struct Shown {
    pub(super) value: Value,
    stored: PathSet,
}

impl Shown {
    pub(super) fn new(value: Value, stored: PathSet, address: &str) -> Result<Shown, NotShown> {
        if has_infinity(value.node()) {
            return Err(NotShown::Infinite { address: address.to_owned() });
        }
        Ok(Shown { value, stored })
    }

    /// A side of a change; null where the file has none (PF30).
    pub(super) fn side(
        change: &FileChange,
        bytes: Option<&[u8]>,
        sensitive: &[WrittenPath],
        ty: &Type,
        side: &'static str,
    ) -> Result<Shown, NotShown> {
        let value = match bytes {
            None => Value::null(ty.clone()),
            Some(bytes) => {
                decode(bytes, ty).map_err(|error| NotShown::Value { address: change.addr.clone(), side, error })?
            }
        };
        Shown::new(value, sensitive.iter().cloned().collect(), &change.addr)
    }

    /// Writes the tree of the stored marks and those of the schema.
    pub(super) fn write_sensitive(
        &self,
        schema: &Schema,
        address: &str,
        dialect: Dialect,
        sink: &mut impl Sink,
    ) -> Result<(), NotShown> {
        let value = self.value.view();
        let by_schema = schema.sensitive_paths(value, dialect);
        let by_schema = by_schema.map_err(|error| NotShown::Crash { address: address.to_owned(), error })?;
        let all: PathSet = by_schema.iter().map(WrittenPath::from).chain(self.stored.iter().cloned()).collect();
        trees::sensitive(value, &self.placed(all, dialect), sink);
        Ok(())
    }

    /// Writes the tree of the stored marks alone.
    pub(super) fn write_stored_sensitive(&self, dialect: Dialect, sink: &mut impl Sink) {
        trees::sensitive(self.value.view(), &self.placed(self.stored.clone(), dialect), sink);
    }

    /// JS23: OpenTofu has marks inside of sets, Terraform on them.
    fn placed(&self, marks: PathSet, dialect: Dialect) -> PathSet {
        match dialect.marks_sets_whole() {
            true if !marks.is_empty() => marks.on(self.value.view()),
            _ => marks,
        }
    }
}
