//! Schemas in the notation of `terraform providers schema -json` (S06).
//!
//! Unknown members are ignored, as engines of every version export others. Content that a schema cannot hold is an
//! error that cites its rule: an attribute with neither or both shapes (S12), an unknown nesting mode (S13, S24).
//! Whether the schema is valid is checked separately.

use crate::json::{Json, JsonError, JsonProblem, ObjectReader, Sink, Tree};
use crate::value::json::too_deep;
use crate::value::{MAX_DEPTH, Text, Type};

use crate::schema::{Attribute, Block, Named, NestedBlock, NestedType, Nesting, Schema, Shape};

impl Schema {
    /// Reads one entry of `resource_schemas`.
    ///
    /// # Errors
    /// Shapes that S06 does not have, names that are one name in NFC, and a schema whose values would be deeper than
    /// [`MAX_DEPTH`]; with the path from the entry.
    pub fn from_json(json: &Json) -> Result<Schema, JsonError> {
        let mut schema = ObjectReader::new(json, "a schema: \"version\" and \"block\"")?;
        Ok(Schema {
            version: schema.optional("version", Json::expect_u64)?.unwrap_or(0),
            block: schema.required("block", |block| read_block(block, MAX_DEPTH))?,
        })
    }

    /// Reads the text of one entry of `resource_schemas`.
    ///
    /// # Errors
    /// As [`Schema::from_json`], and text that is no JSON document.
    pub fn parse(text: &str) -> Result<Schema, JsonError> {
        Schema::from_json(&Json::parse(text)?)
    }

    /// Writes the entry: false, empty and zero members are left out, `version` is always there.
    pub fn write_json(&self, sink: &mut impl Sink) {
        sink.open_object();
        sink.name("version");
        sink.int(self.version.into());
        sink.name("block");
        write_block(&self.block, sink);
        sink.close_object();
    }

    /// The entry as a document.
    pub fn to_json(&self) -> Json {
        Tree::of(|tree| self.write_json(tree))
    }
}

/// Schemas of whole providers: what `terraform providers schema -json` prints, of any `format_version` so far.
#[derive(Clone, Debug, PartialEq)]
pub struct ProviderSchemas {
    /// The version of the format, as in the file.
    pub format_version: String,
    /// The managed resource types, in the order of the file.
    pub resources: Vec<SchemaEntry>,
    /// The data sources, in the order of the file.
    pub data_sources: Vec<SchemaEntry>,
}

/// One schema of a provider.
#[derive(Clone, Debug, PartialEq)]
pub struct SchemaEntry {
    /// The provider's address, `registry.terraform.io/hashicorp/aws`; in format 0.1 its name alone.
    pub provider: String,
    /// The resource type or data source, `aws_instance`.
    pub name: String,
    /// The schema.
    pub schema: Schema,
}

impl ProviderSchemas {
    /// Reads the whole output of the command.
    ///
    /// # Errors
    /// A format of another major version, and what [`Schema::from_json`] refuses, with the path from the top.
    pub fn from_json(json: &Json) -> Result<ProviderSchemas, JsonError> {
        let mut file = ObjectReader::new(json, "provider schemas: \"format_version\" and \"provider_schemas\"")?;
        let mut schemas = ProviderSchemas {
            format_version: file.required("format_version", read_format_version)?,
            resources: Vec::new(),
            data_sources: Vec::new(),
        };
        file.optional("provider_schemas", |providers| {
            each_member(providers, |address, provider| schemas.read_provider(address, provider))
        })?;
        Ok(schemas)
    }

    fn read_provider(&mut self, address: &str, json: &Json) -> Result<(), JsonError> {
        let mut provider = ObjectReader::new(json, "the schemas of a provider")?;
        provider.optional("resource_schemas", |json| read_entries(address, json, &mut self.resources))?;
        provider.optional("data_source_schemas", |json| read_entries(address, json, &mut self.data_sources))?;
        Ok(())
    }
}

fn read_format_version(json: &Json) -> Result<String, JsonError> {
    let version = json.expect_string()?;
    match version.split_once('.') {
        Some(("0" | "1", _)) => Ok(version.to_owned()),
        _ => Err(json.unexpected("a format version 0.x or 1.x")),
    }
}

fn read_entries(provider: &str, json: &Json, entries: &mut Vec<SchemaEntry>) -> Result<(), JsonError> {
    each_member(json, |name, json| {
        let schema = Schema::from_json(json)?;
        entries.push(SchemaEntry { provider: provider.to_owned(), name: name.to_owned(), schema });
        Ok(())
    })
}

/// Reads each member of the object that must be here; errors say which.
fn each_member(json: &Json, mut read: impl FnMut(&str, &Json) -> Result<(), JsonError>) -> Result<(), JsonError> {
    for (name, member) in json.expect_object()? {
        read(name, member).map_err(|error| error.inside_member(name))?;
    }
    Ok(())
}

/// Reads a table of named things. Two names that are one in NFC are refused: which one counts is undefined (V24).
fn read_named<T>(json: &Json, mut read: impl FnMut(&Json) -> Result<T, JsonError>) -> Result<Named<T>, JsonError> {
    let mut entries = Vec::new();
    each_member(json, |name, member| {
        entries.push((Text::new(name), read(member)?));
        Ok(())
    })?;
    let count = entries.len();
    let names: Vec<Text> = entries.iter().map(|(name, _)| name.clone()).collect();
    let named = Named::new(entries);
    if named.len() == count {
        return Ok(named);
    }
    let mut names = names;
    names.sort();
    let twice = names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0].to_string());
    Err(JsonProblem::Duplicate { name: twice.unwrap_or_default() }.into())
}

/// `levels`: how deep the values of the block may still be.
fn read_block(json: &Json, levels: usize) -> Result<Block, JsonError> {
    let levels = below(levels, 1)?;
    let mut block = ObjectReader::new(json, "a block: \"attributes\" and \"block_types\"")?;
    let attributes = block.optional("attributes", |json| read_named(json, |json| read_attribute(json, levels)))?;
    let block_types = block.optional("block_types", |json| read_named(json, |json| read_block_type(json, levels)))?;
    Ok(Block {
        attributes: attributes.unwrap_or_default(),
        block_types: block_types.unwrap_or_default(),
        computed: block.flag("computed")?,
        deprecated: block.flag("deprecated")?,
        deprecation_message: read_message(&mut block)?,
    })
}

fn read_attribute(json: &Json, levels: usize) -> Result<Attribute, JsonError> {
    let mut attribute = ObjectReader::new(json, "an attribute")?;
    let ty = attribute.optional("type", |json| {
        let ty = Type::from_json(json)?;
        below(levels, ty.depth() - 1)?;
        Ok(ty)
    })?;
    let nested = attribute.optional("nested_type", |json| read_nested_type(json, levels))?;
    let shape = match (ty, nested) {
        (Some(ty), None) => Shape::Leaf(ty),
        (None, Some(nested)) => Shape::Nested(nested),
        (None, None) => return Err(s12("found neither")),
        (Some(_), Some(_)) => return Err(s12("found both")),
    };
    Ok(Attribute {
        shape,
        required: attribute.flag("required")?,
        optional: attribute.flag("optional")?,
        computed: attribute.flag("computed")?,
        sensitive: attribute.flag("sensitive")?,
        write_only: attribute.flag("write_only")?,
        deprecated: attribute.flag("deprecated")?,
        deprecation_message: read_message(&mut attribute)?,
    })
}

fn s12(found: &str) -> JsonError {
    let message = format!("expected an attribute with either \"type\" or \"nested_type\", {found}");
    JsonProblem::Schema { rule: "S12", message }.into()
}

fn read_nested_type(json: &Json, levels: usize) -> Result<NestedType, JsonError> {
    let mut nested = ObjectReader::new(json, "a nested type: \"attributes\" and \"nesting_mode\"")?;
    let nesting = nested.required("nesting_mode", |json| read_nesting(json, "S13"))?;
    let levels = below(levels, levels_of(nesting))?;
    let attributes = nested.optional("attributes", |json| read_named(json, |json| read_attribute(json, levels)))?;
    Ok(NestedType { nesting, attributes: attributes.unwrap_or_default() })
}

fn read_block_type(json: &Json, levels: usize) -> Result<NestedBlock, JsonError> {
    let mut nested = ObjectReader::new(json, "a nested block type: \"nesting_mode\" and \"block\"")?;
    let nesting = nested.required("nesting_mode", |json| read_nesting(json, "S24"))?;
    let levels = below(levels, levels_of(nesting) - 1)?;
    Ok(NestedBlock {
        nesting,
        block: nested.required("block", |json| read_block(json, levels))?,
        min_items: nested.optional("min_items", Json::expect_i64)?.unwrap_or(0),
        max_items: nested.optional("max_items", Json::expect_i64)?.unwrap_or(0),
    })
}

fn read_nesting(json: &Json, rule: &'static str) -> Result<Nesting, JsonError> {
    let name = json.expect_string()?;
    Nesting::from_name(name).ok_or_else(|| {
        let message = format!("expected single, group, list, set or map, found {}", json.describe());
        JsonProblem::Schema { rule, message }.into()
    })
}

fn read_message(reader: &mut ObjectReader<'_>) -> Result<Option<String>, JsonError> {
    reader.optional("deprecation_message", |json| json.expect_string().map(str::to_owned))
}

/// The levels that a mode adds to a value: the objects, and the collection around them.
fn levels_of(nesting: Nesting) -> usize {
    match nesting {
        Nesting::Single | Nesting::Group => 1,
        Nesting::List | Nesting::Set | Nesting::Map => 2,
    }
}

/// The rest of `levels` after `used` more, at least one.
fn below(levels: usize, used: usize) -> Result<usize, JsonError> {
    match levels.checked_sub(used) {
        Some(left @ 1..) => Ok(left),
        _ => Err(too_deep().into()),
    }
}

fn write_block(block: &Block, sink: &mut impl Sink) {
    let Block { attributes, block_types, computed, deprecated, deprecation_message } = block;
    sink.open_object();
    write_named("attributes", attributes, sink, write_attribute);
    write_named("block_types", block_types, sink, write_block_type);
    write_flag("computed", *computed, sink);
    write_flag("deprecated", *deprecated, sink);
    write_message(deprecation_message.as_deref(), sink);
    sink.close_object();
}

fn write_attribute<S: Sink>(attribute: &Attribute, sink: &mut S) {
    let Attribute { shape, required, optional, computed, sensitive, write_only, deprecated, deprecation_message } =
        attribute;
    sink.open_object();
    match shape {
        Shape::Leaf(ty) => {
            sink.name("type");
            ty.write_json(sink);
        }
        Shape::Nested(nested) => {
            sink.name("nested_type");
            sink.open_object();
            write_named("attributes", &nested.attributes, sink, write_attribute);
            sink.name("nesting_mode");
            sink.string(nested.nesting.name());
            sink.close_object();
        }
    }
    write_flag("deprecated", *deprecated, sink);
    write_message(deprecation_message.as_deref(), sink);
    write_flag("required", *required, sink);
    write_flag("optional", *optional, sink);
    write_flag("computed", *computed, sink);
    write_flag("sensitive", *sensitive, sink);
    write_flag("write_only", *write_only, sink);
    sink.close_object();
}

fn write_block_type<S: Sink>(nested: &NestedBlock, sink: &mut S) {
    let NestedBlock { nesting, block, min_items, max_items } = nested;
    sink.open_object();
    sink.name("nesting_mode");
    sink.string(nesting.name());
    sink.name("block");
    write_block(block, sink);
    write_count("min_items", *min_items, sink);
    write_count("max_items", *max_items, sink);
    sink.close_object();
}

fn write_named<S: Sink, T>(name: &str, things: &Named<T>, sink: &mut S, write: impl Fn(&T, &mut S)) {
    if things.is_empty() {
        return;
    }
    sink.name(name);
    sink.open_object();
    for (name, thing) in things.iter() {
        sink.name(name);
        write(thing, sink);
    }
    sink.close_object();
}

fn write_flag(name: &str, flag: bool, sink: &mut impl Sink) {
    if flag {
        sink.name(name);
        sink.bool(true);
    }
}

fn write_count(name: &str, count: i64, sink: &mut impl Sink) {
    if count != 0 {
        sink.name(name);
        sink.int(count.into());
    }
}

fn write_message(message: Option<&str>, sink: &mut impl Sink) {
    if let Some(message) = message {
        sink.name("deprecation_message");
        sink.string(message);
    }
}

#[cfg(test)]
mod tests;
