//! The schemas of a provider.

use std::collections::{BTreeMap, HashMap};

use planfuzz_core::schema::{Attribute, Block, Named, NestedBlock, NestedType, Nesting, Schema, Shape};
use planfuzz_core::value::{Text, Type};

use super::error::CallError;
use super::identity::IdentitySchema;
use super::launch::Plugin;
use super::line::Call;
use super::{Category, ProviderDiagnostic, ask};
use crate::provider_address::Protocol;
use crate::wire::messages::plugin::{self, ServerCapabilities};
use crate::wire::messages::{tfplugin5, tfplugin6};

/// The schemas of a provider, and its diagnostics about them.
#[derive(Clone, Debug, Default)]
pub struct ProviderSchema {
    /// Its own configuration.
    pub provider: Schema,
    /// Its resource types.
    pub resources: BTreeMap<String, Schema>,
    /// Its data sources.
    pub data_sources: BTreeMap<String, Schema>,
    /// Its ephemeral resource types.
    pub ephemerals: BTreeMap<String, Schema>,
    /// The identity schemas of its resources, by type.
    pub identities: BTreeMap<String, IdentitySchema>,
    /// What it offers that is not supported here: the kind, and how many.
    pub uncovered: BTreeMap<&'static str, usize>,
    /// Whether it wants to be asked to plan destructions (L120).
    pub plan_destroy: bool,
    /// Whether it has a schema for `provider_meta`, the data that modules pass to it.
    pub has_meta: bool,
    /// Schemas that cannot be read.
    pub faults: Vec<SchemaFault>,
    /// Its diagnostics.
    pub diagnostics: Vec<ProviderDiagnostic>,
}

/// A schema that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaFault {
    /// The address of the type ([`Category::address`]); empty for the provider itself.
    pub type_name: String,
    /// The place in the schema.
    pub place: String,
    /// The problem.
    pub problem: String,
}

impl Plugin {
    /// Asks for the schemas.
    ///
    /// # Errors
    /// There is no answer.
    pub fn schemas(&mut self) -> Result<ProviderSchema, CallError> {
        let mut schema = match self.protocol() {
            Protocol::Five => self.call(Call::SCHEMA, plugin::Empty {}).map(five::read),
            Protocol::Six => self.call(Call::SCHEMA, plugin::Empty {}).map(six::read),
        }?;
        self.expect_meta(schema.has_meta);
        let (identities, faults, diagnostics) = self.identities()?;
        schema.identities = identities;
        schema.faults.extend(faults);
        schema.diagnostics.extend(diagnostics);
        Ok(schema)
    }
}

fn plans_destroy(capabilities: Option<ServerCapabilities>) -> bool {
    capabilities.is_some_and(|capabilities| capabilities.plan_destroy)
}

/// The place of the reader, for its faults.
#[derive(Default)]
struct Faults {
    type_name: String,
    place: Vec<String>,
    found: Vec<SchemaFault>,
}

impl Faults {
    fn add(&mut self, problem: impl Into<String>) {
        let place = self.place.join(".");
        self.found.push(SchemaFault { type_name: self.type_name.clone(), place, problem: problem.into() });
    }

    fn inside<T>(&mut self, name: &str, read: impl FnOnce(&mut Faults) -> T) -> T {
        self.place.push(name.to_owned());
        let read = read(self);
        self.place.pop();
        read
    }
}

/// The type of a leaf attribute. An invalid one becomes dynamic, and is a fault.
fn leaf(bytes: &[u8], faults: &mut Faults) -> Shape {
    let read = std::str::from_utf8(bytes).map_err(|error| error.to_string());
    let ty = read.and_then(|text| Type::parse(text).map_err(|error| error.to_string()));
    Shape::Leaf(ty.unwrap_or_else(|problem| {
        faults.add(format!("expected a type, {problem}"));
        Type::Dynamic
    }))
}

/// Converts the messages of one protocol version to core's types: versions differ only in the place of an attribute's shape.
macro_rules! schema_reader {
    ($version:ident of $messages:ident, shaped by $shaped:path) => {
        mod $version {
            use super::*;

            pub(super) fn read(answer: $messages::SchemaAnswer) -> ProviderSchema {
                let mut faults = Faults::default();
                let provider = answer.provider.map(|of| schema(of, &mut faults)).unwrap_or_default();
                let resources = schemas(answer.resource_schemas, Category::Resource, &mut faults);
                let data_sources = schemas(answer.data_source_schemas, Category::Data, &mut faults);
                let ephemerals = schemas(answer.ephemeral_resource_schemas, Category::Ephemeral, &mut faults);
                let beside = [
                    ("functions", answer.functions.len()),
                    ("list resources", answer.list_resource_schemas.len()),
                    ("state stores", answer.state_store_schemas.len()),
                    ("actions", answer.action_schemas.len()),
                ];
                faults.found.sort_by(|a, b| (&a.type_name, &a.place).cmp(&(&b.type_name, &b.place)));
                ProviderSchema {
                    provider,
                    resources,
                    data_sources,
                    ephemerals,
                    identities: BTreeMap::new(),
                    uncovered: beside.into_iter().filter(|(_, count)| *count > 0).collect(),
                    plan_destroy: plans_destroy(answer.server_capabilities),
                    has_meta: answer.provider_meta.is_some(),
                    faults: faults.found,
                    diagnostics: ask::read_diagnostics(answer.diagnostics),
                }
            }

            fn schemas(
                of: HashMap<String, $messages::Schema>,
                category: Category,
                faults: &mut Faults,
            ) -> BTreeMap<String, Schema> {
                let read = |(name, of): (String, $messages::Schema)| {
                    faults.type_name = category.address(&name);
                    (name, schema(of, faults))
                };
                of.into_iter().map(read).collect()
            }

            fn schema(of: $messages::Schema, faults: &mut Faults) -> Schema {
                let version = u64::try_from(of.version).unwrap_or_else(|_| {
                    faults.add("expected a version that is not negative");
                    0
                });
                Schema { version, block: block(of.block.unwrap_or_default(), faults) }
            }

            fn block(of: $messages::Block, faults: &mut Faults) -> Block {
                let nested = of.block_types.into_iter().map(|nested| nested_block(nested, faults)).collect();
                Block {
                    attributes: attributes(of.attributes, faults),
                    block_types: Named::new(nested),
                    computed: of.computed,
                    deprecated: of.deprecated,
                    deprecation_message: None,
                }
            }

            fn nested_block(of: $messages::NestedBlock, faults: &mut Faults) -> (Text, NestedBlock) {
                use $messages::nested_block::Nesting as Mode;
                let name = of.type_name.clone();
                let nesting = match of.nesting() {
                    Mode::Single => Nesting::Single,
                    Mode::Group => Nesting::Group,
                    Mode::List => Nesting::List,
                    Mode::Set => Nesting::Set,
                    Mode::Map => Nesting::Map,
                    Mode::Invalid => {
                        faults.inside(&name, |faults| faults.add("expected a mode of nesting, found none"));
                        Nesting::List
                    }
                };
                let block = faults.inside(&name, |faults| block(of.block.unwrap_or_default(), faults));
                let nested = NestedBlock { nesting, block, min_items: of.min_items, max_items: of.max_items };
                (Text::new(&name), nested)
            }

            pub(super) fn attributes(of: Vec<$messages::Attribute>, faults: &mut Faults) -> Named<Attribute> {
                let read = |of: $messages::Attribute| {
                    let name = of.name.clone();
                    (Text::new(&name), faults.inside(&name, |faults| attribute(of, faults)))
                };
                Named::new(of.into_iter().map(read).collect())
            }

            fn attribute(of: $messages::Attribute, faults: &mut Faults) -> Attribute {
                Attribute {
                    required: of.required,
                    optional: of.optional,
                    computed: of.computed,
                    sensitive: of.sensitive,
                    write_only: of.write_only,
                    deprecated: of.deprecated,
                    ..Attribute::new($shaped(of, faults))
                }
            }
        }
    };
}

schema_reader!(five of tfplugin5, shaped by shape_in_five);
schema_reader!(six of tfplugin6, shaped by shape_in_six);

fn shape_in_five(of: tfplugin5::Attribute, faults: &mut Faults) -> Shape {
    leaf(&of.r#type, faults)
}

fn shape_in_six(of: tfplugin6::Attribute, faults: &mut Faults) -> Shape {
    use tfplugin6::object::Nesting as Mode;
    let Some(nested) = of.nested_type else { return leaf(&of.r#type, faults) };
    let nesting = match nested.nesting() {
        Mode::Single => Nesting::Single,
        Mode::List => Nesting::List,
        Mode::Set => Nesting::Set,
        Mode::Map => Nesting::Map,
        Mode::Invalid => {
            faults.add("expected a mode of nesting, found none");
            Nesting::Single
        }
    };
    Shape::Nested(NestedType { nesting, attributes: six::attributes(nested.attributes, faults) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire;

    const SCHEMA: &str = r#"{"version":7,"block":{"attributes":{
        "a":{"type":["list","string"],"required":true,"sensitive":true},
        "b":{"type":["object",{"q":"string"},["q"]],"optional":true,"computed":true,"write_only":true}},
        "block_types":{"l":{"nesting_mode":"list","min_items":1,"max_items":3,"block":{"deprecated":true}},
        "s":{"nesting_mode":"set","block":{"attributes":{"n":{"type":"number","computed":true}}}}}}}"#;

    #[test]
    fn a_sent_schema_is_read_back() {
        let schema = Schema::parse(SCHEMA).expect("a schema");
        let sent = wire::five::schema(&schema).expect("a message");
        let answer = tfplugin5::SchemaAnswer { resource_schemas: [("x".into(), sent)].into(), ..Default::default() };
        let read = five::read(answer);
        assert_eq!((&read.resources["x"], read.faults.as_slice()), (&schema, &[][..]));
        let nested = r#"{"block":{"attributes":{"n":{"optional":true,"nested_type":{"nesting_mode":"map","attributes":{
            "x":{"type":"dynamic","optional":true}}}}}}}"#;
        let schema = Schema::parse(nested).expect("a schema");
        let sent = wire::six::schema(&schema).expect("a message");
        let answer = tfplugin6::SchemaAnswer { resource_schemas: [("x".into(), sent)].into(), ..Default::default() };
        assert_eq!(six::read(answer).resources["x"], schema);
    }

    #[test]
    fn an_invalid_schema_is_reported_with_its_place() {
        let attribute = tfplugin5::Attribute { name: "a".into(), r#type: b"strin".to_vec(), ..Default::default() };
        let inner = tfplugin5::Block { attributes: vec![attribute], ..Default::default() };
        let block = tfplugin5::NestedBlock { type_name: "b".into(), block: Some(inner), ..Default::default() };
        let outer = tfplugin5::Block { block_types: vec![block], ..Default::default() };
        let schema = tfplugin5::Schema { version: -1, block: Some(outer) };
        let answer = tfplugin5::SchemaAnswer { resource_schemas: [("t".into(), schema)].into(), ..Default::default() };
        let places: Vec<_> =
            five::read(answer).faults.into_iter().map(|fault| (fault.type_name, fault.place)).collect();
        assert_eq!(places, [("t", ""), ("t", "b"), ("t", "b.a")].map(|(a, b)| (a.to_owned(), b.to_owned())));
    }
}
