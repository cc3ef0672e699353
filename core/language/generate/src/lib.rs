//! Expressions of the configuration language, generated from choices.
//!
//! Problem: a fuzzer's bytes, the numbers of a seed and a hunt for planted mistakes all need meaningful expressions over values that they
//! know. Idea: one grammar, directed by the wanted kind ([`Want`]), asks its caller for every decision ([`Choices`]) and for every name
//! ([`Names`]). Guarantee: the expression is a function of those answers; choices that are all 0 end it at once.

#![forbid(unsafe_code)]

mod functions;
mod grammar;
mod patterns;
mod texts;

pub use functions::{FUNCTIONS, Signature};
pub use grammar::{expression, text};
pub use texts::{KEYS, NUMBERS, TEMPLATES, TEXTS};

/// The kind of value that an expression should give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// A bool.
    Bool,
    /// A number.
    Number,
    /// A small whole number.
    Small,
    /// A string.
    Text,
    /// A list of strings.
    Texts,
    /// A list of numbers.
    Numbers,
    /// A set.
    Set,
    /// A map.
    Map,
    /// A map of lists of strings.
    MapOfTexts,
    /// A tuple.
    Tuple,
    /// An object.
    Object,
    /// A list, set or tuple.
    Sequence,
    /// Anything.
    Any,
    /// A key or name that sometimes exists.
    Key,
    /// A string of a certain form.
    Form(Form),
}

impl Want {
    /// Whether a value of a type is of this kind, as far as the type shows.
    pub fn fits(self, ty: &planfuzz_core::value::Type) -> bool {
        use planfuzz_core::value::Type;
        match self {
            Want::Bool => *ty == Type::Bool,
            Want::Number | Want::Small => *ty == Type::Number,
            Want::Text | Want::Key | Want::Form(_) => *ty == Type::String,
            Want::Texts => matches!(ty, Type::List(element) if **element == Type::String),
            Want::Numbers => matches!(ty, Type::List(element) if **element == Type::Number),
            Want::Set => matches!(ty, Type::Set(_)),
            Want::Map | Want::MapOfTexts => matches!(ty, Type::Map(_)),
            Want::Tuple => matches!(ty, Type::Tuple(_)),
            Want::Object => matches!(ty, Type::Object(_)),
            Want::Sequence => matches!(ty, Type::List(_) | Type::Set(_) | Type::Tuple(_)),
            Want::Any => true,
        }
    }
}

/// The forms of strings that functions read.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Format,
    Verb,
    Pattern,
    Separator,
    Replaced,
    Substitute,
    Json,
    Yaml,
    Csv,
    Base64,
    Encoding,
    Prefix,
    Time,
    Duration,
    DateForm,
    Digits,
    Path,
    Absolute,
    File,
    Folder,
    Glob,
    Uuid,
    /// A template, always a reference to a named value: nothing else may be rendered (FN23).
    Template,
}

impl Form {
    /// Whether it names files; such a string makes sense only with a folder of files.
    pub const fn is_of_files(self) -> bool {
        matches!(self, Form::File | Form::Folder | Form::Glob)
    }

    /// A string of the form, or one that is slightly wrong; of files, a path below their folder.
    pub fn text(self, choices: &mut dyn Choices) -> String {
        match self {
            Form::Format => patterns::format(choices),
            Form::Verb => patterns::pick(choices, patterns::VERBS).to_owned(),
            Form::Pattern => patterns::pattern(choices),
            Form::DateForm => patterns::date(choices),
            form => patterns::pick(choices, texts::of(form)).to_owned(),
        }
    }
}

/// A source of choices.
pub trait Choices {
    /// A number below the limit, which is not 0.
    fn below(&mut self, limit: usize) -> usize;
}

/// The names that expressions may refer to, below the root of [`planfuzz_language::expression::notation::ROOT`].
pub trait Names {
    /// The name of a value, mostly of the wanted kind.
    fn name(&mut self, want: Want, choices: &mut dyn Choices) -> String;

    /// The name of the folder with the files that expressions may read; `None` if there is none.
    fn folder(&self) -> Option<&str> {
        None
    }
}
