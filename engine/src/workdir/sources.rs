//! Sources of values that a literal cannot give: variables of the run, and a helper for refined unknowns.

use planfuzz_core::address::ResourceKind;
use planfuzz_core::msgpack;
use planfuzz_core::value::{Node, Text, Value, ValueRef, raw_equals};

use super::expression::Expression;
use super::names::Names;
use super::typed;
use crate::helper::Helper;
use crate::job::LeftOut;

/// The sources that the expressions of one configuration refer to.
#[derive(Debug)]
pub struct Sources {
    /// The helper that provides unknowns: the names of its walk, and its number; `None` if there can be none.
    helper: Option<(Names, usize)>,
    unknowns: Vec<(Text, Value)>,
    applying: bool,
}

impl Sources {
    /// Sources for a plan; `helper` is the number of the helper that they may need.
    pub fn planning(names: Names, helper: usize) -> Sources {
        Sources { helper: Some((names, helper)), unknowns: Vec::new(), applying: false }
    }

    /// Sources for an apply, in which everything is known.
    pub fn applying(names: Names, helper: usize) -> Sources {
        Sources { applying: true, ..Sources::planning(names, helper) }
    }

    /// Sources without a helper.
    pub fn bare() -> Sources {
        Sources { helper: None, unknowns: Vec::new(), applying: false }
    }

    /// The variable that holds `"k"`.
    pub fn later(&self) -> &'static str {
        "var.later"
    }

    /// The variable that holds 0.
    pub fn first(&self) -> &'static str {
        "var.first"
    }

    /// The ephemeral variable, which is null.
    pub fn ephemeral(&self) -> &'static str {
        "var.ephemeral"
    }

    /// Fails in an apply: values that are unknown in a plan are known in its apply.
    pub fn may_be_unknown(&self) -> Result<(), LeftOut> {
        if self.applying { Err(LeftOut::Unwritable("nothing is unknown when applying")) } else { Ok(()) }
    }

    /// An expression that is unknown in a plan. The static validation does not know the type of a helper's value, so a helper does not fit
    /// a place that needs an `exact` type.
    pub fn unknown(&mut self, value: ValueRef<'_>, exact: bool) -> Result<Expression, LeftOut> {
        self.may_be_unknown()?;
        match value.node() {
            Node::Unknown(Some(record)) => match typed::refined(value.ty(), record) {
                Some(expression) => Ok(expression),
                None if exact => Err(LeftOut::Unwritable("a refined unknown in a place of any type")),
                None => self.helped(value),
            },
            _ => Ok(typed::unknown(value.ty())),
        }
    }

    fn helped(&mut self, value: ValueRef<'_>) -> Result<Expression, LeftOut> {
        let (names, helper) = self.helper.ok_or(LeftOut::Unwritable("a refined unknown in another resource"))?;
        if value.ty().has_dynamic() {
            return Err(LeftOut::Unwritable("a refined unknown of no exact type"));
        }
        // A message may not carry the whole refinement.
        let sent = msgpack::encode(value, value.ty()).ok().and_then(|bytes| msgpack::decode(&bytes, value.ty()).ok());
        if !sent.is_some_and(|sent| raw_equals(sent.view(), value)) {
            return Err(LeftOut::Unwritable("a refined unknown that no message carries"));
        }
        let name = format!("u{}", self.unknowns.len());
        let code = format!("{}.{name}", names.helper(ResourceKind::Managed, helper));
        self.unknowns.push((Text::new(&name), value.to_value()));
        Ok(Expression::Code(code))
    }

    /// The helper, if it is needed.
    pub fn into_helper(self) -> Option<Helper> {
        let (names, helper) = self.helper?;
        Helper::of_unknowns(names.helper_type(helper), self.unknowns)
    }
}
