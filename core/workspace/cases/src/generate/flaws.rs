//! Flaws: mistakes in one place or several, so that the comparison covers an engine's diagnostics, and what it still evaluates after an
//! error.
//!
//! Two flaws at once test more than one does: which of them is reported, and whether the other one is, too (E04, E68a, E151a).

use super::grow::Grower;
use super::project::{Condition, Expr, Module, Nested};

/// Expressions that refer to nothing, to something unavailable in that place, or that cannot be evaluated.
pub(crate) const WRONG: [&str; 18] = [
    "local.nope",
    "var.nope",
    "w_thing.nope.out",
    "data.w_info.nope.out",
    "module.nope.out",
    "count.index",
    "each.key",
    "each.value",
    "self.out",
    "path.nope",
    "terraform.nope",
    "w_thing",
    "nope",
    "tonumber(\"a\")",
    "nope(1)",
    "[1, 2].a",
    "true ? 1 : [2]",
    "element([], 0)",
];

impl Grower<'_, '_> {
    /// Puts up to three flaws into one module.
    pub(super) fn flaws(&mut self) -> Option<&'static str> {
        let modules: Vec<usize> =
            (0..self.project.modules.len()).filter(|module| self.project.path_to(*module).is_some()).collect();
        let module = *self.choices.pick(&modules)?;
        let count = 1 + self.choices.below(3);
        let flawed = (0..count).filter(|_| self.flaw(module)).count();
        (flawed > 0).then_some("edit: flaw")
    }

    fn flaw(&mut self, module: usize) -> bool {
        if self.choices.chance(10) {
            return self.passes_wrongly(module);
        }
        let wrong = self.wrong(module);
        let place = self.choices.below(12);
        let which = self.choices.below(1 << 10);
        let of = &mut self.project.modules[module];
        match place_of(of, place, which) {
            Some(value) => *value = wrong,
            None => return false,
        }
        true
    }

    /// Passes a configuration of a provider that does not exist, that the module does not take, or that is of another provider.
    fn passes_wrongly(&mut self, module: usize) -> bool {
        let pairs = [("w.nope", "w"), ("w", "w.nope"), ("w", "w"), ("v", "v"), ("v", "w"), ("w", "v")];
        let Some(&(inner, outer)) = self.choices.pick(&pairs) else { return false };
        let Some(call) = self.project.modules[module].calls.first_mut() else { return false };
        call.passes.push((inner.to_owned(), outer.to_owned()));
        true
    }

    /// An expression with something wrong in it.
    pub(super) fn wrong(&mut self, module: usize) -> Expr {
        let addresses: Vec<String> = self.project.modules[module].blocks.iter().map(|block| block.address()).collect();
        let own = self.choices.pick(&addresses).cloned();
        let text = match (self.choices.below(6), own) {
            // An existing block, with an attribute, a key or an index that it may not have.
            (0, Some(address)) => {
                let behind =
                    *self.choices.pick(&[".nope", "[0].out", "[\"x\"].out", ".out", "[*].out"]).unwrap_or(&".out");
                format!("{address}{behind}")
            }
            _ => (*self.choices.pick(&WRONG).unwrap_or(&"nope")).to_owned(),
        };
        match self.choices.below(4) {
            0 => Expr::Glue("x-".to_owned(), Box::new(Expr::Written(text))),
            1 => {
                let other = (*self.choices.pick(&WRONG).unwrap_or(&"nope")).to_owned();
                Expr::List(vec![Expr::Written(text), Expr::Written(other)])
            }
            _ => Expr::Written(text),
        }
    }
}

/// The expression in one place of a module; `which` selects among several of its kind.
fn place_of(of: &mut Module, place: usize, which: usize) -> Option<&mut Expr> {
    fn pick<T>(all: &mut [T], which: usize) -> Option<&mut T> {
        let count = all.len().max(1);
        all.get_mut(which % count)
    }
    fn condition(of: &mut Option<Condition>) -> Option<&mut Expr> {
        of.as_mut()?.of.as_mut()
    }
    match place {
        0..4 => pick(&mut of.blocks, which).and_then(|block| pick(&mut block.args, which / 7)).map(|(_, value)| value),
        4 => pick(&mut of.locals, which).map(|local| &mut local.value),
        5 => pick(&mut of.outputs, which).map(|output| &mut output.value),
        6 => pick(&mut of.calls, which).and_then(|call| pick(&mut call.args, which / 7)).map(|(_, value)| value),
        7 => condition(&mut pick(&mut of.blocks, which)?.lifecycle.precondition),
        8 => pick(&mut of.checks, which).and_then(|check| check.condition.of.as_mut()),
        9 => pick_nested(of, |_| true, which).map(|nested| match &mut nested.for_each {
            Some(each) if which.is_multiple_of(3) => each,
            _ => &mut nested.argument.1,
        }),
        // E31: an engine reports errors of the content once per element, so repeated blocks are of more interest.
        10 => pick_nested(of, Nested::repeats, which).map(|nested| &mut nested.argument.1),
        _ => match pick(&mut of.imports, which) {
            Some(import) => Some(&mut import.id),
            None => of.default_label.as_mut(),
        },
    }
}

fn pick_nested(of: &mut Module, is_wanted: fn(&Nested) -> bool, which: usize) -> Option<&mut Nested> {
    let all = of.blocks.iter_mut().flat_map(|block| &mut block.nested);
    let mut wanted: Vec<&mut Nested> = all.filter(|nested| is_wanted(nested)).collect();
    (!wanted.is_empty()).then(|| wanted.swap_remove(which % wanted.len()))
}
