//! A first workspace: modules with blocks, each of which may refer to what was made before it.

use super::choices::Choices;
use super::kit::Kind;
use super::project::{
    Block, Check, Condition, Expr, Id, Lifecycle, Module, ModuleCall, Named, Output, Project, Repeat, Target, Variable,
    Which,
};
use super::settings::Settings;

/// Grows a project, block by block.
pub(super) struct Grower<'c, 'b> {
    pub(super) choices: &'c mut Choices<'b>,
    pub(super) settings: Settings,
    pub(super) project: Project,
    /// The blocks that were edited since the step before.
    pub(super) edited: Vec<Id>,
    /// The block of which the step before may have left an object that is to be destroyed.
    pub(super) leaves_old: Option<Id>,
    /// The name of an object that was left behind before the first step, with the block of its instance.
    pub(super) left_behind: Option<(Id, String)>,
}

/// Keys that `for_each` draws from.
const KEYS: [&str; 4] = ["x", "y", "z", "w 1"];
const TEXTS: [&str; 5] = ["", "red", "blue", "green", "long text"];

/// Whether a type has the argument that replaces an object.
pub(super) fn has_size(kind: Kind) -> bool {
    kind.is_managed() && kind.is_invented()
}

/// What `terraform_data` has in the place of an attribute of the other types.
fn of_builtin(attribute: &'static str) -> &'static str {
    match attribute {
        "out" => "output.v",
        "name" => "input.name",
        "note" => "input.v",
        other => other,
    }
}

impl Grower<'_, '_> {
    /// A whole project.
    pub(super) fn grow(&mut self) {
        self.project.modules.push(Module::default());
        self.locals_and_variables(0);
        self.settings_of_providers();
        let blocks = 1 + self.choices.below(self.settings.blocks);
        for _ in 0..blocks {
            self.push_block(0);
        }
        let calls = match self.settings.depth {
            0 => 0,
            _ => self.choices.below(self.settings.modules + 1),
        };
        for _ in 0..calls {
            self.module_below(0, 1);
            self.push_block(0);
        }
        self.outputs(0);
        self.check(0);
    }

    pub(super) fn exotic(&mut self, percent: u32) -> bool {
        let percent = percent * self.settings.exotic / 100;
        self.choices.chance(percent)
    }

    fn settings_of_providers(&mut self) {
        if self.exotic(30) {
            let (id, name) = self.project.fresh();
            let label = Expr::Text(name.clone());
            self.project.modules[0].aliases.push((id, name, label));
        }
        if self.exotic(20) {
            // Few labels: only workspaces with the same default configuration can be merged into one.
            let label = if self.exotic(10) { self.text(0, &Repeat::One, false) } else { Expr::Text("root".to_owned()) };
            self.project.modules[0].default_label = Some(label);
        }
    }

    fn locals_and_variables(&mut self, module: usize) {
        if self.choices.chance(35) {
            let (id, name) = self.project.fresh();
            let value = self.plain();
            self.project.modules[module].locals.push(Named { id, name, value });
        }
        if self.choices.chance(if module == 0 { 20 } else { 70 }) {
            let (id, name) = self.project.fresh();
            let default = (module == 0 || self.choices.chance(50)).then(|| self.plain());
            let (sensitive, validated) = (self.exotic(10), self.exotic(10));
            let ephemeral = self.exotic(10);
            let variable = Variable { id, name, default, sensitive, ephemeral, validated };
            self.project.modules[module].variables.push(variable);
        }
    }

    /// A text that does not refer to anything.
    pub(super) fn plain(&mut self) -> Expr {
        Expr::Text((*self.choices.pick(&TEXTS).unwrap_or(&"")).to_owned())
    }

    /// A block, sometimes a local in between.
    pub(super) fn push_block(&mut self, module: usize) {
        let block = self.block(module);
        self.project.modules[module].blocks.push(block);
        if self.choices.chance(15) {
            let (id, name) = self.project.fresh();
            let value = self.text(module, &Repeat::One, false);
            self.project.modules[module].locals.push(Named { id, name, value });
        }
    }

    fn kind(&mut self) -> Kind {
        match self.choices.below(100) {
            0..47 => Kind::Thing,
            47..50 => Kind::Null,
            50..55 => Kind::Builtin,
            55..65 => Kind::Other,
            65..71 => Kind::Box,
            71..75 => Kind::Rack,
            75..82 => Kind::Foreign,
            82..96 => Kind::Info,
            _ if self.settings.exotic >= 50 => Kind::Ephemeral,
            _ => Kind::Thing,
        }
    }

    /// How often something is there.
    pub(super) fn repeat(&mut self, module: usize) -> Repeat {
        match self.choices.below(100) {
            0..62 => Repeat::One,
            62..82 => {
                let count = self.choices.below(4);
                let local = self.exotic(20).then(|| {
                    let (id, name) = self.project.fresh();
                    let value = Expr::Number(count as i64);
                    self.project.modules[module].locals.push(Named { id, name, value });
                    id
                });
                Repeat::Count(count, local)
            }
            _ => {
                let first = self.choices.below(KEYS.len());
                let count = self.choices.below(3) + usize::from(self.choices.chance(80));
                let keys = (0..count.min(KEYS.len())).map(|step| KEYS[(first + step) % KEYS.len()].to_owned());
                let mut keys: Vec<String> = keys.collect();
                keys.sort();
                Repeat::Each(keys, self.choices.chance(30))
            }
        }
    }

    fn block(&mut self, module: usize) -> Block {
        let (id, name) = self.project.fresh();
        let kind = self.kind();
        let repeat = self.repeat(module);
        let mut args = Vec::new();
        for attribute in
            ["note", "size", "list", "tags", "any", "secret", "q", "wo", "v", "triggers_replace", "triggers"]
        {
            if let Some(value) = self.argument(module, kind, &repeat, attribute) {
                args.push((attribute.to_owned(), value));
            }
        }
        let nested = self.nested_blocks(module, kind, &repeat);
        let depends_on = if self.choices.chance(12) { self.earlier(module) } else { Vec::new() };
        let aliases = self.aliases(module);
        let alias = match self.choices.pick(&aliases) {
            Some((alias, _)) if kind.provider() == "w" && self.choices.chance(40) => Some(*alias),
            _ => None,
        };
        let lifecycle = self.lifecycle(module, kind);
        Block { id, kind, name, repeat, args, nested, depends_on, alias, lifecycle }
    }

    fn earlier(&mut self, module: usize) -> Vec<Id> {
        let of = &self.project.modules[module];
        let ids: Vec<Id> = of.blocks.iter().map(|it| it.id).chain(of.calls.iter().map(|it| it.id)).collect();
        self.choices.pick(&ids).copied().into_iter().collect()
    }

    /// An argument of a block; `None` leaves it out.
    pub(super) fn argument(&mut self, module: usize, kind: Kind, repeat: &Repeat, name: &str) -> Option<Expr> {
        let is_thing = matches!(kind, Kind::Thing | Kind::Other | Kind::Foreign);
        match name {
            "note" if is_thing && self.exotic(4) => self.ephemeral(module),
            "note" if is_thing && self.choices.chance(45) => Some(self.text(module, repeat, false)),
            "size" if has_size(kind) && self.choices.chance(35) => Some(Expr::Number(self.choices.below(3) as i64)),
            "list" if is_thing && self.choices.chance(15) => {
                let count = self.choices.below(3);
                Some(Expr::List((0..count).map(|_| self.text(module, repeat, false)).collect()))
            }
            "tags" if is_thing && self.choices.chance(20) => {
                let count = self.choices.below(3);
                let entry = |place: usize, value| (["a", "b", "c"][place % 3].to_owned(), value);
                Some(Expr::Map((0..count).map(|place| entry(place, self.text(module, repeat, false))).collect()))
            }
            "any" if is_thing && self.choices.chance(15) => match self.choices.below(3) {
                0 => Some(Expr::Number(self.choices.below(9) as i64)),
                1 => Some(self.text(module, repeat, false)),
                _ => Some(Expr::Map(vec![("p".into(), self.text(module, repeat, false))])),
            },
            "secret" if is_thing && self.exotic(15) => Some(self.text(module, repeat, true)),
            "q" if kind == Kind::Ephemeral && self.exotic(30) => self.ephemeral(module),
            "q" if matches!(kind, Kind::Info | Kind::Ephemeral) && self.choices.chance(60) => {
                Some(self.text(module, repeat, false))
            }
            "v" if kind == Kind::Builtin => Some(self.text(module, repeat, true)),
            "triggers_replace" if kind == Kind::Builtin && self.choices.chance(40) => {
                Some(self.text(module, repeat, false))
            }
            "triggers" if kind == Kind::Null && self.choices.chance(60) => {
                Some(Expr::Map(vec![("k".to_owned(), self.text(module, repeat, false))]))
            }
            // E78: an ephemeral value is allowed in an argument that is not stored, and in no other.
            "wo" if is_thing && self.exotic(12) => self.ephemeral(module).or_else(|| Some(self.plain())),
            _ => None,
        }
    }

    /// A value of something ephemeral that is there.
    fn ephemeral(&mut self, module: usize) -> Option<Expr> {
        let of = &self.project.modules[module];
        let which = Which::Own;
        let blocks = of.blocks.iter().filter(|block| block.kind == Kind::Ephemeral);
        let mut targets: Vec<Target> =
            blocks.map(|block| Target::Block { id: block.id, attribute: "out", which }).collect();
        let variables = of.variables.iter().filter(|variable| variable.ephemeral);
        targets.extend(variables.map(|variable| Target::Variable(variable.id)));
        for call in &of.calls {
            let outputs = self.project.modules.get(call.module).map_or(&[][..], |module| &module.outputs);
            let outputs = outputs.iter().filter(|output| output.ephemeral);
            targets.extend(outputs.map(|output| Target::Output { call: call.id, output: output.id, which }));
        }
        self.choices.pick(&targets).cloned().map(Expr::Ref)
    }

    fn lifecycle(&mut self, module: usize, kind: Kind) -> Lifecycle {
        let mut lifecycle = Lifecycle::default();
        if kind.is_managed() {
            if self.choices.chance(25) {
                lifecycle.create_before_destroy = Some(self.choices.chance(85));
            }
            lifecycle.prevent_destroy = self.exotic(4);
            if self.exotic(12) {
                let names = ["note", "size", "tags", "all"];
                let names: &[&str] = match kind {
                    Kind::Box => &["size", "all"],
                    Kind::Rack => &["size", "need", "slot", "only", "spare", "all"],
                    Kind::Builtin => &["input", "triggers_replace", "all"],
                    Kind::Null => &["triggers", "all"],
                    _ => &names,
                };
                lifecycle.ignore_changes.extend(self.choices.pick(names).map(|name| (*name).to_owned()));
            }
            if self.exotic(15) {
                let managed = self.project.modules[module].blocks.iter().filter(|block| block.kind.is_managed());
                let found: Vec<(Id, Kind)> = managed.map(|block| (block.id, block.kind)).collect();
                let by_attribute = self.choices.chance(50);
                let attribute = |kind| match kind {
                    Kind::Builtin => "input",
                    Kind::Null => "triggers",
                    _ => "size",
                };
                let trigger = |(id, kind): &(Id, Kind)| (*id, by_attribute.then(|| attribute(*kind).to_owned()));
                lifecycle.triggers.extend(self.choices.pick(&found).map(trigger));
            }
        }
        // Rarely for ephemeral resources: an engine crashes when it shows a plan with their conditions, and the run is lost.
        let is_ephemeral = kind == Kind::Ephemeral;
        if kind.is_invented() && self.exotic(if is_ephemeral { 4 } else { 10 }) {
            let equals = self.exotic(25);
            lifecycle.postcondition = Some(self.condition(module, None, equals));
        }
        if self.exotic(if is_ephemeral { 4 } else { 8 }) {
            let of = Some(self.looked_at(module));
            let equals = self.exotic(15);
            lifecycle.precondition = Some(self.condition(module, of, equals));
        }
        lifecycle
    }

    /// A text, mostly by a reference to what was made before in the module.
    pub(super) fn text(&mut self, module: usize, repeat: &Repeat, may_be_secret: bool) -> Expr {
        let Some(target) = self.target(module, may_be_secret).filter(|_| self.choices.chance(75)) else {
            return match self.choices.chance(15) && *repeat != Repeat::One {
                true => Expr::Ref(Target::Key),
                false => self.plain(),
            };
        };
        let reference = Expr::Ref(target);
        match self.choices.below(20) {
            0..13 => reference,
            13..16 => Expr::Glue("on-".into(), Box::new(reference)),
            16..18 => Expr::Function("upper", Box::new(reference)),
            18 => Expr::Choice(Box::new(reference), "none".into(), Box::new(Expr::Text("other".into()))),
            _ => Expr::Glue(
                "of ".into(),
                Box::new(Expr::Function("nonsensitive", Box::new(Expr::Function("sensitive", Box::new(reference))))),
            ),
        }
    }

    fn target(&mut self, module: usize, may_be_secret: bool) -> Option<Target> {
        let of = &self.project.modules[module];
        let mut targets = Vec::new();
        let which = match self.choices.below(6) {
            0 | 1 => Which::Own,
            2 => Which::One(1),
            3 => Which::One(0),
            _ => Which::All,
        };
        let attribute = *["out", "out", "id", "name", "note"].get(self.choices.below(5))?;
        for block in of.blocks.iter().filter(|block| block.kind != Kind::Ephemeral) {
            let attribute = match block.kind {
                Kind::Builtin => of_builtin(attribute),
                Kind::Null => "id",
                Kind::Box | Kind::Rack | Kind::Info if attribute == "note" => "id",
                _ => attribute,
            };
            targets.push(Target::Block { id: block.id, attribute, which });
        }
        for call in &of.calls {
            let outputs = self.project.modules.get(call.module).map_or(&[][..], |module| &module.outputs);
            let outputs = outputs.iter().filter(|output| !output.ephemeral && (!output.sensitive || may_be_secret));
            targets.extend(outputs.map(|output| Target::Output { call: call.id, output: output.id, which }));
        }
        let is_text = |local: &&Named| !matches!(local.value, Expr::Number(_));
        targets.extend(of.locals.iter().filter(is_text).map(|local| Target::Local(local.id)));
        let variables = of.variables.iter().filter(|it| !it.ephemeral && (may_be_secret || !it.sensitive));
        targets.extend(variables.map(|variable| Target::Variable(variable.id)));
        if self.choices.chance(3) {
            return Some(Target::Path);
        }
        if self.choices.chance(5 * self.settings.exotic / 100) {
            let blocks = of.blocks.iter().filter(|block| block.kind != Kind::Ephemeral).map(|block| block.id);
            let all: Vec<Id> = blocks.chain(of.calls.iter().map(|call| call.id)).collect();
            return self.choices.pick(&all).copied().map(Target::Whole);
        }
        let place = self.choices.below(targets.len());
        (!targets.is_empty()).then(|| targets.swap_remove(place))
    }

    /// A module with a call of it.
    pub(super) fn module_below(&mut self, parent: usize, depth: usize) {
        let (id, name) = self.project.fresh();
        let module = self.project.modules.len();
        let dir = format!("m/{name}");
        self.project.modules.push(Module { dir, ..Module::default() });
        let passes = self.passed_to(module, parent);
        self.locals_and_variables(module);
        for _ in 0..1 + self.choices.below(self.settings.blocks.min(3)) {
            self.push_block(module);
        }
        if depth < self.settings.depth && self.choices.chance(35) {
            self.module_below(module, depth + 1);
        }
        self.outputs(module);
        // A module with a configuration of its own may be called once (E178).
        let has_own = self.project.modules[module].default_label.is_some();
        let repeat = if has_own { Repeat::One } else { self.repeat(parent) };
        let variables: Vec<Id> = self.project.modules[module].variables.iter().map(|variable| variable.id).collect();
        let args = variables.into_iter().map(|id| (id, self.passed(module, id, parent, &repeat))).collect();
        let depends_on = if self.exotic(15) { self.earlier(parent) } else { Vec::new() };
        let depends_on = if has_own { Vec::new() } else { depends_on };
        let aliases = self.aliases(parent);
        let alias = match self.choices.pick(&aliases) {
            Some((alias, _)) if !has_own && self.choices.chance(40) => Some(*alias),
            _ => None,
        };
        let call = ModuleCall { id, name, module, repeat, args, depends_on, alias, passes };
        self.project.modules[parent].calls.push(call);
    }

    /// A value for a variable of a module.
    fn passed(&mut self, module: usize, id: Id, parent: usize, repeat: &Repeat) -> Expr {
        let is_it = |variable: &Variable| variable.id == id && variable.ephemeral;
        let is_ephemeral = self.project.modules[module].variables.iter().any(is_it);
        let value = if is_ephemeral && self.choices.chance(60) { self.ephemeral(parent) } else { None };
        value.unwrap_or_else(|| self.text(parent, repeat, true))
    }

    /// The aliases that blocks and calls of a module may name.
    fn aliases(&self, module: usize) -> Vec<(Id, String)> {
        let of = &self.project.modules[module];
        let own = of.aliases.iter().map(|(id, name, _)| (*id, name.clone()));
        own.chain(of.takes.iter().cloned()).collect()
    }

    /// Sets which configurations of its provider a new module requires and has; returns those that its call passes.
    fn passed_to(&mut self, module: usize, parent: usize) -> Vec<(String, String)> {
        let outer = self.aliases(parent);
        let has_default = self.project.modules[parent].default_label.is_some();
        self.project.modules[module].requires = self.exotic(20);
        self.project.modules[module].has_empty_block = self.exotic(5);
        if self.exotic(8) {
            let (_, name) = self.project.fresh();
            self.project.modules[module].default_label = Some(Expr::Text(name));
        }
        let mut passes = Vec::new();
        if (has_default || !outer.is_empty()) && self.exotic(40) {
            let (id, name) = self.project.fresh();
            let given = match self.choices.pick(&outer) {
                Some((_, outer)) if !has_default || self.choices.chance(70) => format!("w.{outer}"),
                _ => "w".to_owned(),
            };
            passes.push((format!("w.{name}"), given));
            self.project.modules[module].takes.push((id, name));
        }
        passes
    }

    fn outputs(&mut self, module: usize) {
        for _ in 0..self.choices.below(if module == 0 { 3 } else { 2 }) + usize::from(module > 0) {
            let (id, name) = self.project.fresh();
            let mut value = self.text(module, &Repeat::One, false);
            let sensitive = self.exotic(10);
            // E78: an output of the root must not be ephemeral, and an output whose value is not ephemeral must not be declared so.
            let mut ephemeral = false;
            if module > 0 && self.exotic(15) {
                let found = self.ephemeral(module);
                ephemeral = found.is_some() || self.choices.chance(15);
                value = found.unwrap_or(value);
            }
            let precondition = self.exotic(8).then(|| {
                let of = Some(self.looked_at(module));
                self.condition(module, of, false)
            });
            let output = Output { id, name, value, sensitive, ephemeral, precondition };
            self.project.modules[module].outputs.push(output);
        }
    }

    /// The operand of a condition: mostly a reference, since one that refers to nothing is an error of its own.
    fn looked_at(&mut self, module: usize) -> Expr {
        for _ in 0..4 {
            let found = self.text(module, &Repeat::One, false);
            if !matches!(found, Expr::Text(_)) {
                return found;
            }
        }
        self.plain()
    }

    /// A condition, whose message may refer to a sensitive value.
    fn condition(&mut self, module: usize, of: Option<Expr>, equals: bool) -> Condition {
        let message = self.exotic(30).then(|| self.text(module, &Repeat::One, true));
        Condition { of, text: "never".into(), equals, message }
    }

    fn check(&mut self, module: usize) {
        if self.exotic(15) {
            let (_, name) = self.project.fresh();
            let data = self.choices.chance(40).then(|| self.data_of_check(module));
            let of = match data.as_ref().filter(|_| self.choices.chance(70)) {
                Some(data) => Expr::Written(format!("{}.out", data.address())),
                None => self.looked_at(module),
            };
            let equals = self.choices.chance(40);
            let condition = self.condition(module, Some(of), equals);
            self.project.modules[module].checks.push(Check { name, data, condition });
        }
    }

    fn data_of_check(&mut self, module: usize) -> Block {
        let (id, name) = self.project.fresh();
        let args = self.argument(module, Kind::Info, &Repeat::One, "q").map(|value| ("q".to_owned(), value));
        let depends_on = if self.choices.chance(15) { self.earlier(module) } else { Vec::new() };
        Block {
            id,
            kind: Kind::Info,
            name,
            repeat: Repeat::One,
            args: args.into_iter().collect(),
            nested: Vec::new(),
            depends_on,
            alias: None,
            lifecycle: Lifecycle::default(),
        }
    }
}
