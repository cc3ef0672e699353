//! The named values of a run as code: known parts as locals, unknown parts as attributes that a helper's provider plans.

use std::collections::BTreeMap;

use planfuzz_core::address::ResourceKind;
use planfuzz_core::value::{Step, Text, Type, Value, WrittenPath, WrittenStep};

use super::{NamedValue, Question};
use crate::helper::Helper;
use crate::job::LeftOut;
use crate::workdir::{Expression, Names, Place, Sources};

/// The locals of all questions as code, and the helper that provides their unknown parts; or the question that cannot be written, and why.
pub(super) fn written(
    questions: &[Question],
    heap: &[usize],
    names: Names,
) -> Result<(String, Option<Helper>), (usize, LeftOut)> {
    let mut known: BTreeMap<&Text, &NamedValue> = BTreeMap::new();
    let (mut code, mut unknowns) = (String::from("locals {\n"), Vec::new());
    for &number in heap {
        for named in &questions[number].scope {
            match known.insert(&named.name, named) {
                Some(other) if other != named => {
                    return Err((number, LeftOut::Unwritable("a name that means something else beside it")));
                }
                Some(_) => {}
                None => {
                    let value = local(named, names, &mut unknowns).map_err(|left_out| (number, left_out))?;
                    code.push_str(&format!("  {} = {value}\n", named.name.as_str()));
                }
            }
        }
    }
    code.push_str("}\n");
    Ok((code, Helper::of_unknowns(names.helper_type(0), unknowns)))
}

/// A named value as code.
fn local(named: &NamedValue, names: Names, unknowns: &mut Vec<(Text, Value)>) -> Result<String, LeftOut> {
    let marks: Vec<&[WrittenStep]> = named.sensitive.iter().map(WrittenPath::steps).collect();
    part(&named.value, &marks, names, unknowns)
}

fn part(
    value: &Value,
    marks: &[&[WrittenStep]],
    names: Names,
    unknowns: &mut Vec<(Text, Value)>,
) -> Result<String, LeftOut> {
    let code = if value.is_unknown() {
        let name = format!("u{}", unknowns.len());
        unknowns.push((Text::new(&name), value.clone()));
        format!("{}.{name}", names.helper(ResourceKind::Managed, 0))
    } else if value.is_wholly_known() && marks.iter().all(|rest| rest.is_empty()) {
        Place::plain(value.view()).expression(&mut Sources::bare())?.to_code()
    } else {
        let mut parts = Vec::new();
        for (index, (step, inner)) in value.view().children().enumerate() {
            let key = match &step {
                Step::Attribute(key) | Step::Key(key) => Some(key),
                _ => None,
            };
            let leads = |step: &WrittenStep| match (step, key) {
                (WrittenStep::Attribute(name) | WrittenStep::Key(name), Some(key)) => name == key,
                (WrittenStep::Index(place), None) => *place == index as u64,
                _ => false,
            };
            let below: Vec<&[WrittenStep]> = marks
                .iter()
                .filter_map(|rest| rest.split_first().filter(|(step, _)| leads(step)).map(|(_, rest)| rest))
                .collect();
            let inner = part(&inner.to_value(), &below, names, unknowns)?;
            parts.push(match key {
                Some(key) => format!("{} = {inner}", Expression::Text(key.clone()).to_code()),
                None => inner,
            });
        }
        let list = parts.join(", ");
        match value.ty() {
            Type::Tuple(_) => format!("[{list}]"),
            Type::Object(_) => format!("{{{list}}}"),
            Type::List(_) => format!("tolist([{list}])"),
            Type::Set(_) => format!("toset([{list}])"),
            Type::Map(_) => format!("tomap({{{list}}})"),
            _ => return Err(LeftOut::Unwritable("a mark within a value that has no parts")),
        }
    };
    let is_marked = marks.iter().any(|rest| rest.is_empty());
    Ok(if is_marked { format!("sensitive({code})") } else { code })
}
