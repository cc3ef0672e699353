//! Unknown parts of a configuration, as engines send them.
//!
//! Engines often know what an unknown value cannot be: it is not null, a text has a known prefix, a collection has a minimal length. A
//! provider that reads such a refinement wrongly fails on configurations that otherwise work, so unknown parts are sent with and without
//! one.

use planfuzz_core::value::{Path, RefinementError, Refiner, Type, Value, ValueError, ValueRef, safe_prefix};

/// Which parts are unknown.
#[derive(Clone, Debug)]
pub struct Hidden {
    /// Where they are.
    pub paths: Vec<Path>,
    /// Whether a refinement of each is sent.
    pub refined: bool,
}

impl Hidden {
    /// A configuration with these parts unknown; the configuration itself if the result is not a value.
    pub fn hide(&self, config: &Value) -> Value {
        let written: Vec<String> = self.paths.iter().map(Path::to_string).collect();
        let hidden = config.view().transform::<ValueError>(&mut |path, part| {
            Ok(match written.contains(&path.to_string()) {
                true if self.refined => refined(part.view()).unwrap_or_else(|_| Value::unknown(part.ty().clone())),
                true => Value::unknown(part.ty().clone()),
                false => part,
            })
        });
        hidden.unwrap_or_else(|_| config.clone())
    }
}

/// An unknown whose refinement admits the value.
fn refined(value: ValueRef<'_>) -> Result<Value, RefinementError> {
    let ty = value.ty();
    let mut refiner = Refiner::new(ty);
    if value.is_present() && !ty.is_dynamic() {
        refiner.not_null()?;
    }
    if let Some(text) = value.as_text() {
        let half: String = text.chars().take(text.chars().count() / 2).collect();
        let prefix = safe_prefix(&half);
        if !prefix.is_empty() {
            refiner.string_prefix(&prefix)?;
        }
    }
    // A map of one element is not known to have one before its keys are.
    if matches!(ty, Type::List(_) | Type::Set(_)) && value.is_present() && !value.is_empty() {
        refiner.length_min(1)?;
    }
    Ok(Value::from_parts(ty.clone(), refiner.finish()?))
}

#[cfg(test)]
mod tests {
    use planfuzz_core::json::Json;
    use planfuzz_core::value::{Tri, includes};

    use super::*;

    #[test]
    fn a_refined_part_includes_its_former_value() {
        let ty = r#"["object",{"name":"string","size":"number","tags":["list","string"],"none":"string"}]"#;
        let ty = Type::parse(ty).expect("a type");
        let json = Json::parse(r#"{"name":"abcdef","size":3,"tags":["a","b"],"none":null}"#).expect("JSON");
        let config = Value::from_json(&json, &ty).expect("a value");
        let paths = [".name", ".size", ".tags"].map(|path| Path::parse(path).expect("a path")).to_vec();
        let shown = |refined: bool| {
            let hidden = Hidden { paths: paths.clone(), refined }.hide(&config);
            for (name, member) in hidden.view().entries() {
                let was = config.view().member(name).expect("a member");
                assert_ne!(includes(member, was), Tri::False, "{name}");
            }
            hidden.to_json(&ty).to_compact()
        };
        assert_eq!(
            shown(false),
            r#"{"name":{"$unknown":true},"none":null,"size":{"$unknown":true},"tags":{"$unknown":true}}"#
        );
        let record = r#"{"$unknown":{"not_null":true,"string_prefix":"ab"}}"#;
        let (number, list) = (r#"{"$unknown":{"not_null":true}}"#, r#"{"$unknown":{"not_null":true,"length_min":1}}"#);
        assert_eq!(shown(true), format!(r#"{{"name":{record},"none":null,"size":{number},"tags":{list}}}"#));
    }
}
