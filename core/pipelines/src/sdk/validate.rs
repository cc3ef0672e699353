//! Validation (Z170), without the checks of models.

use super::Pipeline;
use super::flat::joined;
use super::schema::{Elem, Field, Kind, Resource};
use super::tree::Tree;
use planfuzz_core::value::Value;

/// A problem of a configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SdkProblem {
    /// A required field is not set.
    #[error("{path}: expected a value of a required field (Z170)")]
    Missing {
        /// The flat path.
        path: String,
    },
    /// A field is set that only the provider may set.
    #[error("{path}: expected no value of a computed field (Z170)")]
    NotConfigurable {
        /// The flat path.
        path: String,
    },
    /// A list or set has too few or too many elements.
    #[error("{path}: expected at least {min} and, unless that is 0, at most {max} elements, found {found} (Z170)")]
    Length {
        /// The flat path.
        path: String,
        /// The least number.
        min: u64,
        /// The greatest number, 0 for none.
        max: u64,
        /// The number of elements.
        found: usize,
    },
}

impl Pipeline {
    /// The problems of a configuration (Z170), in the order of the fields. Unknown values are no problems.
    pub fn validate(&self, config: &Value) -> Vec<SdkProblem> {
        let mut problems = Vec::new();
        if !config.is_null() && !config.is_unknown() {
            let tree = Tree::of_object(config.view(), &self.core_schema().block);
            fields(self.schema().resource(), "", &tree, &mut problems);
        }
        problems
    }
}

fn fields(resource: &Resource, path: &str, tree: &Tree, problems: &mut Vec<SdkProblem>) {
    for (name, field) in resource.fields().iter() {
        check(field, &joined(path, name), tree.get(name), problems);
    }
}

fn check(field: &Field, path: &str, tree: Option<&Tree>, problems: &mut Vec<SdkProblem>) {
    let path_text = || path.to_owned();
    let Some(tree) = tree else {
        if field.required {
            problems.push(SdkProblem::Missing { path: path_text() });
        }
        return;
    };
    if !field.is_configurable() {
        problems.push(SdkProblem::NotConfigurable { path: path_text() });
        return;
    }
    let Tree::List(elements) = tree else { return };
    let found = elements.len();
    let (min, max) = (field.min_items, field.max_items);
    let is_short = (found as u64) < min;
    let is_long = max != 0 && found as u64 > max;
    if !tree.has_unknown() && (is_short || is_long) {
        problems.push(SdkProblem::Length { path: path_text(), min, max, found });
    }
    if let Kind::List(Elem::Resource(resource)) | Kind::Set(Elem::Resource(resource)) = &field.kind {
        for (index, element) in elements.iter().enumerate().filter(|(_, element)| matches!(element, Tree::Map(_))) {
            fields(resource, &joined(path, &index.to_string()), element, problems);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::sdk::testing::resource;

    #[test]
    fn z170_a_configuration_is_checked_against_the_schema() {
        let resource = resource(
            r#"{"r": {"type": "string", "required": true}, "c": {"type": "int", "computed": true},
                "l": {"type": "list", "elem": {"type": "string"}, "optional": true, "min_items": 2, "max_items": 2},
                "b": {"type": "set", "optional": true, "elem": {"resource": {"x": {"type": "bool", "required": true}}}}}"#,
        );
        let unknown = r#"{"$unknown":true}"#;
        for (config, want) in [
            (r#"{"b":[],"c":null,"id":null,"l":null,"r":"x"}"#.to_owned(), vec![]),
            (r#"{"b":[],"c":1,"id":null,"l":["a"],"r":null}"#.to_owned(), vec!["c", "l", "r"]),
            (
                r#"{"b":[{"x":null},{"x":true}],"c":null,"id":null,"l":["a","b","c"],"r":"x"}"#.to_owned(),
                vec!["b.1.x", "l"],
            ),
            (format!(r#"{{"b":[{{"x":{unknown}}}],"c":null,"id":null,"l":[{unknown}],"r":{unknown}}}"#), vec![]),
        ] {
            let problems = resource.pipeline.validate(&resource.value(&config));
            let paths: Vec<String> = problems.iter().map(ToString::to_string).collect();
            let paths: Vec<&str> = paths.iter().filter_map(|text| text.split(':').next()).collect();
            assert_eq!(paths, want, "{config}");
        }
    }
}
