//! A part of a configuration looked at again: what was written anew, beside all that stayed.
//!
//! What is declared is gathered once; holding a part to it costs as much as the part is long.

use std::collections::HashMap;

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

/// What can be named where something is evaluated, beside what the module declares.
#[derive(Clone, Copy, Debug, Default)]
pub struct NameScope<'a> {
    /// Whether there is `count`.
    pub has_count: bool,
    /// Whether there is `each`.
    pub has_each: bool,
    /// Whose `self` there is.
    pub own: Option<&'a Resource>,
    /// The name of the check block, where it is one (E64).
    pub check: Option<&'a str>,
}

impl NameScope<'_> {
    /// Where something is repeated so.
    pub fn of(repetition: &Repetition) -> NameScope<'static> {
        let (has_count, has_each) = (repetition.count.is_some(), repetition.for_each.is_some());
        NameScope { has_count, has_each, ..NameScope::default() }
    }
}

/// What one module declares, gathered once for all that refers to it.
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
    /// Gathers what a module declares.
    pub fn new(configuration: &'s Configuration, schemas: &'s Schemas) -> Declarations<'s> {
        Declarations { schemas, configuration, declared: Declared::of(configuration) }
    }

    /// What is told of references that are evaluated together (E68a).
    pub fn faults<'t>(
        &self,
        references: impl IntoIterator<Item = &'t Traversal>,
        names: NameScope<'_>,
    ) -> Vec<Diagnostic> {
        references::faults(references, &self.scope(names)).told
    }

    /// What is told of references in `depends_on` (E27).
    pub fn whole_faults(&self, list: &[Traversal]) -> Vec<Diagnostic> {
        let (mut told, scope) = (Vec::new(), self.scope(NameScope::default()));
        list.iter().for_each(|reference| references::check_whole(reference, &scope, &mut told));
        told
    }

    /// What is told of a rule before it is evaluated.
    pub fn rule_faults(&self, rule: &Rule, of: RuleOf, names: NameScope<'_>) -> RuleFaults {
        references::rule_faults(rule, of, &self.scope(names))
    }

    /// What is told of all that a body refers to, of the content of a dynamic block as often as it stands.
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

    /// Whether something may be told of what the content of a dynamic block refers to.
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

/// A configuration of which parts are looked at again.
pub struct Parts<'s> {
    modules: HashMap<Vec<Text>, Declarations<'s>>,
}

impl<'s> Parts<'s> {
    /// Gathers what all modules declare.
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

    /// What validation says of locals, outputs and resources that stand in the place of others of the same names in a module, which have
    /// the same provider and repeat in the same way. Errors are told of nodes that depend on others with errors, too (E04).
    pub fn check(&self, path: &[Text], part: &Module, sources: &Sources) -> Vec<Diagnostic> {
        let Some(of) = self.modules.get(path) else { return Vec::new() };
        let prefix: String = path.iter().map(|name| format!("module.{}.", name.as_str())).collect();
        walk::part(part, sources, &Scope::new(of.configuration, &of.declared, of.schemas), &prefix)
    }
}
