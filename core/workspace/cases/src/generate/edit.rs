//! Edits that people make between two steps. Each returns its name, which becomes a feature of the case.

use super::grow::{Grower, has_size};
use super::kit::Kind;
use super::project::{Block, Expr, Id, Repeat};

impl Grower<'_, '_> {
    /// Makes an edit and returns its name; `None` if there was nothing to edit.
    pub(super) fn edit(&mut self) -> Option<&'static str> {
        match self.choices.below(100) {
            0..16 => self.change_value(),
            16..18 => self.tangle(),
            18..20 => self.import(),
            20..22 => self.take_name(),
            22..24 => self.split_module(),
            24..25 => self.merge_module(),
            25..35 => self.rename_block(),
            35..42 => self.rename_call(),
            42..57 => self.change_repeat(),
            57..67 => self.take_block(),
            67..71 => self.take_call(),
            71..77 => self.over_border(),
            77..84 => self.toggle_order(),
            84..87 => self.add_block(),
            87..90 => self.change_type(),
            90..93 => self.switch_provider(),
            93..96 => self.change_output(),
            96..98 => self.flaws(),
            _ => self.import(),
        }
    }

    pub(super) fn place(&mut self) -> Option<(usize, usize)> {
        let places: Vec<(usize, usize)> =
            self.project.places().into_iter().filter(|(module, _)| self.project.path_to(*module).is_some()).collect();
        self.choices.pick(&places).copied()
    }

    fn change_value(&mut self) -> Option<&'static str> {
        let (module, place) = self.place()?;
        let block = self.project.modules[module].blocks.get(place)?.clone();
        let names: &[&str] = match block.kind {
            Kind::Thing | Kind::Other | Kind::Foreign => &["size", "size", "note", "list", "tags", "any"],
            Kind::Box | Kind::Rack => &["size"],
            Kind::Builtin => &["v", "v", "triggers_replace"],
            Kind::Null => &["triggers"],
            Kind::Info | Kind::Ephemeral => &["q"],
        };
        let name = *self.choices.pick(names)?;
        self.edited.push(block.id);
        let old = block.args.iter().position(|(probe, _)| probe == name);
        let value = match name {
            "size" => Some(Expr::Number(3 + self.choices.below(3) as i64)),
            "note" | "q" | "v" | "triggers_replace" => Some(self.plain()),
            "list" => Some(Expr::List(vec![self.plain()])),
            "tags" | "triggers" => Some(Expr::Map(vec![("k".to_owned(), self.plain())])),
            _ => Some(Expr::Number(self.choices.below(100) as i64)),
        };
        let value = if old.is_some() && self.choices.chance(15) { None } else { value };
        let args = &mut self.project.modules[module].blocks[place].args;
        match (old, value) {
            (Some(at), Some(value)) => args[at].1 = value,
            (Some(at), None) => drop(args.remove(at)),
            (None, Some(value)) => args.push((name.to_owned(), value)),
            (None, None) => {}
        }
        Some(if matches!(name, "size" | "triggers_replace" | "triggers") {
            "edit: value that replaces"
        } else {
            "edit: value"
        })
    }

    pub(super) fn rename_block(&mut self) -> Option<&'static str> {
        let (module, place) = self.place()?;
        let (_, name) = self.project.fresh();
        let of = &mut self.project.modules[module];
        let block = of.blocks.get_mut(place)?;
        let from = block.address();
        block.name = name;
        let to = block.address();
        if block.kind == Kind::Ephemeral || !self.choices.chance(65) {
            return Some("edit: renamed");
        }
        of.moved.push((from, to));
        Some("edit: renamed and moved")
    }

    pub(super) fn rename_call(&mut self) -> Option<&'static str> {
        let calls: Vec<(usize, usize)> = self.calls();
        let (module, place) = *self.choices.pick(&calls)?;
        let (_, name) = self.project.fresh();
        let of = &mut self.project.modules[module];
        let from = format!("module.{}", of.calls[place].name);
        of.calls[place].name.clone_from(&name);
        if !self.choices.chance(65) {
            return Some("edit: module renamed");
        }
        of.moved.push((from, format!("module.{name}")));
        Some("edit: module renamed and moved")
    }

    /// One block or call goes, and another takes its name with a moved block: the stored objects of the first one block the move (G28).
    fn take_name(&mut self) -> Option<&'static str> {
        let parents: Vec<usize> =
            (0..self.project.modules.len()).filter(|module| self.project.modules[*module].calls.len() > 1).collect();
        if let Some(parent) = self.choices.pick(&parents).copied() {
            let calls = &mut self.project.modules[parent].calls;
            let gone = calls.remove(self.choices.below(calls.len()));
            let other = self.choices.below(calls.len());
            let from = std::mem::replace(&mut calls[other].name, gone.name.clone());
            self.project.modules[parent].moved.push((format!("module.{from}"), format!("module.{}", gone.name)));
            return Some("edit: module takes a name that was taken");
        }
        let (module, place) = self.place()?;
        let of = &mut self.project.modules[module];
        let (id, kind) = (of.blocks[place].id, of.blocks[place].kind);
        let others: Vec<usize> =
            (0..of.blocks.len()).filter(|other| *other != place && of.blocks[*other].kind == kind).collect();
        let gone = of.blocks.remove(*self.choices.pick(&others)?);
        let block = of.blocks.iter_mut().find(|block| block.id == id).filter(|block| block.kind != Kind::Ephemeral)?;
        let from = block.address();
        block.name = gone.name;
        of.moved.push((from, block.address()));
        Some("edit: takes a name that was taken")
    }

    /// Some blocks of the root become a module of their own, with moved blocks.
    fn split_module(&mut self) -> Option<&'static str> {
        let count = self.project.modules[0].blocks.len();
        let first = self.choices.below(count);
        let (id, name) = self.project.fresh();
        let mut inside = super::project::Module { dir: format!("m/{name}"), ..Default::default() };
        let of = &mut self.project.modules[0];
        for mut block in of.blocks.split_off(first.min(count)) {
            block.alias = None;
            plain_where_lost(&mut block);
            if block.kind != Kind::Ephemeral {
                of.moved.push((block.address(), format!("module.{name}.{}", block.address())));
            }
            inside.blocks.push(block);
        }
        if inside.blocks.is_empty() {
            return None;
        }
        let module = self.project.modules.len();
        self.project.modules.push(inside);
        let (repeat, args, depends_on, alias, passes) = (Repeat::One, Vec::new(), Vec::new(), None, Vec::new());
        let call = super::project::ModuleCall { id, name, module, repeat, args, depends_on, alias, passes };
        self.project.modules[0].calls.push(call);
        Some("edit: module split off")
    }

    /// The blocks of a module come to where it is called, with moved blocks; the call goes.
    fn merge_module(&mut self) -> Option<&'static str> {
        let calls = self.calls();
        let (parent, place) = *self.choices.pick(&calls)?;
        let call = self.project.modules[parent].calls.get(place)?;
        if call.repeat != Repeat::One || call.module <= parent {
            return None;
        }
        let call = self.project.modules[parent].calls.remove(place);
        for mut block in std::mem::take(&mut self.project.modules[call.module].blocks) {
            block.alias = None;
            plain_where_lost(&mut block);
            if block.kind != Kind::Ephemeral {
                let from = format!("module.{}.{}", call.name, block.address());
                self.project.modules[parent].moved.push((from, block.address()));
            }
            self.project.modules[parent].blocks.push(block);
        }
        Some("edit: module merged")
    }

    pub(super) fn calls(&self) -> Vec<(usize, usize)> {
        let of = |(module, it): (usize, &super::project::Module)| {
            (0..it.calls.len()).map(move |call| (module, call)).collect::<Vec<_>>()
        };
        self.project.modules.iter().enumerate().flat_map(of).collect()
    }

    pub(super) fn change_repeat(&mut self) -> Option<&'static str> {
        let (module, place) = self.place()?;
        let old = self.project.modules[module].blocks.get(place)?.repeat.clone();
        let new = self.repeat(module);
        if old == new {
            return None;
        }
        let block = &mut self.project.modules[module].blocks[place];
        block.repeat = new.clone();
        let address = block.address();
        let is_ephemeral = block.kind == Kind::Ephemeral;
        let changed = match (&old, &new) {
            (Repeat::Count(..), Repeat::Count(..)) => return Some("edit: count changed"),
            (Repeat::Each(..), Repeat::Each(..)) => return Some("edit: keys changed"),
            (Repeat::Count(..), Repeat::Each(..)) => "edit: count to for_each",
            (Repeat::Each(..), Repeat::Count(..)) => "edit: for_each to count",
            (Repeat::One, _) => "edit: one to many",
            (_, Repeat::One) => "edit: many to one",
        };
        if is_ephemeral || !self.choices.chance(60) {
            return Some(changed);
        }
        for (from, to) in old.keys().into_iter().zip(new.keys()) {
            self.project.modules[module].moved.push((format!("{address}{from}"), format!("{address}{to}")));
        }
        Some(changed)
    }

    fn take_block(&mut self) -> Option<&'static str> {
        let (module, place) = self.place()?;
        let block = self.project.modules[module].blocks.remove(place);
        if !block.kind.is_managed() || !self.choices.chance(35) {
            return Some("edit: block taken out");
        }
        let destroy = self.choices.chance(25);
        self.project.modules[module].removed.push((block.address(), destroy));
        Some(if destroy { "edit: block removed" } else { "edit: block forgotten" })
    }

    fn take_call(&mut self) -> Option<&'static str> {
        let calls = self.calls();
        let (module, place) = *self.choices.pick(&calls)?;
        let call = self.project.modules[module].calls.remove(place);
        if !self.choices.chance(30) {
            return Some("edit: module taken out");
        }
        let destroy = self.choices.chance(30);
        self.project.modules[module].removed.push((format!("module.{}", call.name), destroy));
        Some("edit: module removed")
    }

    /// Moves a block of the root into a module that is called there, or a block of a module out of it.
    pub(super) fn over_border(&mut self) -> Option<&'static str> {
        let calls: Vec<usize> = (0..self.project.modules[0].calls.len()).collect();
        let call = *self.choices.pick(&calls)?;
        let call = self.project.modules[0].calls.get(call)?.clone();
        let (from, to) = if self.choices.chance(60) { (0, call.module) } else { (call.module, 0) };
        let count = self.project.modules[from].blocks.len();
        let place = self.choices.below(count);
        if count == 0 {
            return None;
        }
        let mut block = self.project.modules[from].blocks.remove(place);
        block.alias = None;
        plain_where_lost(&mut block);
        let address = block.address();
        let is_ephemeral = block.kind == Kind::Ephemeral;
        self.project.modules[to].blocks.push(block);
        if is_ephemeral || !self.choices.chance(75) {
            return Some("edit: over a module's border");
        }
        let first = call.repeat.keys().into_iter().next().unwrap_or_default();
        let inside = format!("module.{}{first}.{address}", call.name);
        let moved = if from == 0 { (address, inside) } else { (inside, address) };
        self.project.modules[0].moved.push(moved);
        Some("edit: over a module's border and moved")
    }

    fn toggle_order(&mut self) -> Option<&'static str> {
        let (module, place) = self.place()?;
        let block = self.project.modules[module].blocks.get_mut(place).filter(|block| block.kind.is_managed())?;
        let flag = block.lifecycle.create_before_destroy == Some(true);
        block.lifecycle.create_before_destroy = if flag { None } else { Some(true) };
        self.edited.push(block.id);
        if self.choices.chance(50) {
            let size = Expr::Number(6 + self.choices.below(3) as i64);
            let block = &mut self.project.modules[module].blocks[place];
            let replaces = if has_size(block.kind) { "size" } else { "triggers_replace" };
            block.args.retain(|(name, _)| name != replaces);
            block.args.push((replaces.into(), size));
        }
        Some("edit: create_before_destroy")
    }

    fn add_block(&mut self) -> Option<&'static str> {
        let modules: Vec<usize> =
            (0..self.project.modules.len()).filter(|module| self.project.path_to(*module).is_some()).collect();
        let module = *self.choices.pick(&modules)?;
        self.push_block(module);
        Some("edit: block added")
    }

    fn switch_provider(&mut self) -> Option<&'static str> {
        let place = self.place()?;
        self.switch_provider_of(place)
    }

    /// Switches the provider of a block of which an old object was left (G64).
    pub(super) fn switch_provider_of_old(&mut self) -> Option<&'static str> {
        let old = self.leaves_old?;
        let places = self.project.places();
        let is_old = |(module, place): &(usize, usize)| self.project.modules[*module].blocks[*place].id == old;
        let place = places.into_iter().find(is_old)?;
        self.switch_provider_of(place)?;
        Some("edit: provider switched where an old object is")
    }

    /// Removes a provider configuration that nothing names any more; stored objects may still have it (E179).
    fn remove_unnamed_alias(&mut self, module: usize, alias: Id) -> Option<&'static str> {
        let of = &self.project.modules[module];
        let (_, name, _) = of.aliases.iter().find(|(id, _, _)| *id == alias)?;
        let passed = format!("w.{name}");
        let is_named = of.blocks.iter().any(|block| block.alias == Some(alias))
            || of.calls.iter().any(|call| call.alias == Some(alias) || call.passes.iter().any(|(_, of)| *of == passed))
            || of.imports.iter().any(|import| import.provider == Some(alias));
        if is_named || !self.choices.chance(50) {
            return None;
        }
        self.project.modules[module].aliases.retain(|(id, _, _)| *id != alias);
        Some("edit: provider configuration removed")
    }

    fn switch_provider_of(&mut self, (module, place): (usize, usize)) -> Option<&'static str> {
        if self.project.modules[module].aliases.is_empty() && module == 0 {
            let (id, name) = self.project.fresh();
            let label = Expr::Text(name.clone());
            self.project.modules[0].aliases.push((id, name, label));
        }
        let alias = self.project.modules[module].aliases.first()?.0;
        let block = self.project.modules[module].blocks.get_mut(place).filter(|block| block.kind.provider() == "w")?;
        match block.alias.take() {
            None => block.alias = Some(alias),
            Some(before) => return self.remove_unnamed_alias(module, before).or(Some("edit: provider switched")),
        }
        Some("edit: provider switched")
    }

    /// A block, or one instance of it, becomes a block of another type, with a move (G31).
    fn change_type(&mut self) -> Option<&'static str> {
        let (module, place) = self.place()?;
        let old = self.project.modules[module].blocks.get(place)?.clone();
        let kind = self.other_type(old.kind)?;
        let (id, name) = self.project.fresh();
        let mut new = old.with_kind(kind);
        if old.repeat == Repeat::One || self.choices.chance(60) {
            if self.choices.chance(50) {
                new.name = name;
            }
            let of = &mut self.project.modules[module];
            of.moved.push((old.address(), new.address()));
            of.blocks[place] = new;
            return Some("edit: to another type");
        }
        let key = self.choices.pick(&old.repeat.keys())?.clone();
        (new.id, new.name, new.repeat) = (id, name, Repeat::One);
        let is_whole = self.choices.chance(40);
        let of = &mut self.project.modules[module];
        of.moved.push((format!("{}{key}", old.address()), new.address()));
        of.blocks.push(new);
        match is_whole {
            true => drop(of.blocks.remove(place)),
            false => of.blocks[place].repeat.take_out(&key),
        }
        Some("edit: one instance to another type")
    }

    /// A type that objects of this one can come to; some providers refuse them.
    fn other_type(&mut self, kind: Kind) -> Option<Kind> {
        let kinds: &[Kind] = match kind {
            Kind::Thing => &[Kind::Foreign, Kind::Foreign, Kind::Foreign, Kind::Other, Kind::Other, Kind::Builtin],
            Kind::Other => &[Kind::Thing, Kind::Foreign],
            Kind::Foreign => &[Kind::Thing, Kind::Other],
            Kind::Null => &[Kind::Builtin, Kind::Builtin, Kind::Builtin, Kind::Thing],
            Kind::Builtin => &[Kind::Thing, Kind::Null],
            Kind::Box | Kind::Rack | Kind::Info | Kind::Ephemeral => return None,
        };
        self.choices.pick(kinds).copied()
    }

    fn change_output(&mut self) -> Option<&'static str> {
        let outputs = &mut self.project.modules[0].outputs;
        if !outputs.is_empty() && self.choices.chance(50) {
            outputs.pop();
            return Some("edit: output taken out");
        }
        let (id, name) = self.project.fresh();
        let value = self.text(0, &Repeat::One, false);
        let output = super::project::Output { id, name, value, sensitive: false, ephemeral: false, precondition: None };
        self.project.modules[0].outputs.push(output);
        Some("edit: output added")
    }
}

/// Clears the references out of a block that has left its module; in expressions a text replaces them.
fn plain_where_lost(block: &mut Block) {
    block.depends_on.clear();
    block.lifecycle.triggers.clear();
}
