//! A resource type under test.

use std::sync::Arc;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::Schema;
use planfuzz_core::value::Type;
use planfuzz_engine::plugin::{IdentitySchema, Kind};

/// A type under test.
#[derive(Debug)]
pub struct Subject {
    /// Its schema.
    pub schema: Arc<Schema>,
    /// The type of its objects.
    pub ty: Type,
    /// Their identity schema, if they have one.
    pub identity: Option<Arc<IdentitySchema>>,
    /// The type on the wire.
    pub kind: Kind,
}

impl Subject {
    /// The type at an address.
    pub fn new(address: &str, schema: &Schema, identity: Option<&IdentitySchema>, dialect: Dialect) -> Subject {
        let kind = Kind::new(address, schema, dialect).identified(identity.cloned());
        let identity = identity.cloned().map(Arc::new);
        Subject { schema: Arc::new(schema.clone()), ty: schema.implied_type(dialect), identity, kind }
    }
}
