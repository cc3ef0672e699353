//! Which provider configuration a resource has, through the modules (E170 to E172).

use planfuzz_core::value::Text;

use super::schemas::local_name;
use crate::config::{Configuration, Resource};

/// A provider configuration: the path of the module that has it, its local name there, its alias.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Held {
    pub path: Vec<Text>,
    pub name: Text,
    pub alias: Option<Text>,
}

/// The configuration of a resource; `parents` are the modules from the root to the one that has it.
pub(super) fn of_resource(resource: &Resource, path: &[Text], parents: &[&Configuration]) -> Held {
    let alias = resource.provider.as_ref().and_then(|provider| provider.alias.clone());
    let mut held = Held { path: path.to_vec(), name: Text::new(&local_name(resource)), alias };
    while let Some((inner, outer)) = held.path.len().checked_sub(1).map(|depth| (parents[depth + 1], parents[depth])) {
        let has_block = inner.module.providers.iter().any(|block| {
            block.name.text == held.name && block.alias.as_ref().map(|alias| &alias.value) == held.alias.as_ref()
        });
        if has_block {
            break;
        }
        let call = held.path.pop().unwrap_or_default();
        let call = outer.module.calls.iter().find(|found| found.name.text == call);
        let given = call.and_then(|call| {
            call.providers.iter().find(|(inner, _)| inner.name == held.name && inner.alias == held.alias)
        });
        if let Some((_, here)) = given {
            (held.name, held.alias) = (here.name.clone(), here.alias.clone());
        }
    }
    held
}
