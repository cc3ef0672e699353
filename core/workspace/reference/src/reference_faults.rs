//! Faults of references, reported before anything is evaluated (E68a), for references that the validation walk did not check: in walks
//! without one, in imports where it does not look at them (G49), and in arguments of calls, for which it does not know how they repeat
//! (E68).

use planfuzz_core::schema::Block;
use planfuzz_core::value::{Type, Value};
use planfuzz_language::Sources;
use planfuzz_language::check::{NameScope, RuleFaults, RuleOf, Seen, UNKNOWN_VARIABLE, names_value};
use planfuzz_language::config::{Body, Expr, Rule, iterators};
use planfuzz_language::expression::{Marked, Scope, Surroundings};
use planfuzz_workspace::Diagnostic;

use crate::evaluation::{Evaluated, Nothing, Wanted};
use crate::phases::from_language;
use crate::values::At;
use crate::walk::{OfBody, Purpose, Walk};

impl Walk<'_, '_, '_> {
    /// The value of an expression.
    pub fn value(&self, expr: &Expr, at: &At<'_, '_>) -> Evaluated {
        self.references_seen(expr, at)?;
        self.evaluation().written(&expr.written, at)
    }

    /// The value of an expression, of a type.
    pub fn converted(&self, expr: &Expr, wanted: Wanted<'_>, at: &At<'_, '_>) -> Evaluated {
        self.references_seen(expr, at)?;
        self.evaluation().converted(&expr.written, wanted, at)
    }

    fn references_seen(&self, expr: &Expr, at: &At<'_, '_>) -> Evaluated<()> {
        if self.looks_at_references() { self.references_are_fine(expr, at) } else { Ok(()) }
    }

    /// The value of an expression whose references are checked in any walk.
    pub fn seen_value(&self, expr: &Expr, at: &At<'_, '_>) -> Evaluated {
        self.references_are_fine(expr, at)?;
        self.evaluation().written(&expr.written, at)
    }

    /// E68a: what is reported of the references of an expression, in any walk.
    pub fn references_are_fine(&self, expr: &Expr, at: &At<'_, '_>) -> Evaluated<()> {
        let faults = self.layout.modules[at.module].declarations.faults(&expr.references, name_scope(at));
        if faults.is_empty() { Ok(()) } else { Err(from_language(&faults)) }
    }

    /// The faulty references of the body of a block that cannot be found in the text alone: in the command `import` (G15), in an instance
    /// that the expansion does not have and that has no `each` (U43), and in the contents of dynamic blocks, once for each element (E31).
    pub fn body_faults(&self, block: usize, at: &mut At<'_, '_>) -> Vec<Diagnostic> {
        let of = &self.layout.blocks[block];
        let is_bare = of.resource.repetition.for_each.is_some() && at.repeated.each.is_none();
        let body = (&of.resource.config, self.layout.sources);
        match of.schema {
            Some(schema) if is_bare || self.purpose == Purpose::Import || of.has_faulty_contents => {
                self.faults_of(body, &schema.block, at)
            }
            _ => Vec::new(),
        }
    }

    /// The faulty references of a body.
    pub fn faults_of(&self, body: (&Body, &Sources), schema: &Block, at: &mut At<'_, '_>) -> Vec<Diagnostic> {
        // Evaluated only to count the contents; the value does not matter.
        if !iterators(body.0, body.1).is_empty() {
            drop(crate::body::evaluate(self.evaluation(), body.0, schema, at));
        }
        let contents = std::mem::take(&mut at.contents);
        let declarations = &self.layout.modules[at.module].declarations;
        from_language(&declarations.body_faults(body, schema, name_scope(at), &contents))
    }

    /// The faults of a rule that are reported before it is evaluated, and how its parts are evaluated then.
    pub fn rule_faults(&self, rule: &Rule, of: RuleOf, inner: NameScope<'_>, at: &At<'_, '_>) -> RuleFaults {
        if !self.looks_at_references() {
            return RuleFaults::default();
        }
        // Only the validation walk leaves out the value of a check's condition (E151), and checks the parts of a resource's conditions each
        // on its own (E151a).
        let is_validation = self.purpose == Purpose::Validate;
        let of = if matches!(of, RuleOf::Check | RuleOf::Resource) && !is_validation { RuleOf::Output } else { of };
        let NameScope { has_count, has_each, .. } = name_scope(at);
        self.layout.modules[at.module].declarations.rule_faults(rule, of, NameScope { has_count, has_each, ..inner })
    }

    /// The value of the body of the visited node, or the diagnostics of evaluating it joined with the static ones, each reported once. With
    /// faulty references nothing is evaluated. Diagnostics for the case that evaluation reports none are left in [`OfBody::afterwards`].
    pub fn body_value(&mut self, evaluate: impl FnOnce(&Self) -> Evaluated) -> Evaluated {
        let OfBody { mut diagnostics, is_unread, afterwards } = std::mem::take(&mut self.of_body);
        let evaluated = if is_unread { Err(Vec::new()) } else { evaluate(self) };
        if let Err(found) = &evaluated {
            let mut again = diagnostics.clone();
            for one in found {
                match again.iter().position(|other| other == one) {
                    Some(at) => drop(again.swap_remove(at)),
                    None => diagnostics.push(one.clone()),
                }
            }
        }
        if !diagnostics.is_empty() {
            return Err(diagnostics);
        }
        self.of_body.afterwards = afterwards;
        evaluated
    }

    /// The value of a part of a rule, evaluated with the names that it sees; `None` if it is not evaluated.
    pub fn part(&self, part: &Option<Expr>, seen: Seen, at: &At<'_, '_>) -> Option<Evaluated> {
        let written = &part.as_ref()?.written;
        match seen {
            Seen::Names if self.looks_at_references() => {
                Some(self.evaluation().written(written, &WithMissing(at)).map_err(unknown_variables))
            }
            Seen::Names => Some(self.evaluation().written(written, at)),
            Seen::Nothing => Some(self.evaluation().written(written, &Nothing).map_err(unknown_variables)),
            Seen::Unread => None,
        }
    }

    fn looks_at_references(&self) -> bool {
        matches!(self.purpose, Purpose::Validate | Purpose::Import)
    }
}

/// What the evaluation says of names alone that are no names of values: the static check has reported that they are no references.
pub fn unknown_variables(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let unseen = |one: Diagnostic| match &*one.summary {
        "Invalid reference" => Diagnostic::error(UNKNOWN_VARIABLE),
        _ => one,
    };
    diagnostics.into_iter().map(unseen).collect()
}

/// E151a: a scope in which missing values are unknown, since they were already reported.
pub struct WithMissing<'a>(pub &'a dyn Scope);

impl Scope for WithMissing<'_> {
    fn value(&self, root: &str, attribute: Option<&str>) -> Option<(Marked, bool)> {
        let is_value = || attribute.is_some() && names_value(root);
        self.0.value(root, attribute).or_else(|| is_value().then(|| (Value::unknown(Type::Dynamic).into(), true)))
    }

    fn surroundings(&self) -> Surroundings {
        self.0.surroundings()
    }
}

fn name_scope(at: &At<'_, '_>) -> NameScope<'static> {
    let (has_count, has_each) = (at.repeated.index.is_some(), at.repeated.each.is_some());
    NameScope { has_count, has_each, ..NameScope::default() }
}
