//! `import` blocks (G48 to G50): into blocks and modules that repeat, one object or one by each key, to what is declared and beside it.

use super::grow::Grower;
use super::project::{Block, Expr, Id, Import, Repeat, Target};

/// A part of an address that may have a key.
struct Part {
    name: String,
    repeat: Repeat,
}

impl Grower<'_, '_> {
    /// Adds an import to a declared address, or to one that is nearly declared.
    pub(super) fn import(&mut self) -> Option<&'static str> {
        let (module, place) = self.place()?;
        let block = self.project.modules[module].blocks.get(place).filter(|block| block.kind.is_managed())?.clone();
        let mut parts = self.calls_to(module)?;
        parts.push(Part { name: self.imported_name(&block), repeat: block.repeat.clone() });
        let repeats: Vec<usize> = (0..parts.len()).filter(|&part| parts[part].repeat != Repeat::One).collect();
        // The part that takes the key of `for_each`; sometimes one that does not repeat.
        let by_each = match self.choices.below(100) {
            0..45 => None,
            45..50 => self.choices.pick(&(0..parts.len()).collect::<Vec<_>>()).copied(),
            _ => self.choices.pick(&repeats).copied(),
        };
        let keys = by_each.map(|part| self.keys_of(&parts[part].repeat));
        let to = self.import_address(&parts, by_each);
        let id = self.import_id(&block, keys.is_some());
        let provider = self.import_provider();
        let has_keys = keys.is_some();
        self.project.modules[0].imports.push(Import { to, id, for_each: keys, provider });
        Some(if has_keys { "edit: import by for_each" } else { "edit: import" })
    }

    /// Mostly the address of the block; else one that no block has.
    fn imported_name(&mut self, block: &Block) -> String {
        match self.choices.below(12) {
            0 => format!("{}{}.{}", block.kind.prefix(), block.kind.type_name(), super::names::name(self.project.next)),
            _ => block.address(),
        }
    }

    /// The calls on the way to a module.
    fn calls_to(&self, module: usize) -> Option<Vec<Part>> {
        if module == 0 {
            return Some(Vec::new());
        }
        let modules = self.project.modules.iter().enumerate();
        let (parent, call) = modules.filter(|(parent, _)| *parent < module).find_map(|(parent, of)| {
            let call = of.calls.iter().find(|call| call.module == module)?;
            Some((parent, call))
        })?;
        let mut parts = self.calls_to(parent)?;
        parts.push(Part { name: format!("module.{}", call.name), repeat: call.repeat.clone() });
        Some(parts)
    }

    /// The keys of a repetition as texts; sometimes one is missing or invalid.
    fn keys_of(&mut self, repeat: &Repeat) -> Vec<String> {
        let mut keys: Vec<String> = match repeat {
            Repeat::One => vec!["x".into()],
            Repeat::Count(count, _) => (0..*count).map(|index| index.to_string()).collect(),
            Repeat::Each(keys, _) => keys.clone(),
        };
        if self.choices.chance(25) {
            keys.pop();
        }
        if self.choices.chance(10) {
            keys.push("9".into());
        }
        keys
    }

    fn import_address(&mut self, parts: &[Part], by_each: Option<usize>) -> String {
        let mut address = Vec::new();
        for (place, Part { name, repeat }) in parts.iter().enumerate() {
            let key = match repeat {
                // An engine refuses a function here.
                Repeat::Count(..) if by_each == Some(place) => match self.choices.below(12) {
                    0 => "[tonumber(each.key)]".into(),
                    _ => "[each.key * 1]".into(),
                },
                _ if by_each == Some(place) => "[each.key]".into(),
                _ => match self.choices.below(12) {
                    0 => String::new(),
                    1 => "[0]".into(),
                    _ => self.choices.pick(&repeat.keys()).cloned().unwrap_or_else(|| "[\"x\"]".into()),
                },
            };
            address.push(format!("{name}{key}"));
        }
        address.join(".")
    }

    fn import_id(&mut self, block: &Block, by_each: bool) -> Expr {
        let id = format!("id-{}", block.name);
        let key = || Box::new(Expr::Ref(Target::Key));
        match self.choices.below(20) {
            0 => Expr::Text(String::new()),
            1 => Expr::Text("none".into()),
            2..5 => self.text(0, &Repeat::One, true),
            _ if by_each => Expr::Glue(format!("{id}-"), key()),
            _ => Expr::Text(id),
        }
    }

    /// The configuration that an import names itself, which engines only take where there is no block.
    fn import_provider(&mut self) -> Option<Id> {
        let aliases: Vec<Id> = self.project.modules[0].aliases.iter().map(|(id, ..)| *id).collect();
        if self.choices.chance(8) { self.choices.pick(&aliases).copied() } else { None }
    }
}
