//! A workspace as people think of it: modules with blocks that refer to each other by identity, so that an edit (a rename, another
//! repetition) changes every reference with it. A plain text replaces a reference to something that is gone.

use super::kit::Kind;

/// The identity of an element, independent of its name.
pub type Id = usize;

/// A workspace. The first module is the root.
#[derive(Clone, Debug, Default)]
pub struct Project {
    /// The modules.
    pub modules: Vec<Module>,
    /// The next identity, and the number of its name.
    pub next: Id,
}

/// A module.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// The directory.
    pub dir: String,
    /// Variables.
    pub variables: Vec<Variable>,
    /// Locals.
    pub locals: Vec<Named>,
    /// Resources of all kinds.
    pub blocks: Vec<Block>,
    /// Calls of modules.
    pub calls: Vec<ModuleCall>,
    /// Outputs.
    pub outputs: Vec<Output>,
    /// `moved` blocks: from, to.
    pub moved: Vec<(String, String)>,
    /// `removed` blocks: from, and whether it is destroyed.
    pub removed: Vec<(String, bool)>,
    /// `import` blocks.
    pub imports: Vec<Import>,
    /// `check` blocks.
    pub checks: Vec<Check>,
    /// Configurations of the provider `w` beside the default one: their names and labels.
    pub aliases: Vec<(Id, String, Expr)>,
    /// The label of the default configuration, where there is a block for it.
    pub default_label: Option<Expr>,
    /// Whether it requires the provider `w`.
    pub requires: bool,
    /// Configurations of it that callers have to pass, and their names: `configuration_aliases`.
    pub takes: Vec<(Id, String)>,
    /// Whether a block without arguments declares the default configuration that the module is passed, as was usual before it could be
    /// required.
    pub has_empty_block: bool,
}

/// An `import` block.
#[derive(Clone, Debug)]
pub struct Import {
    /// The address, in which a key may be an expression.
    pub to: String,
    /// The id.
    pub id: Expr,
    /// The keys of its `for_each`.
    pub for_each: Option<Vec<String>>,
    /// The alias of the provider that it names.
    pub provider: Option<Id>,
}

/// A `check` block.
#[derive(Clone, Debug)]
pub struct Check {
    /// Its name.
    pub name: String,
    /// The data resource within it.
    pub data: Option<Block>,
    /// What it asserts.
    pub condition: Condition,
}

/// Something with a name and a value.
#[derive(Clone, Debug)]
pub struct Named {
    /// Its identity.
    pub id: Id,
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Expr,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its identity.
    pub id: Id,
    /// Its name.
    pub name: String,
    /// Its default; `None` if the caller must set it.
    pub default: Option<Expr>,
    /// Whether it is sensitive.
    pub sensitive: bool,
    /// Whether it is ephemeral.
    pub ephemeral: bool,
    /// Whether it has a validation.
    pub validated: bool,
}

/// An output.
#[derive(Clone, Debug)]
pub struct Output {
    /// Its identity.
    pub id: Id,
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Expr,
    /// Whether it is sensitive.
    pub sensitive: bool,
    /// Whether it is ephemeral.
    pub ephemeral: bool,
    /// Its precondition.
    pub precondition: Option<Condition>,
}

/// A resource of any kind.
#[derive(Clone, Debug)]
pub struct Block {
    /// Its identity.
    pub id: Id,
    /// Its type.
    pub kind: Kind,
    /// Its name.
    pub name: String,
    /// How many instances it has.
    pub repeat: Repeat,
    /// Its arguments but `name`.
    pub args: Vec<(String, Expr)>,
    /// Its nested blocks.
    pub nested: Vec<Nested>,
    /// `depends_on`.
    pub depends_on: Vec<Id>,
    /// The alias of its provider.
    pub alias: Option<Id>,
    /// `lifecycle`.
    pub lifecycle: Lifecycle,
}

/// A nested block with one argument.
#[derive(Clone, Debug)]
pub struct Nested {
    /// Its type.
    pub type_name: &'static str,
    /// Its label: blocks that form a map have one.
    pub label: Option<Expr>,
    /// The name of its argument, and the value.
    pub argument: (&'static str, Expr),
    /// What a `dynamic` block repeats it by.
    pub for_each: Option<Expr>,
    /// The blocks within it.
    pub inside: Vec<Nested>,
}

impl Nested {
    /// Whether it is seen in the text that it stands more than once.
    pub(super) fn repeats(&self) -> bool {
        matches!(&self.for_each, Some(Expr::List(elements)) if elements.len() > 1)
    }
}

/// How many instances a block or call has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Repeat {
    /// Once, without key.
    #[default]
    One,
    /// By number; the local that gives the number, if there is one.
    Count(usize, Option<Id>),
    /// By key; as a map, or as a set.
    Each(Vec<String>, bool),
}

/// A `lifecycle` block.
#[derive(Clone, Debug, Default)]
pub struct Lifecycle {
    /// `create_before_destroy`.
    pub create_before_destroy: Option<bool>,
    /// `prevent_destroy`.
    pub prevent_destroy: bool,
    /// `ignore_changes`; `all` alone is all.
    pub ignore_changes: Vec<String>,
    /// `replace_triggered_by`: blocks, and the attribute if one is named.
    pub triggers: Vec<(Id, Option<String>)>,
    /// `precondition`.
    pub precondition: Option<Condition>,
    /// `postcondition`.
    pub postcondition: Option<Condition>,
}

/// A condition: that a value equals a text, or does not.
#[derive(Clone, Debug)]
pub struct Condition {
    /// The value; `self.out` if `None`.
    pub of: Option<Expr>,
    /// The text.
    pub text: String,
    /// Whether the value must equal the text; else it must not.
    pub equals: bool,
    /// The error message; `None` for a constant one.
    pub message: Option<Expr>,
}

/// A call of a module.
#[derive(Clone, Debug)]
pub struct ModuleCall {
    /// Its identity.
    pub id: Id,
    /// Its name.
    pub name: String,
    /// Which module.
    pub module: usize,
    /// How many instances it has.
    pub repeat: Repeat,
    /// The variables that it sets.
    pub args: Vec<(Id, Expr)>,
    /// `depends_on`.
    pub depends_on: Vec<Id>,
    /// The alias that it gets as its default provider.
    pub alias: Option<Id>,
    /// Other configurations that it gets: the name there, and the one here.
    pub passes: Vec<(String, String)>,
}

/// An expression.
#[derive(Clone, Debug)]
pub enum Expr {
    /// Null.
    Null,
    /// A text.
    Text(String),
    /// A number.
    Number(i64),
    /// A reference to a text.
    Ref(Target),
    /// A text as prefix of another one.
    Glue(String, Box<Expr>),
    /// A function call with one argument.
    Function(&'static str, Box<Expr>),
    /// Several.
    List(Vec<Expr>),
    /// Several with keys.
    Map(Vec<(String, Expr)>),
    /// Source text, right or wrong.
    Written(String),
    /// One if a text is not another one, else the other.
    Choice(Box<Expr>, String, Box<Expr>),
}

/// What a reference is to.
#[derive(Clone, Debug)]
pub enum Target {
    /// An attribute of a block.
    Block {
        /// The block.
        id: Id,
        /// The attribute.
        attribute: &'static str,
        /// The instance, if it has several.
        which: Which,
    },
    /// A variable.
    Variable(Id),
    /// A local.
    Local(Id),
    /// An output of a call.
    Output {
        /// The call.
        call: Id,
        /// The output.
        output: Id,
        /// The instance of the call.
        which: Which,
    },
    /// A block or a call as a whole: its first key, or a text where it has none.
    Whole(Id),
    /// The key of the instance, as a text.
    Key,
    /// The directory of the module.
    Path,
}

/// Which instances a reference is to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// One, by its place among the keys.
    One(usize),
    /// That with the key of the block that refers, where both have the same; else the first.
    Own,
    /// All.
    All,
}

impl Project {
    /// A new identity with its name.
    pub fn fresh(&mut self) -> (Id, String) {
        let id = self.next;
        self.next += 1;
        (id, super::names::name(id))
    }

    /// All blocks: of which module, and at which place.
    pub fn places(&self) -> Vec<(usize, usize)> {
        let of =
            |(module, it): (usize, &Module)| (0..it.blocks.len()).map(move |block| (module, block)).collect::<Vec<_>>();
        self.modules.iter().enumerate().flat_map(of).collect()
    }

    /// The way from the root to a module, by the first call of each; `None` if no call leads there.
    pub fn path_to(&self, module: usize) -> Option<String> {
        if module == 0 {
            return Some(String::new());
        }
        let (parent, call) = self.modules.iter().enumerate().find_map(|(parent, it)| {
            let call = it.calls.iter().find(|call| call.module == module)?;
            (parent < module).then_some((parent, call))
        })?;
        Some(format!("{}module.{}.", self.path_to(parent)?, call.name))
    }
}

impl Module {
    /// The block of an identity.
    pub fn block(&self, id: Id) -> Option<&Block> {
        self.blocks.iter().find(|block| block.id == id)
    }
}

impl Block {
    /// The address in its module.
    pub fn address(&self) -> String {
        format!("{}{}.{}", self.kind.prefix(), self.kind.type_name(), self.name)
    }
}

impl Block {
    /// The block as one of another type, without what that type does not have.
    pub(super) fn with_kind(&self, kind: Kind) -> Block {
        let mut new = Block { kind, ..self.clone() };
        new.alias = new.alias.filter(|_| kind.provider() == "w");
        if !self.kind.is_invented() || !kind.is_invented() {
            new.lifecycle = Lifecycle::default();
            new.args.retain(|(name, _)| self.kind == Kind::Null && kind == Kind::Builtin && name == "triggers");
            new.args.iter_mut().for_each(|(name, _)| "triggers_replace".clone_into(name));
        }
        new
    }
}

impl Repeat {
    /// Without a key, as it is written in an address. By number, the last one goes.
    pub(super) fn take_out(&mut self, key: &str) {
        match self {
            Repeat::One => {}
            Repeat::Count(count, local) => (*count, *local) = (count.saturating_sub(1), None),
            Repeat::Each(keys, _) => keys.retain(|own| format!("[\"{own}\"]") != key),
        }
    }

    /// The keys as they are written in an address.
    pub fn keys(&self) -> Vec<String> {
        match self {
            Repeat::One => vec![String::new()],
            Repeat::Count(count, _) => (0..*count).map(|index| format!("[{index}]")).collect(),
            Repeat::Each(keys, _) => keys.iter().map(|key| format!("[\"{key}\"]")).collect(),
        }
    }
}
