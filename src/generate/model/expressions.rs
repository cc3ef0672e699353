//! Expressions and conditions, of depth 3 at most.

use planfuzz_core::value::{Text, Type, Value};
use planfuzz_pipelines::expression::{Canon, Changed, Cond, Equiv, Expr, Operation, Ref, Source};
use planfuzz_pipelines::path::SchemaPath;

use super::super::value::{Role, ValueGenerator};
use super::spots::{Part, Spot};
use crate::generate::dice::weighted;

/// How deep expressions and conditions nest.
pub(super) const DEPTH: usize = 3;

/// What expressions and conditions may refer to.
#[derive(Clone, Copy)]
pub(super) struct Reach<'s> {
    pub(super) spots: &'s [Spot],
    /// The attribute that the rule belongs to; `None` for rules of the whole resource.
    pub(super) of: Option<&'s Spot>,
    pub(super) bounds: Bounds,
}

/// How freely expressions and conditions are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bounds {
    /// Anything.
    Free,
    /// Any source, but nothing that becomes false when an unknown is resolved (W5, and I20, I22 of provider-model.md section 4).
    Monotone,
    /// Only what the configuration sets: the configuration itself, and constants (W4).
    Configured,
    /// The configuration only, but any property of it (`error_if` of a check).
    ConfigOnly,
    /// The configuration only, except whether something in it is unknown (W12).
    SettledConfig,
}

/// The kinds of conditions.
enum Kind {
    Bool,
    Op,
    IsNull,
    IsUnknown,
    PartlyUnknown,
    Changed,
    Eq,
    Lt,
    Same,
    Not,
    All,
    Any,
}

impl Reach<'_> {
    fn source(&self, values: &mut ValueGenerator<'_, '_, '_>) -> Source {
        match self.bounds {
            Bounds::Configured | Bounds::ConfigOnly | Bounds::SettledConfig => Source::Config,
            Bounds::Free | Bounds::Monotone => *values.dice.pick(&[Source::Config, Source::Plan, Source::Prior]),
        }
    }

    /// A reference to a value of a type that `fits`.
    fn reference(&self, values: &mut ValueGenerator<'_, '_, '_>, fits: impl Fn(&Spot) -> bool) -> Option<(Ref, Type)> {
        let source = self.source(values);
        let allowed = |spot: &&Spot| {
            let configured = self.bounds != Bounds::Configured || !spot.computed && !spot.inside.computed;
            let reachable = !spot.inside.repeated || self.of.is_some_and(|of| of.is_beside(spot));
            configured && reachable && fits(spot)
        };
        let count = self.spots.iter().filter(allowed).count();
        if count == 0 {
            return None;
        }
        let spot = self.spots.iter().filter(allowed).nth(values.dice.below(count))?;
        let reference = match self.of {
            Some(of) if of.path == spot.path && values.dice.chance(192) => Ref::This(source),
            Some(of) if of.is_beside(spot) => Ref::Sibling(source, spot.name()),
            _ => Ref::Root(source, spot.path.names().to_vec()),
        };
        Some((reference, spot.ty.clone()))
    }

    /// A reference to anything.
    pub(super) fn any(&self, values: &mut ValueGenerator<'_, '_, '_>) -> Option<(Ref, Type)> {
        self.reference(values, |spot| self.bounds == Bounds::Free || !spot.is_block())
    }

    /// A reference to a leaf that is not computed, over the planned object.
    pub(super) fn configured_leaf(&self, values: &mut ValueGenerator<'_, '_, '_>, ty: Option<&Type>) -> Option<Ref> {
        let fits = |spot: &Spot| {
            spot.part == Part::Leaf && !spot.computed && !spot.write_only && ty.is_none_or(|ty| spot.ty == *ty)
        };
        Reach { bounds: Bounds::Configured, ..*self }
            .reference(values, fits)
            .map(|(found, _)| found.in_source(Source::Plan))
    }

    /// An expression for a target of a type.
    pub(super) fn expr(&self, values: &mut ValueGenerator<'_, '_, '_>, ty: &Type, depth: usize) -> Expr {
        let deep = u8::from(depth > 1);
        let free = u8::from(self.bounds == Bounds::Free);
        let (text, number) = (u8::from(*ty == Type::String) * deep, u8::from(*ty == Type::Number) * deep);
        weighted! { values.dice;
            60 => self.constant(values, ty),
            60 => match self.reference(values, |spot| spot.ty == *ty) {
                Some((reference, _)) => Expr::Ref(reference),
                None => self.constant(values, ty),
            },
            12 * free => Expr::Null,
            12 * free => Expr::Unknown,
            40 * text => self.text(values, depth - 1),
            40 * number => self.number(values, depth - 1),
            24 * deep => Expr::If(
                Box::new(self.cond(values, depth - 1)),
                Box::new(self.expr(values, ty, depth - 1)),
                Box::new(self.expr(values, ty, depth - 1)),
            ),
        }
    }

    /// A constant of the type, or null where the type has none.
    pub(super) fn constant(&self, values: &mut ValueGenerator<'_, '_, '_>, ty: &Type) -> Expr {
        Expr::Const(constant(values, ty))
    }

    fn text(&self, values: &mut ValueGenerator<'_, '_, '_>, depth: usize) -> Expr {
        let part = |values: &mut ValueGenerator<'_, '_, '_>| {
            let ty = values.dice.pick(&[Type::String, Type::Number, Type::Bool]).clone();
            self.expr(values, &ty, depth)
        };
        match values.dice.below(3) {
            0 => Expr::Concat((0..=values.dice.below(2)).map(|_| part(values)).collect()),
            1 => Expr::Hash((0..=values.dice.below(2)).map(|_| part(values)).collect()),
            _ => Expr::Canon(canon(values), Box::new(self.expr(values, &Type::String, depth))),
        }
    }

    fn number(&self, values: &mut ValueGenerator<'_, '_, '_>, depth: usize) -> Expr {
        if values.dice.chance(128) {
            let part = |values: &mut ValueGenerator<'_, '_, '_>| Box::new(self.expr(values, &Type::Number, depth));
            return Expr::Add(part(values), part(values));
        }
        let has_length = |ty: &Type| *ty == Type::String || ty.is_collection();
        match self.reference(values, |spot| has_length(&spot.ty)) {
            Some((reference, _)) => Expr::Length(Box::new(Expr::Ref(reference))),
            None => self.constant(values, &Type::Number),
        }
    }

    /// A condition.
    pub(super) fn cond(&self, values: &mut ValueGenerator<'_, '_, '_>, depth: usize) -> Cond {
        let deep = u8::from(depth > 1) * 18;
        // These become false when an unknown is resolved.
        let open = u8::from(matches!(self.bounds, Bounds::Free | Bounds::ConfigOnly)) * 14;
        // `changed` compares plan and prior.
        let changed = u8::from(matches!(self.bounds, Bounds::Free | Bounds::Monotone)) * 40;
        let op = u8::from(self.bounds != Bounds::Configured) * 20;
        let kind = weighted! {
            values.dice;
            12 => Kind::Bool,
            op => Kind::Op,
            30 => Kind::IsNull,
            open => Kind::IsUnknown,
            open => Kind::PartlyUnknown,
            changed => Kind::Changed,
            40 => Kind::Eq,
            24 => Kind::Lt,
            24 => Kind::Same,
            deep => Kind::Not,
            deep => Kind::All,
            deep => Kind::Any,
        };
        match kind {
            Kind::Bool => Cond::Bool(values.dice.chance(128)),
            Kind::Op => Cond::Op(*values.dice.pick(&Operation::ALL)),
            Kind::IsNull | Kind::IsUnknown | Kind::PartlyUnknown | Kind::Changed => match self.any(values) {
                None => Cond::Bool(false),
                Some((reference, _)) => match kind {
                    Kind::IsNull => Cond::IsNull(reference),
                    Kind::IsUnknown => Cond::IsUnknown(reference),
                    Kind::PartlyUnknown => Cond::PartlyUnknown(reference),
                    _ => Cond::Changed(Changed::Ref(reference)),
                },
            },
            Kind::Eq => match self.reference(values, |spot| spot.part == Part::Leaf && !spot.ty.has_dynamic()) {
                Some((reference, ty)) => Cond::Eq(Expr::Ref(reference), self.expr(values, &ty, depth.min(2) - 1)),
                None => Cond::Bool(false),
            },
            Kind::Lt => {
                let fits = |spot: &Spot| spot.ty == Type::Number;
                let Some((reference, _)) = self.reference(values, fits) else { return Cond::Bool(false) };
                Cond::Lt(Expr::Ref(reference), self.expr(values, &Type::Number, 1))
            }
            Kind::Same => {
                let Some((reference, ty)) = self.reference(values, |spot| spot.ty == Type::String) else {
                    return Cond::Bool(false);
                };
                Cond::Same(text_equiv(values), Expr::Ref(reference), self.expr(values, &ty, 1))
            }
            Kind::Not => Cond::Not(Box::new(self.cond(values, depth - 1))),
            Kind::All => Cond::All((0..=values.dice.below(2)).map(|_| self.cond(values, depth - 1)).collect()),
            Kind::Any => Cond::Any((0..=values.dice.below(2)).map(|_| self.cond(values, depth - 1)).collect()),
        }
    }

    /// A condition that is false where nothing changed (W5).
    pub(super) fn change(&self, values: &mut ValueGenerator<'_, '_, '_>) -> Cond {
        let fits = |spot: &Spot| !spot.is_block() && !spot.computed && !spot.inside.computed && !spot.write_only;
        let one = |values: &mut ValueGenerator<'_, '_, '_>| match self.reference(values, fits) {
            Some((reference, _)) => Cond::Changed(Changed::Ref(reference)),
            None => Cond::Bool(false),
        };
        match values.dice.below(4) {
            0 => Cond::Any(vec![one(values), one(values)]),
            1 => Cond::All(vec![one(values), Cond::Op(Operation::Update)]),
            _ => one(values),
        }
    }
}

/// A constant of a type: wholly known, mostly not null.
pub(super) fn constant(values: &mut ValueGenerator<'_, '_, '_>, ty: &Type) -> Value {
    let ty = values.concrete(ty);
    let node = values.present_leaf(&ty, Role::State);
    Value::from_parts(ty, node)
}

/// A canonical form of texts, idempotent.
pub(super) fn canon(values: &mut ValueGenerator<'_, '_, '_>) -> Canon {
    match values.dice.below(4) {
        0 => Canon::Lower,
        1 => Canon::Trim,
        2 => Canon::Json,
        _ => Canon::Prefix(values.dice.pick(&values.pools.prefixes).clone()),
    }
}

/// An equivalence of texts.
pub(super) fn text_equiv(values: &mut ValueGenerator<'_, '_, '_>) -> Equiv {
    match values.dice.below(5) {
        0 => Equiv::Exact,
        1 => Equiv::Case,
        2 => Equiv::Trim,
        3 => Equiv::Json,
        _ => Equiv::Canon(canon(values)),
    }
}

/// A name at the root, of those that `fits`.
pub(super) fn top_name<'s>(
    values: &mut ValueGenerator<'_, '_, '_>,
    spots: &'s [Spot],
    fits: impl Fn(&Spot) -> bool,
) -> Option<(&'s SchemaPath, Text)> {
    let wanted = |spot: &&Spot| spot.is_top() && fits(spot);
    let count = spots.iter().filter(wanted).count();
    let spot = spots.iter().filter(wanted).nth(values.dice.below(count))?;
    Some((&spot.path, spot.name()))
}
