//! Sources that contain every mutant at once, each behind a check whether it is switched on.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result};
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Arm, BinOp, Block, Expr, ExprBinary, ExprStruct, ImplItemFn, ItemFn, TraitItemFn, parse_quote};

use crate::list::{Genre, Mutant, Position};

/// A source with its mutants, and the numbers of those in it.
pub struct Switched {
    /// The source.
    pub text: String,
    /// The numbers of the mutants that can be switched on in it.
    pub has: BTreeSet<u32>,
}

/// Puts mutants into a source, except those in `left_out`.
///
/// # Errors
/// A source or a replacement that cannot be parsed.
pub fn switch(source: &str, mutants: &[&Mutant], left_out: &BTreeSet<u32>) -> Result<Switched> {
    let mut file = syn::parse_file(source).context("a source")?;
    let mut at: BTreeMap<Position, Vec<Mutant>> = BTreeMap::new();
    for mutant in mutants.iter().filter(|mutant| !left_out.contains(&mutant.id)) {
        at.entry(mutant.at).or_default().push(Mutant::clone(mutant));
    }
    let mut switches = Switches { at, has: BTreeSet::new(), constants: 0, problem: None };
    switches.visit_file_mut(&mut file);
    match switches.problem {
        Some(problem) => Err(problem).context("a replacement"),
        None => Ok(Switched { text: prettyplease::unparse(&file), has: switches.has }),
    }
}

fn position(span: Span) -> Position {
    let start = span.start();
    (start.line, start.column + 1)
}

struct Switches {
    at: BTreeMap<Position, Vec<Mutant>>,
    has: BTreeSet<u32>,
    /// How many constants the place is nested in: a constant cannot check the switch.
    constants: usize,
    problem: Option<syn::Error>,
}

/// Whether an expression is a chain that binds names, which is only possible as a condition.
fn is_let_chain(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) => true,
        Expr::Binary(ExprBinary { op: BinOp::And(_), left, right, .. }) => is_let_chain(left) || is_let_chain(right),
        _ => false,
    }
}

impl Switches {
    fn take(&mut self, at: Position, genre: Genre) -> Vec<(u32, String)> {
        if self.constants > 0 {
            return Vec::new();
        }
        let here = self.at.get(&at).into_iter().flatten().filter(|mutant| mutant.genre == genre);
        let taken: Vec<(u32, String)> = here.map(|mutant| (mutant.id, mutant.replacement.clone())).collect();
        self.has.extend(taken.iter().map(|(id, _)| *id));
        taken
    }

    fn parse<T: syn::parse::Parse>(&mut self, text: &str) -> Option<T> {
        syn::parse_str(text).map_err(|problem| self.problem = Some(problem)).ok()
    }

    /// Makes a body return at once if one of its mutants is switched on.
    fn body(&mut self, block: &mut Block, first: Option<Position>) {
        let Some(first) = first else { return };
        for (id, value) in self.take(first, Genre::FnValue).into_iter().rev() {
            let Some(value) = self.parse::<Expr>(&value) else { return };
            block.stmts.insert(0, parse_quote!(if crate::mutation::is(#id) { return #value; }));
        }
    }

    fn binary(&mut self, binary: &ExprBinary, at: Position) -> Option<Expr> {
        let mutants = self.take(at, Genre::BinaryOperator);
        let (left, op, right) = (&binary.left, binary.op, &binary.right);
        // The left side of these decides whether the right side is evaluated; it is evaluated once whatever the operator.
        let is_lazy = matches!(op, BinOp::And(_) | BinOp::Or(_));
        let sides = |op: BinOp| -> Expr {
            if is_lazy { parse_quote!(mutation_left #op #right) } else { parse_quote!(#left #op #right) }
        };
        let mut chosen = sides(op);
        for (id, other) in &mutants {
            let other = sides(self.parse(other)?);
            chosen = parse_quote!((if crate::mutation::is(#id) { #other } else { #chosen }));
        }
        if is_lazy {
            chosen = parse_quote!(({ let mutation_left: bool = #left; #chosen }));
        }
        (!mutants.is_empty()).then_some(chosen)
    }

    fn unary(&mut self, whole: &Expr, inner: &Expr, at: Position) -> Option<Expr> {
        let mut chosen = whole.clone();
        let mutants = self.take(at, Genre::UnaryOperator);
        for (id, _) in &mutants {
            chosen = parse_quote!((if crate::mutation::is(#id) { #inner } else { #chosen }));
        }
        (!mutants.is_empty()).then_some(chosen)
    }

    fn record(&mut self, whole: &ExprStruct) -> Option<Expr> {
        let mut chosen: Option<Expr> = None;
        for field in &whole.fields {
            let at = position(field.span());
            for (id, _) in self.take(at, Genre::StructField) {
                let mut without = ExprStruct { fields: Default::default(), ..whole.clone() };
                for other in whole.fields.iter().filter(|other| position(other.span()) != at) {
                    without.fields.push_value(other.clone());
                    without.fields.push_punct(Default::default());
                }
                let rest = chosen.take().unwrap_or_else(|| Expr::Struct(whole.clone()));
                chosen = Some(parse_quote!((if crate::mutation::is(#id) { #without } else { #rest })));
            }
        }
        chosen
    }

    fn in_constant(&mut self, is_constant: bool, visit: impl FnOnce(&mut Switches)) {
        self.constants += usize::from(is_constant);
        visit(self);
        self.constants -= usize::from(is_constant);
    }
}

fn first_of(block: &Block) -> Option<Position> {
    block.stmts.first().map(|statement| position(statement.span()))
}

impl VisitMut for Switches {
    fn visit_item_const_mut(&mut self, item: &mut syn::ItemConst) {
        self.in_constant(true, |switches| visit_mut::visit_item_const_mut(switches, item));
    }

    fn visit_item_static_mut(&mut self, item: &mut syn::ItemStatic) {
        self.in_constant(true, |switches| visit_mut::visit_item_static_mut(switches, item));
    }

    fn visit_impl_item_const_mut(&mut self, item: &mut syn::ImplItemConst) {
        self.in_constant(true, |switches| visit_mut::visit_impl_item_const_mut(switches, item));
    }

    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        self.in_constant(true, |switches| visit_mut::visit_type_mut(switches, ty));
    }

    fn visit_item_fn_mut(&mut self, item: &mut ItemFn) {
        let first = first_of(&item.block);
        self.in_constant(item.sig.constness.is_some(), |switches| {
            visit_mut::visit_item_fn_mut(switches, item);
            switches.body(&mut item.block, first);
        });
    }

    fn visit_impl_item_fn_mut(&mut self, item: &mut ImplItemFn) {
        let first = first_of(&item.block);
        self.in_constant(item.sig.constness.is_some(), |switches| {
            visit_mut::visit_impl_item_fn_mut(switches, item);
            switches.body(&mut item.block, first);
        });
    }

    fn visit_trait_item_fn_mut(&mut self, item: &mut TraitItemFn) {
        let first = item.default.as_ref().and_then(first_of);
        visit_mut::visit_trait_item_fn_mut(self, item);
        if let Some(block) = &mut item.default {
            self.body(block, first);
        }
    }

    fn visit_arm_mut(&mut self, arm: &mut Arm) {
        let (whole, pattern) = (position(arm.span()), position(arm.pat.span()));
        let guard = arm.guard.as_ref().map(|(_, guard)| position(guard.span()));
        visit_mut::visit_arm_mut(self, arm);
        if let (Some(at), Some((_, guard))) = (guard, &mut arm.guard) {
            for (id, value) in self.take(at, Genre::MatchArmGuard) {
                let Some(value) = self.parse::<Expr>(&value) else { return };
                **guard = parse_quote!((if crate::mutation::is(#id) { #value } else { #guard }));
            }
        }
        let mut removed = self.take(whole, Genre::MatchArm);
        if whole != pattern {
            removed.extend(self.take(pattern, Genre::MatchArm));
        }
        for (id, _) in removed {
            let is_kept: Expr = parse_quote!(!crate::mutation::is(#id));
            arm.guard = Some(match arm.guard.take() {
                Some((token, guard)) => (token, parse_quote!(#is_kept && (#guard))),
                None => (Default::default(), Box::new(is_kept)),
            });
        }
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        // The place of the operator has to be read before the parts of the expression are changed.
        let at = match &*expr {
            Expr::Binary(binary) if !is_let_chain(expr) => Some(position(binary.op.span())),
            Expr::Unary(unary) => Some(position(unary.op.span())),
            _ => None,
        };
        visit_mut::visit_expr_mut(self, expr);
        let switched = match (&*expr, at) {
            (Expr::Binary(binary), Some(at)) => self.binary(binary, at),
            (whole @ Expr::Unary(unary), Some(at)) => self.unary(whole, &unary.expr, at),
            (Expr::Struct(whole), _) => self.record(whole),
            _ => None,
        };
        if let Some(switched) = switched {
            *expr = switched;
        }
    }
}
