//! An engine refuses a whole provider for one schema: what it refuses has to be known before.

use planfuzz_core::dialect::Dialect;
use planfuzz_engine::{LeftOut, Served, ServedTypes, servable};

use super::echo::Quirk;
use super::run::{Run, terraform};
use super::{SIX, schema, served};

const WRITE_ONLY: &str = r#""x":{"type":"string","optional":true,"write_only":true}"#;
const DYNAMIC: &str = r#""x":{"type":["list","dynamic"],"optional":true}"#;

fn attribute(text: &str) -> String {
    format!(r#"{{"block":{{"attributes":{{"a":{text}}}}}}}"#)
}

fn named(name: &str) -> String {
    attribute(r#"{"type":"bool","optional":true}"#).replace("\"a\"", &format!("\"{name}\""))
}

fn nested(mode: &str, inner: &str) -> String {
    attribute(&format!(r#"{{"optional":true,"nested_type":{{"nesting_mode":"{mode}","attributes":{{{inner}}}}}}}"#))
}

fn block(name: &str, mode: &str, limits: &str, inner: &str) -> String {
    let inner = format!(r#"{{"nesting_mode":"{mode}"{limits},"block":{{{inner}}}}}"#);
    format!(r#"{{"block":{{"block_types":{{"{name}":{inner}}}}}}}"#)
}

/// Schemas at the edges of the rules.
fn edges() -> Vec<String> {
    let flags = [
        r#"{"type":"bool"}"#,
        r#"{"type":"bool","required":true,"computed":true}"#,
        r#"{"type":"bool","required":true,"optional":true}"#,
        r#"{"type":"bool","computed":true,"write_only":true}"#,
        r#"{"type":"bool","required":true,"write_only":true,"sensitive":true,"deprecated":true}"#,
        r#"{"type":["set","dynamic"],"optional":true}"#,
        r#"{"type":["tuple",[]],"optional":true}"#,
    ];
    let mut schemas = flags.map(attribute).to_vec();
    schemas.extend(["", "A b", "é", "count", "provisioner", "1", "a.b", "-"].map(named));
    schemas.extend(["A", "dynamic", "count", "é", "b-c", "_", "1"].map(|name| block(name, "list", "", "")));
    for mode in ["single", "list", "set", "map", "group"] {
        schemas.extend(["", WRITE_ONLY, DYNAMIC].map(|inner| nested(mode, inner)));
        let attributes = |inner: &str| format!(r#""attributes":{{{inner}}}"#);
        let deep = format!(r#""block_types":{{"c":{{"nesting_mode":"list","block":{{{}}}}}}}"#, attributes(DYNAMIC));
        let inners = [attributes(""), attributes(WRITE_ONLY), attributes(DYNAMIC), deep];
        schemas.extend(inners.map(|inner| block("b", mode, "", &inner)));
        let limits = [(1, 1), (0, 1), (1, 0), (2, 1), (2, 2), (0, -1)];
        let limits = limits.map(|(min, max)| format!(r#","min_items":{min},"max_items":{max}"#));
        schemas.extend(limits.map(|limits| block("b", mode, &limits, "")));
    }
    schemas
}

/// A plain type that is planned, and others beside it.
fn is_taken(binary: &std::path::Path, schemas: &[&str]) -> bool {
    let odd = schemas.iter().zip(1..).map(|(text, index)| {
        let plain = served(SIX, index, Quirk::None);
        Served { schema: schema(text), ..plain }
    });
    let served = std::iter::once(served(SIX, 0, Quirk::None)).chain(odd).collect();
    let served_types = ServedTypes { dialect: Dialect::default(), served };
    Run::of(binary, served_types, r#"{"six_0":{"r":{}}}"#, &[], &["plan"]).0.ok
}

#[test]
fn servable_schemas_are_those_that_the_engine_takes() {
    let Some(binary) = terraform() else { return };
    let schemas = edges();
    let mut fine = Vec::new();
    let mut refused = 0;
    for text in &schemas {
        match servable(&schema(text), SIX.protocol, Dialect::default()) {
            Ok(()) => fine.push(text.as_str()),
            // Of a nested attribute of mode group there is no message that could be refused.
            Err(LeftOut::Unservable("S13")) => {}
            Err(_) => {
                assert!(!is_taken(&binary, &[text]), "{text}");
                refused += 1;
            }
        }
    }
    assert!(fine.len() > 30 && refused > 20, "{} and {refused}", fine.len());
    assert!(is_taken(&binary, &fine));
}
