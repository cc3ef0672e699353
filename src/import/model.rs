//! Provider models that answer as a plan shows.

use std::sync::Arc;

use planfuzz_core::schema::Schema;
use planfuzz_core::value::{WrittenPath, WrittenStep};
use planfuzz_pipelines::model::{Model, Style};
use planfuzz_pipelines::path::SchemaPath;
use planfuzz_pipelines::rules::{Mod, Rules};

/// The simplest provider of a schema: computed values are made once and stay; a change at one of these paths makes a
/// replacement. Only attributes of the resource itself can require one, so a path into one of them counts for the whole.
pub fn simplest(schema: &Arc<Schema>, replace: &[WrittenPath]) -> Model {
    let mut rules = Rules::new();
    for (name, attribute) in schema.block.attributes.iter() {
        if attribute.computed && !attribute.write_only {
            rules.entry(SchemaPath::new(vec![name.clone()])).plan.push(Mod::UseStateForUnknown);
        }
    }
    for path in replace {
        let Some(WrittenStep::Attribute(name)) = path.steps().first() else { continue };
        if schema.block.attributes.get(name).is_none() && schema.block.block_types.get(name).is_none() {
            continue;
        }
        let rule = rules.entry(SchemaPath::new(vec![name.clone()]));
        if !rule.plan.contains(&Mod::RequiresReplace) {
            rule.plan.push(Mod::RequiresReplace);
        }
    }
    let mut model = Model::new(Style::Framework { schema: Arc::clone(schema), plan: None });
    model.rules = rules;
    model
}
