//! What is stored at the beginning: now and then an object that a replacement left behind, whose instance has no other (G53, L20).

use planfuzz_core::dialect::Engine;
use planfuzz_core::json::Json;

use super::grow::Grower;
use super::kit::{self, Kind};
use super::project::{Block, Expr, Import};

impl Grower<'_, '_> {
    /// A state with such an object; mostly its instance is to be imported, too.
    pub(super) fn old_object_alone(&mut self, engine: Engine) -> Option<Json> {
        let of_provider = |block: &Block| block.kind.is_managed() && block.kind.is_invented();
        let blocks: Vec<Block> =
            self.project.modules[0].blocks.iter().filter(|block| of_provider(block)).cloned().collect();
        let block = self.choices.pick(&blocks)?;
        let key = self.choices.pick(&block.repeat.keys())?.clone();
        if self.choices.chance(60) {
            let (to, id) = (format!("{}{key}", block.address()), Expr::Text(format!("id-{}", block.name)));
            self.project.modules[0].imports.push(Import { to, id, for_each: None, provider: None });
        }
        // U90: if the object has a name of its own, its deletion may fail while that of the instance's current object does not.
        let name = if self.choices.chance(30) { format!("{}-old", block.name) } else { block.name.clone() };
        self.left_behind = Some((block.id, name.clone()));
        Some(state(block, &name, &key, engine))
    }
}

/// A state with one deposed object, whose key is written as in an address.
fn state(block: &Block, name: &str, key: &str, engine: Engine) -> Json {
    let [w, v, _] = kit::sources(engine);
    let source = if block.kind == Kind::Foreign { v } else { w };
    let text = |text: &str| Json::string(text);
    let attributes = [("id", format!("id-{name}")), ("name", name.to_owned())];
    let mut instance = vec![
        ("schema_version", Json::int(0)),
        ("deposed", text("0a0a0a0a")),
        ("attributes", Json::object(attributes.iter().map(|(name, value)| (*name, text(value))))),
    ];
    let index = key.trim_matches(['[', ']']);
    match (index.strip_prefix('"'), index.parse::<i64>()) {
        (Some(each), _) => instance.push(("index_key", text(each.trim_end_matches('"')))),
        (None, Ok(count)) => instance.push(("index_key", Json::int(count))),
        (None, Err(_)) => {}
    }
    let resource = [
        ("mode", text("managed")),
        ("type", text(block.kind.type_name())),
        ("name", text(&block.name)),
        ("provider", Json::string(&format!("provider[\"{source}\"]"))),
        ("instances", Json::Array(vec![Json::object(instance)])),
    ];
    Json::object([("version", Json::int(4)), ("resources", Json::Array(vec![Json::object(resource)]))])
}
