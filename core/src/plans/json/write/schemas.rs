//! Schemas by resource type.

use std::collections::HashMap;

use super::error::NotShown;
use crate::address::ResourceKind;
use crate::schema::{ProviderSchemas, Schema, SchemaEntry};

/// Schemas by the source of the provider (PL73), the mode and the resource type.
#[derive(Clone, Debug, Default)]
pub struct SchemaTable<'s> {
    managed: HashMap<(&'s str, &'s str), &'s Schema>,
    data: HashMap<(&'s str, &'s str), &'s Schema>,
}

impl<'s> SchemaTable<'s> {
    /// A table without schemas.
    pub fn new() -> SchemaTable<'s> {
        SchemaTable::default()
    }

    /// The schemas of whole providers.
    pub fn of(schemas: &'s ProviderSchemas) -> SchemaTable<'s> {
        let mut table = SchemaTable::new();
        let mut add = |kind, entries: &'s [SchemaEntry]| {
            entries.iter().for_each(|entry| table.insert(&entry.provider, kind, &entry.name, &entry.schema));
        };
        add(ResourceKind::Managed, &schemas.resources);
        add(ResourceKind::Data, &schemas.data_sources);
        table
    }

    /// Adds a schema, which replaces an earlier one of the same type.
    pub fn insert(&mut self, provider: &'s str, kind: ResourceKind, type_name: &'s str, schema: &'s Schema) {
        match kind {
            ResourceKind::Managed => self.managed.insert((provider, type_name), schema),
            ResourceKind::Data => self.data.insert((provider, type_name), schema),
        };
    }

    /// The schema of a resource type of a provider.
    pub fn get(&self, provider: &str, kind: ResourceKind, type_name: &str) -> Option<&'s Schema> {
        let table = match kind {
            ResourceKind::Managed => &self.managed,
            ResourceKind::Data => &self.data,
        };
        table.get(&(provider, type_name)).copied()
    }

    pub(super) fn find(
        &self,
        address: &str,
        provider: &str,
        kind: ResourceKind,
        type_name: &str,
    ) -> Result<&'s Schema, NotShown> {
        self.get(provider, kind, type_name).ok_or_else(|| NotShown::NoSchema {
            address: address.to_owned(),
            provider: provider.to_owned(),
            type_name: type_name.to_owned(),
        })
    }
}
