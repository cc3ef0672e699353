//! What is told of references before anything is evaluated (E68a): where the validation walk has not been, and in arguments of calls, of
//! which it does not know how they repeat (E68).

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

    /// The value of an expression whose references are looked at in any case.
    pub fn seen_value(&self, expr: &Expr, at: &At<'_, '_>) -> Evaluated {
        self.references_are_fine(expr, at)?;
        self.evaluation().written(&expr.written, at)
    }

    fn references_are_fine(&self, expr: &Expr, at: &At<'_, '_>) -> Evaluated<()> {
        let faults = self.layout.modules[at.module].declarations.faults(&expr.references, name_scope(at));
        if faults.is_empty() { Ok(()) } else { Err(from_language(&faults)) }
    }

    /// What is told of what the body of a block refers to, where that is not known from the text alone: by the command `import` (G15), in
    /// an instance that the expansion does not know, which has nothing that is repeated (U43), and of the contents of dynamic blocks, of
    /// which there is one for each element (E31).
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

    /// What is told of what a body refers to.
    pub fn faults_of(&self, body: (&Body, &Sources), schema: &Block, at: &mut At<'_, '_>) -> Vec<Diagnostic> {
        // What it comes to does not matter, only which contents there are.
        if !iterators(body.0, body.1).is_empty() {
            drop(crate::body::evaluate(self.evaluation(), body.0, schema, at));
        }
        let contents = std::mem::take(&mut at.contents);
        let declarations = &self.layout.modules[at.module].declarations;
        from_language(&declarations.body_faults(body, schema, name_scope(at), &contents))
    }

    /// What is told of a rule before it is evaluated, and how its parts are evaluated then.
    pub fn rule_faults(&self, rule: &Rule, of: RuleOf, inner: NameScope<'_>, at: &At<'_, '_>) -> RuleFaults {
        if !self.looks_at_references() {
            return RuleFaults::default();
        }
        // The validation walk alone leaves out what a check's condition gives (E151).
        // It alone looks at the parts of a resource's conditions each for itself (E151a).
        let is_validation = self.purpose == Purpose::Validate;
        let of = if matches!(of, RuleOf::Check | RuleOf::Resource) && !is_validation { RuleOf::Output } else { of };
        let NameScope { has_count, has_each, .. } = name_scope(at);
        self.layout.modules[at.module].declarations.rule_faults(rule, of, NameScope { has_count, has_each, ..inner })
    }

    /// What evaluating the body of the node that is visited comes to, with what is told of it statically; the same is not told twice.
    /// Nothing is evaluated where something is told of what it refers to. What is told where evaluation tells nothing is left.
    pub fn body_value(&mut self, evaluate: impl FnOnce(&Self) -> Evaluated) -> Evaluated {
        let OfBody { mut told, is_unread, afterwards } = std::mem::take(&mut self.of_body);
        let evaluated = if is_unread { Err(Vec::new()) } else { evaluate(self) };
        if let Err(found) = &evaluated {
            let mut again = told.clone();
            for one in found {
                match again.iter().position(|told| told == one) {
                    Some(at) => drop(again.swap_remove(at)),
                    None => told.push(one.clone()),
                }
            }
        }
        if !told.is_empty() {
            return Err(told);
        }
        self.of_body.afterwards = afterwards;
        evaluated
    }

    /// A part of a rule, with what it sees; nothing for what is not evaluated.
    pub fn part(&self, part: &Option<Expr>, seen: Seen, at: &At<'_, '_>) -> Option<Evaluated> {
        let written = &part.as_ref()?.written;
        let unknown = |told: Vec<Diagnostic>| {
            let unseen = |one: Diagnostic| match &*one.summary {
                "Invalid reference" => Diagnostic::error(UNKNOWN_VARIABLE),
                _ => one,
            };
            told.into_iter().map(unseen).collect()
        };
        match seen {
            Seen::Names if self.looks_at_references() => {
                Some(self.evaluation().written(written, &WithMissing(at)).map_err(unknown))
            }
            Seen::Names => Some(self.evaluation().written(written, at)),
            Seen::Nothing => Some(self.evaluation().written(written, &Nothing).map_err(unknown)),
            Seen::Unread => None,
        }
    }

    fn looks_at_references(&self) -> bool {
        matches!(self.purpose, Purpose::Validate | Purpose::Import)
    }
}

/// E151a: values that are not there, of which something was told, are unknown.
struct WithMissing<'a>(&'a dyn Scope);

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
