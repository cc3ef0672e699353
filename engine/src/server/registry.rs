//! All resource types of a run, by name.

use std::collections::HashMap;
use std::time::Instant;

use planfuzz_core::address::ResourceKind;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::Schema;

use super::answers::{Answers, method};
use super::error::ServerError;
use super::log::{Entry, Log};
use super::served_types::{Served, ServedTypes};
use super::stub_server::StubServer;
use super::type_server::TypeServer;
use crate::job::LeftOut;
use crate::provider_address::{Protocol, ProviderAddress};
use crate::wire::messages::{tfplugin5, tfplugin6};
use crate::wire::{five, six};

/// All resource types of a run.
#[derive(Default)]
pub(super) struct Registry {
    posts: HashMap<String, Post>,
    type_servers: Vec<TypeServer>,
    /// With the index of the type server that it stands beside.
    stub_servers: Vec<(usize, StubServer)>,
}

/// The server of a type name.
struct Post {
    provider_address: ProviderAddress,
    kind: ResourceKind,
    schema: SchemaMessage,
    place: Place,
}

enum Place {
    TypeServer(usize),
    StubServer(usize),
}

/// A schema as it is sent.
enum SchemaMessage {
    Five(tfplugin5::Schema),
    Six(tfplugin6::Schema),
}

impl Registry {
    /// The registry of the served types: prepares what is needed once.
    pub(super) fn of(served_types: ServedTypes) -> Result<Registry, ServerError> {
        let mut registry = Registry::default();
        for served in served_types.served {
            registry.admit(served, served_types.dialect)?;
        }
        Ok(registry)
    }

    fn admit(&mut self, served: Served, dialect: Dialect) -> Result<(), ServerError> {
        let Served { provider_address, kind, .. } = served;
        let type_server = self.type_servers.len();
        self.post(&served.type_name, provider_address, kind, &served.schema, Place::TypeServer(type_server))?;
        for helper in &served.helpers {
            let place = Place::StubServer(self.stub_servers.len());
            self.post(&helper.type_name, provider_address, helper.kind, &helper.schema, place)?;
            self.stub_servers.push((type_server, StubServer::new(helper, dialect)));
        }
        let validates_by = match kind {
            ResourceKind::Managed => method::VALIDATE,
            ResourceKind::Data => method::VALIDATE_DATA,
        };
        self.type_servers.push(TypeServer::new(served, dialect, validates_by));
        Ok(())
    }

    fn post(
        &mut self,
        name: &str,
        provider_address: ProviderAddress,
        kind: ResourceKind,
        schema: &Schema,
        place: Place,
    ) -> Result<(), ServerError> {
        let schema = SchemaMessage::of(schema, provider_address.protocol)
            .map_err(|left_out| ServerError::Unservable { type_name: name.to_owned(), left_out })?;
        match self.posts.insert(name.to_owned(), Post { provider_address, kind, schema, place }) {
            None => Ok(()),
            Some(_) => Err(ServerError::TwiceServed(name.to_owned())),
        }
    }

    /// The server of the type, if it is one of that provider and kind.
    pub(super) fn find(
        &self,
        provider_address: ProviderAddress,
        kind: ResourceKind,
        name: &str,
    ) -> Option<&dyn Answers> {
        let post =
            self.posts.get(name).filter(|post| post.provider_address == provider_address && post.kind == kind)?;
        match post.place {
            Place::TypeServer(index) => Some(&self.type_servers[index]),
            Place::StubServer(index) => Some(&self.stub_servers[index].1),
        }
    }

    /// The schemas of a kind, of the provider with protocol version 5.
    pub(super) fn schemas_of_five(
        &self,
        provider_address: ProviderAddress,
        kind: ResourceKind,
    ) -> HashMap<String, tfplugin5::Schema> {
        let schema = |(name, schema): (&String, &SchemaMessage)| match schema {
            SchemaMessage::Five(schema) => Some((name.clone(), schema.clone())),
            SchemaMessage::Six(_) => None,
        };
        self.schemas(provider_address, kind).filter_map(schema).collect()
    }

    /// The schemas of a kind, of the provider with protocol version 6.
    pub(super) fn schemas_of_six(
        &self,
        provider_address: ProviderAddress,
        kind: ResourceKind,
    ) -> HashMap<String, tfplugin6::Schema> {
        let schema = |(name, schema): (&String, &SchemaMessage)| match schema {
            SchemaMessage::Six(schema) => Some((name.clone(), schema.clone())),
            SchemaMessage::Five(_) => None,
        };
        self.schemas(provider_address, kind).filter_map(schema).collect()
    }

    fn schemas(
        &self,
        provider_address: ProviderAddress,
        kind: ResourceKind,
    ) -> impl Iterator<Item = (&String, &SchemaMessage)> {
        let is_asked = move |post: &Post| post.provider_address == provider_address && post.kind == kind;
        self.posts.iter().filter(move |(_, post)| is_asked(post)).map(|(name, post)| (name, &post.schema))
    }

    /// The log of each served type, with the failures of its helpers at the end. If a provider is still answering at that time, its log
    /// only reports that it hangs.
    pub(super) fn close(&self, until: Instant) -> Vec<Log> {
        let mut logs: Vec<Log> =
            self.type_servers.iter().map(|type_server| type_server.close(until).unwrap_or_else(Log::of_hung)).collect();
        for (type_server, stub_server) in &self.stub_servers {
            logs[*type_server].entries.extend(stub_server.close().into_iter().map(Entry::Failed));
        }
        logs
    }
}

impl SchemaMessage {
    fn of(schema: &Schema, protocol: Protocol) -> Result<SchemaMessage, LeftOut> {
        match protocol {
            Protocol::Five => five::schema(schema).map(SchemaMessage::Five),
            Protocol::Six => six::schema(schema).map(SchemaMessage::Six),
        }
    }
}
