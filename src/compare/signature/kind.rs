//! The kind of a finding, without details that differ from case to case.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use super::SignatureError;
use crate::compare::difference::Class;

/// The kind of a finding: the kind of verdict, with its class, rule or site.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A subject panicked or died: `crash:merge.rs:7`.
    Crash(Site),
    /// Two subjects answer differently: `diverge:null_known`.
    Diverge(Class),
    /// A subject did not answer in time: `over_budget`.
    OverBudget,
    /// An answer breaks a rule, an invariant or a property: `rule_broken:M10`.
    RuleBroken(RuleId),
}

/// The site of a crash: the place of a panic, the functions of an engine, or how a program ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site(String);

/// The id of a rule, an invariant, a property or a law. A file may name one that this build no longer has.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleId(Cow<'static, str>);

/// Separates a site from the subjects: a crash has no place in the schema.
pub(super) const AFTER_SITE: &str = " root ";

impl Site {
    /// The site of a text. A `root` that stands alone in the text is joined to the next word, because it would end the site in a signature.
    pub fn new(text: &str) -> Site {
        let mut text = text.to_owned();
        while text.contains(AFTER_SITE) {
            text = text.replace(AFTER_SITE, " root_");
        }
        // At the end of the text it would form the separator with the text that follows.
        let text = text.strip_suffix(" root").map(|rest| format!("{rest}_root")).unwrap_or(text);
        Site(text)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl RuleId {
    /// The id of a rule of a catalogue, which is a word.
    pub const fn new(id: &'static str) -> RuleId {
        RuleId(Cow::Borrowed(id))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Kind {
    /// The name of the kind of verdict, as used in counts.
    pub fn name(&self) -> &'static str {
        match self {
            Kind::Crash(_) => "crash",
            Kind::Diverge(_) => "diverge",
            Kind::OverBudget => "over_budget",
            Kind::RuleBroken(_) => "rule_broken",
        }
    }

    /// The broken rule; `None` for other kinds.
    pub fn rule(&self) -> Option<&str> {
        match self {
            Kind::RuleBroken(rule) => Some(rule.as_str()),
            Kind::Crash(_) | Kind::Diverge(_) | Kind::OverBudget => None,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name();
        match self {
            Kind::Crash(site) => write!(f, "{name}:{}", site.0),
            Kind::Diverge(class) => write!(f, "{name}:{}", class.name()),
            Kind::OverBudget => f.write_str(name),
            Kind::RuleBroken(rule) => write!(f, "{name}:{}", rule.0),
        }
    }
}

impl FromStr for Kind {
    type Err = SignatureError;

    fn from_str(text: &str) -> Result<Kind, SignatureError> {
        let unknown = || SignatureError::Kind(text.to_owned());
        let kind = match text.split_once(':') {
            Some(("crash", site)) => Kind::Crash(Site::new(site)),
            Some(("diverge", class)) => Kind::Diverge(Class::named(class).ok_or_else(unknown)?),
            Some(("rule_broken", rule)) if is_word(rule) => Kind::RuleBroken(RuleId(rule.to_owned().into())),
            None if text == "over_budget" => Kind::OverBudget,
            _ => return Err(unknown()),
        };
        // A text that this build would write differently is not a signature.
        if kind.to_string() == text { Ok(kind) } else { Err(unknown()) }
    }
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && !text.contains(char::is_whitespace)
}
