//! Paths as messages.

use planfuzz_core::value::{WrittenPath, WrittenStep};

use super::Unsendable;
use super::messages::plugin::AttributePath;
use super::messages::plugin::attribute_path::{Step, step::Selector};

/// The path as it is sent.
///
/// # Errors
/// A step has no form in a message.
pub(crate) fn to_path(path: &WrittenPath) -> Result<AttributePath, Unsendable> {
    let steps = path.steps().iter().map(|step| selector(step).map(|selector| Step { selector: Some(selector) }));
    Ok(AttributePath { steps: steps.collect::<Result<_, _>>()? })
}

fn selector(step: &WrittenStep) -> Result<Selector, Unsendable> {
    match step {
        WrittenStep::Attribute(name) => Ok(Selector::AttributeName(name.to_string())),
        WrittenStep::Key(key) => Ok(Selector::ElementKeyString(key.to_string())),
        WrittenStep::Index(index) => match i64::try_from(*index) {
            Ok(index) => Ok(Selector::ElementKeyInt(index)),
            Err(_) => Err("a path with an index of more than 63 bits"),
        },
        WrittenStep::Element => Err("a path to an element of a set"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_has_its_selector() {
        let path = WrittenPath::parse(".a[3][\"k\"]").expect("a path");
        let steps: Vec<_> = to_path(&path).expect("sendable").steps.into_iter().map(|step| step.selector).collect();
        let want =
            [Selector::AttributeName("a".into()), Selector::ElementKeyInt(3), Selector::ElementKeyString("k".into())];
        assert_eq!(steps, want.map(Some));
    }

    #[test]
    fn paths_without_a_message_form_are_refused() {
        for text in [".s[<set element>]", "[9223372036854775808]"] {
            assert!(to_path(&WrittenPath::parse(text).expect("a path")).is_err(), "{text}");
        }
    }
}
