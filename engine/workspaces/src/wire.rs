//! Messages of the plugin protocol, and what core's words are in them.

use planfuzz_core::msgpack;
use planfuzz_core::planner::{Remark, Severity};
use planfuzz_core::schema::{Attribute, Block, Named, NestedBlock, Nesting, Schema, Shape};
use planfuzz_core::value::{Type, Value, WrittenPath, WrittenStep};
use tonic::Status;

/// The messages and the service, as made of `proto/`.
#[allow(missing_docs, clippy::all, rust_2018_idioms, reason = "made by a program")]
pub(crate) mod messages {
    include!(concat!(env!("OUT_DIR"), "/messages.rs"));
}

use messages::tfplugin6 as six;

/// The value of a message.
pub(crate) fn received(sent: Option<&six::Sent>, ty: &Type) -> Result<Value, Status> {
    let bytes = sent.map(|sent| &sent.msgpack[..]).unwrap_or_default();
    msgpack::decode(bytes, ty).map_err(|error| Status::internal(format!("the request cannot be read: {error}")))
}

/// The message of a value.
pub(crate) fn sent(value: &Value, ty: &Type) -> Result<Option<six::Sent>, Status> {
    let bytes = msgpack::encode(value.view(), ty);
    let msgpack = bytes.map_err(|error| Status::internal(format!("the answer cannot be sent: {error}")))?;
    Ok(Some(six::Sent { msgpack, json: Vec::new() }))
}

/// Remarks as they are sent.
pub(crate) fn remarks(remarks: &[Remark]) -> Vec<six::Remark> {
    let one = |remark: &Remark| six::Remark {
        severity: if remark.severity == Severity::Error { 1 } else { 2 },
        summary: remark.summary.to_string(),
        detail: String::new(),
    };
    remarks.iter().map(one).collect()
}

/// A path as it is sent.
pub(crate) fn path(path: &WrittenPath) -> six::Path {
    let step = |step: &WrittenStep| {
        let selector = match step {
            WrittenStep::Attribute(name) => six::step::Selector::Attribute(name.to_string()),
            WrittenStep::Key(key) => six::step::Selector::Key(key.to_string()),
            WrittenStep::Index(index) => six::step::Selector::Index(i64::try_from(*index).unwrap_or(i64::MAX)),
            WrittenStep::Element => return six::Step { selector: None },
        };
        six::Step { selector: Some(selector) }
    };
    six::Path { steps: path.steps().iter().map(step).collect() }
}

/// A schema as it is sent.
pub(crate) fn schema(schema: &Schema) -> six::Schema {
    six::Schema { version: i64::try_from(schema.version).unwrap_or(i64::MAX), block: Some(block(&schema.block)) }
}

fn block(of: &Block) -> six::Block {
    six::Block {
        attributes: attributes(&of.attributes),
        blocks: of.block_types.iter().map(|(name, nested)| nested_block(name, nested)).collect(),
        deprecated: of.deprecated,
    }
}

fn nested_block(name: &str, of: &NestedBlock) -> six::NestedBlock {
    six::NestedBlock {
        name: name.to_owned(),
        block: Some(block(&of.block)),
        nesting: nesting(of.nesting),
        min_items: of.min_items,
        max_items: of.max_items,
    }
}

fn nesting(nesting: Nesting) -> i32 {
    match nesting {
        Nesting::Single => 1,
        Nesting::List => 2,
        Nesting::Set => 3,
        Nesting::Map => 4,
        Nesting::Group => 5,
    }
}

fn attributes(of: &Named<Attribute>) -> Vec<six::Attribute> {
    let one = |(name, of): (&planfuzz_core::value::Text, &Attribute)| {
        let (r#type, nested) = match &of.shape {
            Shape::Leaf(ty) => (ty.to_v05_text().into_bytes(), None),
            Shape::Nested(nested) => {
                let attributes = attributes(&nested.attributes);
                (Vec::new(), Some(six::Object { attributes, nesting: nesting(nested.nesting) }))
            }
        };
        six::Attribute {
            name: name.to_string(),
            r#type,
            required: of.required,
            optional: of.optional,
            computed: of.computed,
            sensitive: of.sensitive,
            deprecated: of.deprecated,
            nested,
            write_only: of.write_only,
        }
    };
    of.iter().map(one).collect()
}
