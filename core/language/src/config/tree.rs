//! The tree: what a module declares, and how modules call one another.

use std::collections::BTreeMap;

use planfuzz_core::address::{ConfigResource, ResourceMode};
use planfuzz_core::value::{Text, Value};

use super::body::{Block, Body, Name, Written};
use super::type_constraint::TypeConstraint;
use crate::place::SourcePlace;

/// A module with what it calls (section 1).
#[derive(Clone, Debug, Default)]
pub struct Configuration {
    /// What the module declares.
    pub module: Module,
    /// The modules that it calls, by the names of the calls.
    pub children: BTreeMap<Text, Configuration>,
}

/// What the files of one directory declare. Everything is in the order of the files and of their text.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// The directory, from the root module; empty for that.
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

/// An expression: what is written, and what it refers to.
#[derive(Clone, Debug)]
pub struct Expr {
    /// As it is written.
    pub written: Written,
    /// What it refers to, in the order of the text.
    pub references: Vec<Traversal>,
}

/// A constant: what is written and its value.
#[derive(Clone, Debug)]
pub struct Constant<T> {
    /// Where.
    pub place: SourcePlace,
    /// Its value.
    pub value: T,
}

/// A reference that is never evaluated: `depends_on` and its like (E11).
#[derive(Clone, Debug, PartialEq)]
pub struct Traversal {
    /// The first name.
    pub root: Text,
    /// What follows.
    pub steps: Vec<Step>,
    /// All of it.
    pub place: SourcePlace,
}

/// A step of a traversal.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What it is.
    pub kind: StepKind,
    /// Its dot or bracket and what it says.
    pub place: SourcePlace,
}

/// What a step says.
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
    /// `type`; any type where it says nothing.
    pub ty: TypeConstraint,
    /// What is written for `type`.
    pub written_type: Option<Written>,
    /// `default`, converted; nothing where it is not given.
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
    /// `value`; nothing where it is missing, which is an error.
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
    /// Where a missing argument is told.
    pub missing: SourcePlace,
    /// Blocks, which do not belong here.
    pub stray_blocks: Vec<Name>,
    /// Its type and labels.
    pub header: SourcePlace,
}

/// How many instances there are.
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
    /// Where the block is, if there is one.
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
    /// `on_failure`: whether a failure is passed over.
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
    /// What it names.
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

    /// Whether it does.
    pub fn names_itself(&self) -> bool {
        self.own_references() > 0
    }
}

/// What the `to` of an `import` block names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportTarget {
    /// The resource, in the configuration.
    pub resource: ConfigResource,
    /// How the key of its instance is written.
    pub key: TargetKey,
    /// Whether any key of it is an expression, and what is wrong with one that is: it sees `each` alone, and calls no function.
    pub expressions: Option<KeyExpressions>,
}

/// Keys of an address that are expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyExpressions {
    /// They can be evaluated.
    Sound,
    /// What is told of them where they are evaluated.
    Flawed(&'static str),
}

/// How the key of an instance is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetKey {
    /// There is none.
    None,
    /// A number.
    Number,
    /// A text.
    Text,
    /// Something to be evaluated.
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
    /// Whether there is neither.
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

    /// The index of an instance that no instance can have: a number that is not whole, or needs more than 64 bits. What has one is no
    /// reference (E66), and leads nowhere.
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
