//! The configuration tree: the declarations of a module, and the calls between modules.

use std::collections::BTreeMap;
use std::sync::Arc;

use planfuzz_core::address::{ConfigResource, ResourceMode};
use planfuzz_core::value::{Text, Value};

use super::body::{Block, Body, Name, Written};
use super::type_constraint::TypeConstraint;
use crate::place::SourcePlace;

/// A module with the modules that it calls (section 1).
#[derive(Clone, Debug, Default)]
pub struct Configuration {
    /// The declarations of the module, shared by all calls of its directory.
    pub module: Arc<Module>,
    /// The place of its call in `calls` of the calling module; 0 for the root module.
    pub call: usize,
    /// The modules that it calls, by the names of the calls.
    pub children: BTreeMap<Text, Configuration>,
}

/// The declarations in the files of one directory, in the order of the files and of their text.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// The directory, relative to the root module; empty for the root module.
    pub directory: String,
    /// `terraform` blocks.
    pub settings: Vec<Settings>,
    /// `provider` blocks.
    pub providers: Vec<Provider>,
    /// `variable` blocks.
    pub variables: Vec<Variable>,
    /// Members of `locals` blocks.
    pub locals: Vec<Local>,
    /// `output` blocks.
    pub outputs: Vec<Output>,
    /// `module` blocks.
    pub calls: Vec<ModuleCall>,
    /// `resource`, `data` and `ephemeral` blocks.
    pub resources: Vec<Resource>,
    /// `moved` blocks.
    pub moved: Vec<Moved>,
    /// `removed` blocks.
    pub removed: Vec<Removed>,
    /// `import` blocks.
    pub imports: Vec<Import>,
    /// `check` blocks.
    pub checks: Vec<Check>,
}

/// An expression: its text and its references.
#[derive(Clone, Debug)]
pub struct Expr {
    /// The text.
    pub written: Written,
    /// The references, in the order of the text.
    pub references: Vec<Traversal>,
}

/// A constant: its place and its value.
#[derive(Clone, Debug)]
pub struct Constant<T> {
    /// Its place.
    pub place: SourcePlace,
    /// Its value.
    pub value: T,
}

/// A reference that is never evaluated, as in `depends_on` (E11).
#[derive(Clone, Debug, PartialEq)]
pub struct Traversal {
    /// The first name of the reference.
    pub root: Text,
    /// The steps after it.
    pub steps: Vec<Step>,
    /// All of it.
    pub place: SourcePlace,
}

/// A step of a traversal.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Its kind.
    pub kind: StepKind,
    /// The place of its dot or bracket and its contents.
    pub place: SourcePlace,
}

/// The kind of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum StepKind {
    /// `.name`
    Attribute(Text),
    /// `[key]` with a constant
    Index(Value),
}

/// A `terraform` block.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// `required_version`.
    pub required_version: Option<Constant<Text>>,
    /// `experiments`, as it is written.
    pub experiments: Option<Written>,
    /// `required_providers`.
    pub required_providers: Vec<RequiredProvider>,
    /// `backend`, `cloud`, `provider_meta` blocks, as they are written.
    pub others: Vec<Block>,
}

/// A requirement of a provider.
#[derive(Clone, Debug)]
pub struct RequiredProvider {
    /// Its local name.
    pub name: Name,
    /// Its source address, as it is written.
    pub source: Option<Constant<Text>>,
    /// Its version constraint, as it is written.
    pub version: Option<Constant<Text>>,
    /// `configuration_aliases`.
    pub aliases: Vec<ProviderRef>,
}

/// A reference to a provider configuration of the module: `name` or `name.alias`.
#[derive(Clone, Debug)]
pub struct ProviderRef {
    /// The local name.
    pub name: Text,
    /// The alias.
    pub alias: Option<Text>,
    /// All of it.
    pub place: SourcePlace,
}

impl ProviderRef {
    /// The reference as it is written.
    pub fn text(&self) -> String {
        match &self.alias {
            Some(alias) => format!("{}.{}", self.name.as_str(), alias.as_str()),
            None => self.name.as_str().to_owned(),
        }
    }
}

/// A `provider` block.
#[derive(Clone, Debug)]
pub struct Provider {
    /// The local name.
    pub name: Name,
    /// `alias`.
    pub alias: Option<Constant<Text>>,
    /// `version`, as it is written.
    pub version: Option<Constant<Text>>,
    /// The provider's own arguments.
    pub config: Body,
    /// Its type and labels.
    pub header: SourcePlace,
}

/// A `variable` block.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: Name,
    /// `type`; any type if it is not given.
    pub ty: TypeConstraint,
    /// What is written for `type`.
    pub written_type: Option<Written>,
    /// `default`, converted; `None` if it is not given.
    pub default: Option<Constant<Value>>,
    /// What is written for `default`.
    pub written_default: Option<Written>,
    /// `description`.
    pub description: Option<Constant<Text>>,
    /// `sensitive`.
    pub sensitive: Option<Constant<bool>>,
    /// `ephemeral`.
    pub ephemeral: Option<Constant<bool>>,
    /// `nullable`.
    pub nullable: Option<Constant<bool>>,
    /// `validation` blocks.
    pub validations: Vec<Rule>,
    /// Its type and labels.
    pub header: SourcePlace,
}

/// A member of a `locals` block.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its name.
    pub name: Name,
    /// Its value.
    pub value: Expr,
}

/// An `output` block.
#[derive(Clone, Debug)]
pub struct Output {
    /// Its name.
    pub name: Name,
    /// `value`; `None` if it is missing, which is an error.
    pub value: Option<Expr>,
    /// `description`.
    pub description: Option<Constant<Text>>,
    /// `sensitive`.
    pub sensitive: Option<Constant<bool>>,
    /// `ephemeral`.
    pub ephemeral: Option<Constant<bool>>,
    /// `depends_on`.
    pub depends_on: Vec<Traversal>,
    /// `precondition` blocks.
    pub preconditions: Vec<Rule>,
    /// Its type and labels.
    pub header: SourcePlace,
}

/// A condition and its message: `validation`, `precondition`, `postcondition`, `assert`.
#[derive(Clone, Debug)]
pub struct Rule {
    /// `condition`.
    pub condition: Option<Expr>,
    /// `error_message`.
    pub error_message: Option<Expr>,
    /// The block's type.
    pub place: SourcePlace,
}

/// A `module` block.
#[derive(Clone, Debug)]
pub struct ModuleCall {
    /// Its name.
    pub name: Name,
    /// `source`.
    pub source: Option<Constant<Text>>,
    /// `version`.
    pub version: Option<Constant<Text>>,
    /// `count` or `for_each`.
    pub repetition: Repetition,
    /// `providers`: the name in the child and what it is here.
    pub providers: Vec<(ProviderRef, ProviderRef)>,
    /// `depends_on`.
    pub depends_on: Vec<Traversal>,
    /// The values of the child's variables.
    pub inputs: Vec<(Name, Expr)>,
    /// The place of diagnostics about missing arguments.
    pub missing: SourcePlace,
    /// Blocks, which are not allowed here.
    pub stray_blocks: Vec<Name>,
    /// Its type and labels.
    pub header: SourcePlace,
}

/// The repetition of a block.
#[derive(Clone, Debug, Default)]
pub struct Repetition {
    /// `count`.
    pub count: Option<Expr>,
    /// `for_each`.
    pub for_each: Option<Expr>,
}

/// A `resource`, `data` or `ephemeral` block.
#[derive(Clone, Debug)]
pub struct Resource {
    /// Which kind of block.
    pub mode: ResourceMode,
    /// Its type.
    pub type_name: Name,
    /// Its name.
    pub name: Name,
    /// `count` or `for_each`.
    pub repetition: Repetition,
    /// `provider`.
    pub provider: Option<ProviderRef>,
    /// `depends_on`.
    pub depends_on: Vec<Traversal>,
    /// `lifecycle`.
    pub lifecycle: Lifecycle,
    /// `connection`.
    pub connection: Option<Body>,
    /// `provisioner` blocks.
    pub provisioners: Vec<Provisioner>,
    /// The resource's own arguments.
    pub config: Body,
    /// Its type and labels.
    pub header: SourcePlace,
}

/// A `lifecycle` block.
#[derive(Clone, Debug, Default)]
pub struct Lifecycle {
    /// `create_before_destroy`.
    pub create_before_destroy: Option<Constant<bool>>,
    /// `prevent_destroy`.
    pub prevent_destroy: Option<Constant<bool>>,
    /// `ignore_changes`.
    pub ignore_changes: IgnoreChanges,
    /// `replace_triggered_by`.
    pub replace_triggered_by: Vec<Expr>,
    /// `precondition` blocks.
    pub preconditions: Vec<Rule>,
    /// `postcondition` blocks.
    pub postconditions: Vec<Rule>,
    /// The place of the block, if there is one.
    pub place: Option<SourcePlace>,
}

/// `ignore_changes`.
#[derive(Clone, Debug, Default)]
pub enum IgnoreChanges {
    /// Not given.
    #[default]
    None,
    /// `all`.
    All,
    /// Attributes of the resource; the root is the attribute's name.
    These(Vec<Traversal>),
}

/// A `provisioner` block.
#[derive(Clone, Debug)]
pub struct Provisioner {
    /// Its type.
    pub kind: Name,
    /// `when`: whether it runs when the instance is destroyed.
    pub at_destroy: bool,
    /// `on_failure`: whether a failure is ignored.
    pub goes_on: bool,
    /// Its own connection.
    pub connection: Option<Body>,
    /// Its own arguments.
    pub config: Body,
    /// Its type and labels.
    pub header: SourcePlace,
}

/// A `moved` block.
#[derive(Clone, Debug)]
pub struct Moved {
    /// `from`.
    pub from: Traversal,
    /// `to`.
    pub to: Traversal,
    /// Its type.
    pub header: SourcePlace,
}

/// A `removed` block.
#[derive(Clone, Debug)]
pub struct Removed {
    /// `from`.
    pub from: Traversal,
    /// `lifecycle { destroy }`.
    pub destroy: Option<Constant<bool>>,
    /// `connection`.
    pub connection: Option<Body>,
    /// `provisioner` blocks.
    pub provisioners: Vec<Provisioner>,
    /// Its type.
    pub header: SourcePlace,
}

/// An `import` block.
#[derive(Clone, Debug)]
pub struct Import {
    /// `to`: an index may be an expression.
    pub to: Expr,
    /// The target of `to`.
    pub target: ImportTarget,
    /// `id`.
    pub id: Option<Expr>,
    /// `for_each`.
    pub for_each: Option<Expr>,
    /// `provider`.
    pub provider: Option<ProviderRef>,
    /// Its type.
    pub header: SourcePlace,
}

impl Import {
    /// How often the id refers to the resource that is imported (G48).
    pub fn own_references(&self) -> usize {
        let of = &self.target.resource;
        let names = [of.resource.type_name.as_str(), of.resource.name.as_str()];
        let references = self.id.iter().flat_map(|id| &id.references);
        let is_its = |reference: &&Traversal| {
            reference.begins_with(&names) || reference.begins_with(&["resource", names[0], names[1]])
        };
        references.filter(is_its).count()
    }

    /// Whether the id refers to the imported resource.
    pub fn names_itself(&self) -> bool {
        self.own_references() > 0
    }
}

/// The target of an `import` block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportTarget {
    /// The address of the resource in the configuration.
    pub resource: ConfigResource,
    /// The form of its instance key.
    pub key: TargetKey,
    /// Whether any key is an expression, and the fault of such a key if there is one: only `each` is in scope, and functions are not
    /// allowed.
    pub expressions: Option<KeyExpressions>,
}

/// Keys of an address that are expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyExpressions {
    /// They can be evaluated.
    Sound,
    /// The summary of the fault to report on evaluation.
    Flawed(&'static str),
}

/// The form of an instance key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetKey {
    /// There is none.
    None,
    /// A number.
    Number,
    /// A text.
    Text,
    /// An expression.
    Expression,
}

/// A `check` block.
#[derive(Clone, Debug)]
pub struct Check {
    /// Its name.
    pub name: Name,
    /// Its data resource.
    pub data: Option<Resource>,
    /// `assert` blocks.
    pub asserts: Vec<Rule>,
    /// Its type and labels.
    pub header: SourcePlace,
}

impl Repetition {
    /// Whether there is neither `count` nor `for_each`.
    pub fn is_single(&self) -> bool {
        self.count.is_none() && self.for_each.is_none()
    }
}

impl Traversal {
    /// Whether it begins with these names.
    pub fn begins_with(&self, names: &[&str]) -> bool {
        let Some((root, rest)) = names.split_first() else { return true };
        let is_step = |(step, name): (&Step, &&str)| matches!(&step.kind, StepKind::Attribute(attribute) if &**attribute == *name);
        &*self.root == *root && self.steps.len() >= rest.len() && self.steps.iter().zip(rest).all(is_step)
    }

    /// An invalid instance index: a number that is not whole, or needs more than 64 bits. Such a reference is invalid (E66) and leads
    /// nowhere.
    pub fn unreadable_index(&self) -> Option<&Step> {
        let at = match &*self.root {
            "var" | "local" | "path" | "terraform" | "count" | "each" | "self" => return None,
            "data" | "ephemeral" | "resource" => 2,
            _ => 1,
        };
        let is_unreadable = |step: &&Step| match &step.kind {
            StepKind::Index(key) => key.view().as_number().is_some_and(|number| number.to_i64().is_none()),
            StepKind::Attribute(_) => false,
        };
        self.steps.get(at).filter(is_unreadable)
    }
}
