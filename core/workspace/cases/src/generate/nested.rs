//! Nested blocks of a generated block: of every nesting, written one by one or by `dynamic`, and blocks within them.

use super::grow::Grower;
use super::kit::Kind;
use super::project::{Expr, Nested, Repeat};

/// Labels of blocks that form a map.
const LABELS: [&str; 3] = ["k", "l", "m"];

impl Grower<'_, '_> {
    /// The nested blocks of a block.
    pub(super) fn nested_blocks(&mut self, module: usize, kind: Kind, repeat: &Repeat) -> Vec<Nested> {
        match kind {
            Kind::Box => (0..self.choices.below(3)).map(|_| self.rule_or_mark(module, repeat)).collect(),
            Kind::Rack => self.of_rack(module, repeat),
            _ => Vec::new(),
        }
    }

    fn rule_or_mark(&mut self, module: usize, repeat: &Repeat) -> Nested {
        let (type_name, name) = if self.choices.chance(60) { ("rule", "to") } else { ("mark", "key") };
        self.nested(module, repeat, type_name, name)
    }

    /// The blocks of `w_rack`. A few miss the one that must stand, or have one too many.
    fn of_rack(&mut self, module: usize, repeat: &Repeat) -> Vec<Nested> {
        let mut all = Vec::new();
        let needed = if self.choices.chance(4) { 3 * self.choices.below(2) } else { 1 + self.choices.below(2) };
        for _ in 0..needed {
            all.push(self.nested(module, repeat, "need", "to"));
        }
        for number in 0..self.choices.below(3) {
            let mut slot = self.nested(module, repeat, "slot", "to");
            slot.label = Some(self.label(&slot, number));
            all.push(self.with_parts(module, repeat, slot));
        }
        for type_name in ["only", "spare"] {
            if self.choices.chance(40) {
                let block = self.nested(module, repeat, type_name, "to");
                all.push(if type_name == "only" { self.with_parts(module, repeat, block) } else { block });
            }
            if self.choices.chance(2) {
                let mut again = self.nested(module, repeat, type_name, "to");
                // E29: what is wrong with the second one is not looked at.
                if self.choices.chance(60) {
                    again.argument.1 = Expr::List(vec![self.plain()]);
                }
                all.push(again);
            }
        }
        all
    }

    /// A nested block, sometimes one that repeats.
    fn nested(&mut self, module: usize, repeat: &Repeat, type_name: &'static str, name: &'static str) -> Nested {
        let mut value = self.text(module, repeat, false);
        let for_each = self.exotic(20).then(|| {
            let count = self.choices.below(if matches!(type_name, "only" | "spare") { 2 } else { 4 });
            let all = Expr::List((0..count).map(|_| self.text(module, repeat, false)).collect());
            // E31: with an element that is not known, nothing is known of the distinct ones.
            if self.choices.chance(30) { Expr::Function("distinct", Box::new(all)) } else { all }
        });
        if for_each.is_some() && self.choices.chance(60) {
            value = Expr::Written(format!("{type_name}.value"));
        }
        let mut nested = Nested { type_name, label: None, argument: (name, value), for_each, inside: Vec::new() };
        // E31: an engine reports errors of the content once per element, which the flaws rarely hit.
        if nested.repeats() && self.choices.chance(2) {
            nested.argument.1 = self.wrong(module);
        }
        nested
    }

    /// The label of a block; those of one body are mostly distinct.
    fn label(&mut self, of: &Nested, number: usize) -> Expr {
        let number = if self.choices.chance(3) { 0 } else { number };
        match &of.for_each {
            Some(_) if self.choices.chance(90) => Expr::Written(format!("{}.key", of.type_name)),
            _ => Expr::Text(LABELS[number % LABELS.len()].to_owned()),
        }
    }

    /// A block, sometimes with others in it; these may take what the outer one repeats by.
    fn with_parts(&mut self, module: usize, repeat: &Repeat, mut of: Nested) -> Nested {
        for _ in 0..self.choices.below(3) {
            let mut part = self.nested(module, repeat, "part", "to");
            if of.for_each.is_some() && self.choices.chance(40) {
                part.argument.1 = Expr::Written(format!("{}.value", of.type_name));
            }
            of.inside.push(part);
        }
        of
    }
}
