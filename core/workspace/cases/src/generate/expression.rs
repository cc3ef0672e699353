//! Expressions as text, in the place where they stand.

use planfuzz_core::json::Json;

use super::project::{Block, Expr, Module, Project, Repeat, Target, Which};

/// Where an expression stands.
#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    pub(super) project: &'p Project,
    pub(super) module: &'p Module,
    /// The repetition of the block or call around it.
    pub(super) repeat: &'p Repeat,
}

/// Replaces a reference to something that is gone.
const LOST: &str = "\"lost\"";

impl Place<'_> {
    /// The expression as a value of a document.
    pub(super) fn json(self, expr: &Expr) -> Json {
        match expr {
            Expr::Null => Json::Null,
            Expr::Text(text) => Json::string(text),
            Expr::Number(number) => Json::int(*number),
            Expr::List(items) => Json::Array(items.iter().map(|item| self.json(item)).collect()),
            Expr::Map(entries) => Json::object(entries.iter().map(|(name, value)| (name.as_str(), self.json(value)))),
            Expr::Glue(text, rest) => match self.text(rest) {
                lost if lost == LOST => Json::string(&format!("{text}lost")),
                rest => Json::string(&format!("{text}${{{rest}}}")),
            },
            other => Json::string(&format!("${{{}}}", self.text(other))),
        }
    }

    /// The expression in native syntax.
    pub(super) fn text(self, expr: &Expr) -> String {
        match expr {
            Expr::Null => "null".into(),
            Expr::Text(text) => format!("{text:?}"),
            Expr::Number(number) => number.to_string(),
            Expr::Written(text) => text.clone(),
            Expr::Ref(target) => self.reference(target).unwrap_or_else(|| LOST.into()),
            Expr::Glue(text, rest) => format!("\"{text}${{{}}}\"", self.text(rest)),
            Expr::Function(name, of) => format!("{name}({})", self.text(of)),
            Expr::List(items) => {
                let items: Vec<String> = items.iter().map(|item| self.text(item)).collect();
                format!("[{}]", items.join(", "))
            }
            Expr::Map(entries) => {
                let entries: Vec<String> =
                    entries.iter().map(|(name, value)| format!("{name} = {}", self.text(value))).collect();
                format!("{{ {} }}", entries.join(", "))
            }
            Expr::Choice(of, text, other) => {
                let of = self.text(of);
                format!("{of} != {text:?} ? {of} : {}", self.text(other))
            }
        }
    }

    fn reference(self, target: &Target) -> Option<String> {
        match target {
            Target::Block { id, attribute, which } => {
                let block = self.module.block(*id)?;
                Some(self.instances(&block.address(), &block.repeat, attribute, *which))
            }
            Target::Variable(id) => {
                let variable = self.module.variables.iter().find(|variable| variable.id == *id)?;
                Some(format!("var.{}", variable.name))
            }
            Target::Local(id) => {
                let local = self.module.locals.iter().find(|local| local.id == *id)?;
                Some(format!("local.{}", local.name))
            }
            Target::Output { call, output, which } => {
                let call = self.module.calls.iter().find(|it| it.id == *call)?;
                let of = self.project.modules.get(call.module)?;
                let output = of.outputs.iter().find(|it| it.id == *output)?;
                let address = format!("module.{}", call.name);
                Some(self.instances(&address, &call.repeat, &output.name, *which))
            }
            Target::Whole(id) => {
                let call = || self.module.calls.iter().find(|call| call.id == *id);
                let address = self.module.block(*id).map(Block::address);
                let address = address.or_else(|| Some(format!("module.{}", call()?.name)))?;
                Some(format!("try(keys({address})[0], \"none\")"))
            }
            Target::Key => Some(self.key()),
            Target::Path => Some("path.module".into()),
        }
    }

    /// The key of the instance around it, as a text.
    pub(super) fn key(self) -> String {
        match self.repeat {
            Repeat::One => "\"one\"".into(),
            Repeat::Count(..) => "tostring(count.index)".into(),
            Repeat::Each(..) => "each.key".into(),
        }
    }

    fn instances(self, address: &str, repeat: &Repeat, attribute: &str, which: Which) -> String {
        let keys = repeat.keys();
        let own = match (repeat, self.repeat) {
            (Repeat::Count(theirs, _), Repeat::Count(ours, _)) if theirs >= ours => Some("[count.index]"),
            (Repeat::Each(theirs, _), Repeat::Each(ours, _)) if ours.iter().all(|key| theirs.contains(key)) => {
                Some("[each.key]")
            }
            _ => None,
        };
        let one = |place: usize| keys.get(place % keys.len().max(1));
        let key = match which {
            Which::All => None,
            Which::Own => own.or_else(|| one(0).map(String::as_str)),
            Which::One(place) => one(place).map(String::as_str),
        };
        match (key, repeat) {
            (_, Repeat::One) => format!("{address}.{attribute}"),
            (Some(key), _) => format!("{address}{key}.{attribute}"),
            (None, Repeat::Count(..)) => format!("join(\",\", {address}[*].{attribute})"),
            (None, Repeat::Each(..)) => format!("join(\",\", [for it in {address} : it.{attribute}])"),
        }
    }

    /// What the modules around a block add to the names of objects, so that each instance of a module makes objects of its own.
    pub(super) fn whereabouts(self) -> Json {
        let around = if self.module.dir.is_empty() { "" } else { "${var.at}" };
        match self.repeat {
            Repeat::One => Json::string(around),
            Repeat::Count(..) => Json::string(&format!("{around}-${{count.index}}")),
            Repeat::Each(..) => Json::string(&format!("{around}-${{each.key}}")),
        }
    }

    /// The name of the object that a block makes.
    pub(super) fn object_name(self, block: &Block) -> Json {
        let inside = if self.module.dir.is_empty() { "" } else { "${var.at}" };
        match block.repeat {
            Repeat::One => Json::string(&format!("{}{inside}", block.name)),
            Repeat::Count(..) => Json::string(&format!("{}{inside}-${{count.index}}", block.name)),
            Repeat::Each(..) => Json::string(&format!("{}{inside}-${{each.key}}", block.name)),
        }
    }
}
