//! Schemas as messages.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::{Attribute, Block, Named, NestedBlock, NestedType, Nesting, Schema, Shape};
use planfuzz_core::value::Text;

use super::messages::{tfplugin5, tfplugin6};
use crate::job::LeftOut;
use crate::provider_address::Protocol;

/// Whether a provider with the schema can be served: engines refuse a whole provider for one bad schema.
///
/// # Errors
/// [`LeftOut::Unservable`], with the rule of the specification that the schema breaks or what the protocol lacks.
pub fn servable(schema: &Schema, protocol: Protocol, dialect: Dialect) -> Result<(), LeftOut> {
    if let Some(problem) = schema.problems(dialect).first() {
        return Err(LeftOut::Unservable(problem.rule));
    }
    if !dialect.decodes_write_only_strictly() && loses_write_only(&schema.block, dialect) {
        return Err(LeftOut::Unservable("write-only attributes in a map of blocks of dynamic type"));
    }
    match protocol {
        Protocol::Five => five::schema(schema).map(drop),
        Protocol::Six => six::schema(schema).map(drop),
    }
}

/// Whether the engine looks for write-only attributes in the wrong place: in a map of blocks that is an object, since something in it is of
/// type dynamic. Then it refuses every object with such a block (docs/trophies.md).
fn loses_write_only(block: &Block, dialect: Dialect) -> bool {
    block.block_types.iter().any(|(_, NestedBlock { block, nesting, .. })| {
        let is_object = *nesting == Nesting::Map && block.implied_type(dialect).has_dynamic();
        (is_object && has_write_only(block)) || loses_write_only(block, dialect)
    })
}

fn has_write_only(block: &Block) -> bool {
    fn of_attribute(attribute: &Attribute) -> bool {
        attribute.write_only
            || match &attribute.shape {
                Shape::Leaf(_) => false,
                Shape::Nested(nested) => nested.attributes.iter().any(|(_, attribute)| of_attribute(attribute)),
            }
    }
    block.attributes.iter().any(|(_, attribute)| of_attribute(attribute))
        || block.block_types.iter().any(|(_, nested)| has_write_only(&nested.block))
}

/// The messages of one version of the protocol: versions differ only in the place of an attribute's shape.
macro_rules! schema_messages {
    ($version:ident of $messages:ident, shaped by $shaped:path) => {
        pub(crate) mod $version {
            use super::*;

            /// The schema as it is sent.
            ///
            /// # Errors
            /// The protocol has no field for a part of the schema.
            pub fn schema(schema: &Schema) -> Result<$messages::Schema, LeftOut> {
                let version = i64::try_from(schema.version)
                    .map_err(|_| LeftOut::Unservable("a schema version of more than 63 bits"))?;
                Ok($messages::Schema { version, block: Some(block(&schema.block)?) })
            }

            fn block(block: &Block) -> Result<$messages::Block, LeftOut> {
                let block_types = block.block_types.iter().map(|(name, nested)| nested_block(name, nested));
                Ok($messages::Block {
                    attributes: attributes(&block.attributes)?,
                    block_types: block_types.collect::<Result<_, _>>()?,
                    deprecated: block.deprecated,
                    computed: block.computed,
                })
            }

            fn nested_block(name: &Text, nested: &NestedBlock) -> Result<$messages::NestedBlock, LeftOut> {
                Ok($messages::NestedBlock {
                    type_name: name.to_string(),
                    block: Some(block(&nested.block)?),
                    nesting: nesting(nested.nesting).into(),
                    min_items: nested.min_items,
                    max_items: nested.max_items,
                })
            }

            fn nesting(mode: Nesting) -> $messages::nested_block::Nesting {
                match mode {
                    Nesting::Single => $messages::nested_block::Nesting::Single,
                    Nesting::Group => $messages::nested_block::Nesting::Group,
                    Nesting::List => $messages::nested_block::Nesting::List,
                    Nesting::Set => $messages::nested_block::Nesting::Set,
                    Nesting::Map => $messages::nested_block::Nesting::Map,
                }
            }

            pub(super) fn attributes(of: &Named<Attribute>) -> Result<Vec<$messages::Attribute>, LeftOut> {
                of.iter().map(|(name, of)| $shaped(attribute(name, of), &of.shape)).collect()
            }

            fn attribute(name: &Text, of: &Attribute) -> $messages::Attribute {
                $messages::Attribute {
                    name: name.to_string(),
                    required: of.required,
                    optional: of.optional,
                    computed: of.computed,
                    sensitive: of.sensitive,
                    deprecated: of.deprecated,
                    write_only: of.write_only,
                    ..Default::default()
                }
            }
        }
    };
}

schema_messages!(five of tfplugin5, shaped by shaped_in_five);
schema_messages!(six of tfplugin6, shaped by shaped_in_six);

fn shaped_in_five(message: tfplugin5::Attribute, shape: &Shape) -> Result<tfplugin5::Attribute, LeftOut> {
    match shape {
        Shape::Leaf(ty) => Ok(tfplugin5::Attribute { r#type: ty.to_v05_text().into(), ..message }),
        Shape::Nested(_) => Err(LeftOut::Unservable("a nested attribute in version 5 of the protocol")),
    }
}

fn shaped_in_six(message: tfplugin6::Attribute, shape: &Shape) -> Result<tfplugin6::Attribute, LeftOut> {
    match shape {
        Shape::Leaf(ty) => Ok(tfplugin6::Attribute { r#type: ty.to_v05_text().into(), ..message }),
        Shape::Nested(nested) => Ok(tfplugin6::Attribute { nested_type: Some(object(nested)?), ..message }),
    }
}

fn object(nested: &NestedType) -> Result<tfplugin6::Object, LeftOut> {
    let nesting = match nested.nesting {
        Nesting::Single => tfplugin6::object::Nesting::Single,
        Nesting::List => tfplugin6::object::Nesting::List,
        Nesting::Set => tfplugin6::object::Nesting::Set,
        Nesting::Map => tfplugin6::object::Nesting::Map,
        Nesting::Group => return Err(LeftOut::Unservable("a nested attribute of mode group")),
    };
    Ok(tfplugin6::Object { attributes: six::attributes(&nested.attributes)?, nesting: nesting.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(block: &str) -> Schema {
        Schema::parse(&format!(r#"{{"version":7,"block":{block}}}"#)).expect("a schema")
    }

    const OLD: Dialect = Dialect::TERRAFORM_1_11;
    const LEAVES: &str = r#"{"attributes":{
        "a":{"type":["list","string"],"required":true,"sensitive":true},
        "b":{"type":["object",{"q":"string"},["q"]],"optional":true,"computed":true,"write_only":true}},
        "block_types":{"l":{"nesting_mode":"list","min_items":1,"max_items":3,"block":{"deprecated":true}}}}"#;
    const NESTED: &str = r#"{"attributes":{"n":{"optional":true,"nested_type":{"nesting_mode":"map","attributes":{
        "x":{"type":"dynamic","optional":true}}}}}}"#;

    #[test]
    fn both_versions_carry_leaves_and_blocks() {
        let five = five::schema(&schema(LEAVES)).expect("a message");
        let six = six::schema(&schema(LEAVES)).expect("a message");
        assert_eq!((five.version, six.version), (7, 7));
        let (five, six) = (five.block.expect("a block"), six.block.expect("a block"));
        for index in 0..2 {
            let (five, six) = (&five.attributes[index], &six.attributes[index]);
            assert_eq!(
                (
                    &five.name,
                    &five.r#type,
                    five.required,
                    five.optional,
                    five.computed,
                    five.sensitive,
                    five.write_only
                ),
                (&six.name, &six.r#type, six.required, six.optional, six.computed, six.sensitive, six.write_only),
            );
        }
        assert_eq!(six.attributes[0].r#type, br#"["list","string"]"#);
        assert_eq!(six.attributes[1].r#type, br#"["object",{"q":"string"},["q"]]"#);
        let [five, six] = [(&five.block_types[0].nesting), (&six.block_types[0].nesting)];
        assert_eq!((*five, *six), (2, 2));
    }

    #[test]
    fn every_mode_of_blocks_has_its_number() {
        for (mode, number) in [("single", 1), ("list", 2), ("set", 3), ("map", 4), ("group", 5)] {
            let schema = schema(&format!(r#"{{"block_types":{{"b":{{"nesting_mode":"{mode}","block":{{}}}}}}}}"#));
            let block = six::schema(&schema).expect("a message").block.expect("a block");
            assert_eq!(block.block_types[0].nesting, number, "{mode}");
        }
    }

    #[test]
    fn every_mode_of_nested_attributes_has_its_number() {
        for (mode, number) in [("single", 1), ("list", 2), ("set", 3), ("map", 4)] {
            let schema = schema(&NESTED.replace("\"map\"", &format!("\"{mode}\"")));
            let block = six::schema(&schema).expect("a message").block.expect("a block");
            let nested = block.attributes[0].nested_type.as_ref().expect("a nested type");
            assert_eq!((nested.nesting, nested.attributes[0].name.as_str()), (number, "x"), "{mode}");
            assert!(block.attributes[0].r#type.is_empty());
        }
    }

    #[test]
    fn refused_schemas_are_known_before() {
        assert_eq!(servable(&schema(NESTED), Protocol::Six, OLD), Ok(()));
        assert!(servable(&schema(NESTED), Protocol::Five, OLD).is_err());
        let inside = format!(r#"{{"block_types":{{"b":{{"nesting_mode":"list","block":{NESTED}}}}}}}"#);
        assert!(servable(&schema(&inside), Protocol::Five, OLD).is_err());
        let bare = schema(r#"{"attributes":{"a":{"type":"string"}}}"#);
        assert_eq!(servable(&bare, Protocol::Six, OLD), Err(LeftOut::Unservable("S10")));
        let group = schema(&NESTED.replace("\"map\"", "\"group\""));
        assert_eq!(servable(&group, Protocol::Six, OLD), Err(LeftOut::Unservable("S13")));
        assert!(servable(&group, Protocol::Six, Dialect::TERRAFORM_1_17).is_err());
        let version = Schema { version: u64::MAX, ..Schema::default() };
        assert!(servable(&version, Protocol::Six, OLD).is_err());
    }
}
