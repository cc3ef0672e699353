//! Replacement paths (Z115).

use planfuzz_core::value::{Path, Step, Text, Type};

use super::flat::is_count;

/// Z115: a flat path as a path by type. It stops at a count and at the first set; trailing index and key steps are
/// removed, so that it ends in a name.
pub(super) fn replacement_path(flat: &str, ty: &Type) -> Path {
    let mut steps = steps(flat, ty);
    while steps.last().is_some_and(|step| !matches!(step, Step::Attribute(_))) {
        steps.pop();
    }
    steps.into_iter().fold(Path::root(), |path, step| path.step(step))
}

fn steps(flat: &str, ty: &Type) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut ty = ty;
    for part in flat.split('.').take_while(|part| !is_count(part)) {
        let next = match ty {
            Type::Object(object) => object.attribute_type(part).map(|ty| (Step::Attribute(Text::new(part)), ty)),
            Type::List(element) => part.parse().ok().map(|index| (Step::Index(index), &**element)),
            Type::Map(element) => Some((Step::Key(Text::new(part)), &**element)),
            _ => None,
        };
        let Some((step, inner)) = next else { break };
        steps.push(step);
        ty = inner;
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn z115_paths_end_in_a_name_and_stop_at_sets_and_counts() {
        let ty = Type::parse(
            r#"["object", {"b": ["list", ["object", {"a": "string", "m": ["map", "string"]}]], "l": ["list", "string"],
                "z": ["set", ["object", {"a": "string"}]]}]"#,
        );
        let ty = ty.expect("a type");
        for (flat, want) in [
            ("b.0.a", ".b[0].a"),
            ("b.#", ".b"),
            ("b.1.m.%", ".b[1].m"),
            ("b.1.m.k", ".b[1].m"),
            ("l.3", ".l"),
            ("z.123.a", ".z"),
        ] {
            assert_eq!(replacement_path(flat, &ty).to_string(), want, "{flat}");
        }
    }
}
