//! Checks parts of a configuration that were changed, against the unchanged rest.
//!
//! Declarations are gathered once; checking a part takes time in proportion to the part.

use hashbrown::HashMap;
use planfuzz_core::schema::Block;
use planfuzz_core::value::Text;

use super::body::{BodyCheck, Contents, Looked};
use super::declared::Declared;
use super::references::{self, RuleFaults, RuleOf, Scope};
use super::schemas::Schemas;
use super::walk;
use crate::config::{Body, Configuration, Module, Repetition, Resource, Rule, Traversal, iterators};
use crate::diagnostic::Diagnostic;
use crate::sources::Sources;

/// The names in scope of an expression, beside the declarations of its module.
#[derive(Clone, Copy, Debug, Default)]
pub struct NameScope<'a> {
    /// Whether `count` is in scope.
    pub has_count: bool,
    /// Whether `each` is in scope.
    pub has_each: bool,
    /// The resource that `self` is, if it is in scope.
    pub own: Option<&'a Resource>,
    /// The name of the surrounding check block, if any (E64).
    pub check: Option<&'a str>,
}

impl NameScope<'_> {
    /// The scope within a block with this repetition.
    pub fn of(repetition: &Repetition) -> NameScope<'static> {
        let (has_count, has_each) = (repetition.count.is_some(), repetition.for_each.is_some());
        NameScope { has_count, has_each, ..NameScope::default() }
    }
}

/// The declarations of one module, gathered once for all references.
pub struct Declarations<'s> {
    schemas: &'s Schemas,
    configuration: &'s Configuration,
    declared: Declared<'s>,
}

impl std::fmt::Debug for Declarations<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Declarations({})", self.configuration.module.directory)
    }
}

impl<'s> Declarations<'s> {
    /// Gathers the declarations of a module.
    pub fn new(configuration: &'s Configuration, schemas: &'s Schemas) -> Declarations<'s> {
        Declarations { schemas, configuration, declared: Declared::of(configuration) }
    }

    /// The diagnostics of references that are evaluated together (E68a).
    pub fn faults<'t>(
        &self,
        references: impl IntoIterator<Item = &'t Traversal>,
        names: NameScope<'_>,
    ) -> Vec<Diagnostic> {
        references::faults(references, &self.scope(names)).diagnostics
    }

    /// The diagnostics of references in `depends_on` (E27).
    pub fn whole_faults(&self, list: &[Traversal]) -> Vec<Diagnostic> {
        let (mut diagnostics, scope) = (Vec::new(), self.scope(NameScope::default()));
        list.iter().for_each(|reference| references::check_whole(reference, &scope, &mut diagnostics));
        diagnostics
    }

    /// The diagnostics of a rule before it is evaluated.
    pub fn rule_faults(&self, rule: &Rule, of: RuleOf, names: NameScope<'_>) -> RuleFaults {
        references::rule_faults(rule, of, &self.scope(names))
    }

    /// The diagnostics of all references of a body; those of a dynamic block's content repeat for each generated block.
    pub fn body_faults(
        &self,
        (body, sources): (&Body, &Sources),
        schema: &Block,
        names: NameScope<'_>,
        contents: &Contents,
    ) -> Vec<Diagnostic> {
        let scope = self.scope(names);
        BodyCheck::new(sources, &scope, Looked::Counted(contents), &mut Vec::new()).faults(body, schema)
    }

    /// Whether references in the content of a dynamic block may have diagnostics.
    pub fn has_faulty_contents(
        &self,
        (body, sources): (&Body, &Sources),
        schema: &Block,
        names: NameScope<'_>,
    ) -> bool {
        if iterators(body, sources).is_empty() {
            return false;
        }
        let scope = self.scope(names);
        let faults = |looked| BodyCheck::new(sources, &scope, looked, &mut Vec::new()).faults(body, schema);
        faults(Looked::Statically) != faults(Looked::AtNone)
    }

    fn scope<'a>(&'a self, names: NameScope<'a>) -> Scope<'a> {
        let own = names.own.map(|own| self.schemas.of_resource(&self.configuration.module, own));
        let NameScope { has_count, has_each, check, .. } = names;
        Scope { has_count, has_each, own, check, ..Scope::new(self.configuration, &self.declared, self.schemas) }
    }
}

/// A configuration whose parts can be checked again.
pub struct Parts<'s> {
    modules: HashMap<Vec<Text>, Declarations<'s>>,
}

impl<'s> Parts<'s> {
    /// Gathers the declarations of all modules.
    pub fn new(root: &'s Configuration, schemas: &'s Schemas) -> Parts<'s> {
        let mut modules = HashMap::new();
        let mut rest = vec![(Vec::new(), root)];
        while let Some((path, configuration)) = rest.pop() {
            for (name, child) in &configuration.children {
                rest.push((path.iter().cloned().chain([name.clone()]).collect(), child));
            }
            modules.insert(path, Declarations::new(configuration, schemas));
        }
        Parts { modules }
    }

    /// Validates locals, outputs and resources that replace others of the same names in a module, with the same provider and the same kind
    /// of repetition. Dependents of failed nodes are not skipped here (E04).
    pub fn check(&self, path: &[Text], part: &Module, sources: &Sources) -> Vec<Diagnostic> {
        let Some(of) = self.modules.get(path) else { return Vec::new() };
        let prefix: String = path.iter().map(|name| format!("module.{}.", name.as_str())).collect();
        walk::part(part, sources, &Scope::new(of.configuration, &of.declared, of.schemas), &prefix)
    }
}
