//! `lifecycle` blocks, and the other meta-arguments, which are no part of a resource's schema.

use hcl_edit::expr::Expression;
use planfuzz_core::json::Json;
use planfuzz_core::planner::IgnoreChanges;
use planfuzz_core::value::{Text, WrittenPath};

use super::body::Body;

/// Arguments that every resource block may have.
const META_ARGUMENTS: [&str; 4] = ["count", "for_each", "provider", "depends_on"];

/// Blocks that every resource block may have.
const META_BLOCKS: [&str; 3] = ["lifecycle", "connection", "provisioner"];

/// The parts of a `lifecycle` block that matter to a plan.
#[derive(Clone, Debug, Default)]
pub struct LifecycleBlock {
    /// `create_before_destroy`.
    pub create_before_destroy: bool,
    /// `ignore_changes`.
    pub ignore_changes: IgnoreChanges,
}

/// The body without meta-arguments.
pub(super) fn without_meta_arguments(mut body: Body) -> Body {
    // In JSON syntax a block that the schema does not have looks like an attribute.
    let is_meta = |name: &Text| META_ARGUMENTS.contains(&name.as_str()) || META_BLOCKS.contains(&name.as_str());
    body.attributes.retain(|(name, _)| !is_meta(name));
    body.blocks.retain(|block| !is_meta(&block.name));
    body
}

/// A block in the native syntax.
pub(super) fn native(body: &hcl_edit::structure::Body) -> LifecycleBlock {
    let attribute = |name: &str| body.get_attribute(name).map(|attribute| &attribute.value);
    let is_true = |expression: &Expression| expression.as_bool() == Some(true);
    let ignore_changes = match attribute("ignore_changes") {
        Some(Expression::Variable(name)) if name.as_str() == "all" => IgnoreChanges::All,
        Some(Expression::Array(paths)) => of_paths(paths.iter().map(|path| path.to_string())),
        _ => IgnoreChanges::default(),
    };
    LifecycleBlock { create_before_destroy: attribute("create_before_destroy").is_some_and(is_true), ignore_changes }
}

/// A block in JSON syntax.
pub(super) fn json(block: &Json) -> LifecycleBlock {
    let ignore_changes = match block.member("ignore_changes") {
        Some(Json::String(text)) if **text == *"all" => IgnoreChanges::All,
        Some(Json::Array(paths)) => of_paths(paths.iter().filter_map(|path| match path {
            Json::String(text) => Some(text.to_string()),
            _ => None,
        })),
        _ => IgnoreChanges::default(),
    };
    let create_before_destroy = block.member("create_before_destroy") == Some(&Json::Bool(true));
    LifecycleBlock { create_before_destroy, ignore_changes }
}

/// Paths as they are written: `tags`, `tags["a"]`, `disk[0].size`; also quoted, as in the older syntax.
fn of_paths(texts: impl Iterator<Item = String>) -> IgnoreChanges {
    let paths = texts.filter_map(|text| {
        let text = text.trim();
        let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
        WrittenPath::parse(&format!(".{text}")).ok()
    });
    IgnoreChanges::Some(paths.collect())
}
