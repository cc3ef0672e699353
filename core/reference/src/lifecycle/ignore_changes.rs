//! `ignore_changes` (section 8).

use std::collections::BTreeMap;

use crate::at::At;
use planfuzz_core::planner::{IgnoreChanges, Refusal};
use planfuzz_core::plans::Marked;
use planfuzz_core::schema::Block;
use planfuzz_core::value::{Node, PathSet, Text, Type, Value, ValueError, ValueRef, WrittenPath, WrittenStep};

use super::follow::{follow, joined};
use super::validation::attribute_at;

/// L60 to L73: the configuration, with ignored parts taken from the prior. Without a schema, as for a legacy answer
/// (L42), `all` gives the whole prior.
pub(super) fn ignore_changes(
    ignore: &IgnoreChanges,
    prior: &Marked,
    config: &Marked,
    schema: Option<&Block>,
) -> Result<Marked, Refusal> {
    match (ignore, schema) {
        // L60
        _ if prior.is_null() => Ok(config.clone()),
        // L42: of a null answer too.
        (IgnoreChanges::All, None) => Ok(prior.clone()),
        _ if config.is_null() => Ok(config.clone()),
        (IgnoreChanges::All, Some(block)) => ignore_all(prior, block),
        (IgnoreChanges::Some(entries), _) => ignore_some(entries, prior, config),
    }
}

/// L61.
fn ignore_all(prior: &Marked, block: &Block) -> Result<Marked, Refusal> {
    let mut marks = Marks::of(prior);
    let config = prior.value().view().transform(&mut |path, value| {
        let path = WrittenPath::from(path);
        match attribute_at(block, &path) {
            Some(attribute) if attribute.computed && !attribute.optional => {
                marks.clear(&path);
                Ok::<_, ValueError>(Value::null(value.ty().clone()))
            }
            _ => Ok(value),
        }
    });
    Ok(Marked::new(config.map_err(|error| mixed(&error))?, &marks.0))
}

/// An entry that is active.
struct Entry {
    path: WrittenPath,
    /// The string key in the last step (L62).
    key: Option<Text>,
    /// The part of the prior at the path.
    prior: Marked,
}

impl Entry {
    /// L62 to L64.
    fn active(entry: &WrittenPath, prior: &Marked, config: &Marked) -> Option<Entry> {
        let (path, key) = match entry.steps().split_last() {
            Some((WrittenStep::Key(key), path)) => (path.iter().cloned().collect(), Some(key.clone())),
            _ => (entry.clone(), None),
        };
        let prior = follow(prior, &path)?;
        let differs = !follow(config, &path)?.raw_equals(&prior);
        differs.then_some(Entry { path, key, prior })
    }
}

/// L65: one pass over the configuration, children first.
fn ignore_some(entries: &[WrittenPath], prior: &Marked, config: &Marked) -> Result<Marked, Refusal> {
    let active: Vec<Entry> = entries.iter().filter_map(|entry| Entry::active(entry, prior, config)).collect();
    if active.is_empty() {
        return Ok(config.clone());
    }
    for (index, entry) in active.iter().enumerate().filter(|(_, entry)| entry.key.is_some()) {
        // L68
        let is_ended = active[..index].iter().any(|earlier| earlier.path == entry.path && earlier.key.is_none());
        let is_map = follow(config, &entry.path)
            .is_some_and(|found| matches!(found.value().ty(), Type::Map(_)) && !found.value().is_unknown());
        if !is_ended && is_map && !has_keys(entry.prior.value().view()) {
            return Err(At::ROOT.refusal("L69", "expected a value with keys where a key is ignored"));
        }
    }
    let mut marks = Marks::of(config);
    let value = config.value().view().transform(&mut |path, value| {
        let path = WrittenPath::from(path);
        let here: Vec<&Entry> = active.iter().filter(|entry| entry.path == path).collect();
        ignored(&here, &path, value, &mut marks)
    });
    Ok(Marked::new(value.map_err(|error| mixed(&error))?, &marks.0))
}

/// L66 to L71 for the value at one position.
fn ignored(here: &[&Entry], path: &WrittenPath, value: Value, marks: &mut Marks) -> Result<Value, ValueError> {
    let Some(first) = here.first() else { return Ok(value) };
    let Type::Map(element) = value.ty() else {
        // L66
        marks.replace(path, &first.prior);
        return Ok(first.prior.value().clone());
    };
    // L67
    if value.is_unknown() {
        return Ok(value);
    }
    // L68
    if let Some(whole) = here.iter().find(|entry| entry.key.is_none()) {
        marks.replace(path, &whole.prior);
        return Ok(whole.prior.value().clone());
    }
    // L69
    let mut elements: BTreeMap<Text, Value> =
        value.view().entries().map(|(key, element)| (key.clone(), element.to_value())).collect();
    for (entry, key) in here.iter().filter_map(|entry| Some((entry, entry.key.as_ref()?))) {
        let step: WrittenPath = [WrittenStep::Key(key.clone())].into_iter().collect();
        let at = joined(path, &step);
        marks.clear(&at);
        match under(entry.prior.value().view(), key) {
            Some(element) => {
                elements.insert(key.clone(), element.to_value());
                marks.put(path, entry.prior.sensitive().iter().filter(|mark| mark.steps().starts_with(step.steps())));
            }
            None => {
                elements.remove(key);
            }
        }
    }
    // L70
    match elements.is_empty() && value.is_null() {
        true => Ok(Value::null(value.ty().clone())),
        false => Value::map(element, elements.into_iter().collect()),
    }
}

/// L69: whether an engine can look up keys in a prior value.
fn has_keys(prior: ValueRef<'_>) -> bool {
    match prior.ty() {
        _ if prior.is_null() => true,
        Type::Map(_) | Type::Object(_) => true,
        Type::List(_) | Type::Tuple(_) => prior.is_empty(),
        Type::Set(element) => {
            prior.is_empty() || **element == Type::String && prior.children().all(|part| !part.1.is_null())
        }
        _ => false,
    }
}

/// L69: the element of a prior value under a key.
fn under<'v>(prior: ValueRef<'v>, key: &Text) -> Option<ValueRef<'v>> {
    match prior.ty() {
        Type::Set(_) => {
            prior.children().map(|(_, part)| part).find(|part| matches!(part.node(), Node::String(text) if text == key))
        }
        _ => prior.entry(key),
    }
}

/// The marks of a value that is being rewritten.
struct Marks(PathSet);

impl Marks {
    fn of(marked: &Marked) -> Marks {
        Marks(marked.sensitive().clone())
    }

    /// Removes the marks at a path and inside.
    fn clear(&mut self, path: &WrittenPath) {
        self.0 = self.0.iter().filter(|mark| !mark.steps().starts_with(path.steps())).cloned().collect();
    }

    /// Adds the marks of a value at a path.
    fn put<'m>(&mut self, path: &WrittenPath, marks: impl Iterator<Item = &'m WrittenPath>) {
        self.0 = self.0.iter().cloned().chain(marks.map(|mark| joined(path, mark))).collect();
    }

    /// Replaces the marks at a path by those of a value.
    fn replace(&mut self, path: &WrittenPath, with: &Marked) {
        self.clear(path);
        self.put(path, with.sensitive().iter());
    }
}

fn mixed(error: &ValueError) -> Refusal {
    At::ROOT.refusal("V08", error.to_string())
}

#[cfg(test)]
mod tests {
    use super::ignore_changes;
    use crate::lifecycle::fixture::path;
    use crate::lifecycle::fixture::schema;
    use planfuzz_core::json::Json;
    use planfuzz_core::planner::IgnoreChanges;
    use planfuzz_core::plans::Marked;
    use planfuzz_core::value::{PathSet, Text, Type, Value};

    fn value(json: &str) -> Value {
        let ty = Type::parse(
            r#"["object",{"tags":["map","string"],"o":["object",{"a":"string","b":"string"}],
            "l":["list","string"]}]"#,
        );
        let ty = ty.expect("a type");
        let json = Json::parse(json).expect("JSON");
        let members = ["tags", "o", "l"].map(|name| (name, json.member(name).cloned().unwrap_or(Json::Null)));
        Value::from_json(&Json::object(members), &ty).expect("a value")
    }

    fn ignored(entries: &[&str], prior: &str, config: &str) -> Marked {
        let entries = IgnoreChanges::Some(entries.iter().map(|entry| path(entry)).collect());
        let [prior, config] = [prior, config].map(|text| Marked::plain(value(text)));
        ignore_changes(&entries, &prior, &config, None).expect("no refusal")
    }

    #[track_caller]
    fn check(entries: &[&str], prior: &str, config: &str, want: &str) {
        assert_eq!(*ignored(entries, prior, config).value(), value(want), "{entries:?}");
    }

    const PRIOR: &str = r#"{"tags":{"a":"1","x":"9"},"o":{"a":"1","b":"1"},"l":["1","2"]}"#;
    const CONFIG: &str = r#"{"tags":{"a":"2","b":"3"},"o":{"a":"2","b":"2"},"l":["2"]}"#;

    #[test]
    fn l69_keys_of_values_other_than_maps() {
        let dynamic = |ty: &str, json: &str| {
            let value = Value::from_json(&Json::parse(json).expect("JSON"), &Type::parse(ty).expect("a type"));
            Marked::plain(Value::object(vec![(Text::new("d"), value.expect("a value"))]))
        };
        let config = || dynamic(r#"["map","string"]"#, r#"{"k":"new","o":"1"}"#);
        let entries = IgnoreChanges::Some(vec![path(".d[\"k\"]")]);
        for (ty, prior, want) in [
            (r#"["object",{"k":"string"}]"#, r#"{"k":"old"}"#, Some(Some("old"))),
            (r#"["set","string"]"#, r#"["k"]"#, Some(Some("k"))),
            (r#"["set","string"]"#, r#"["z"]"#, Some(None)),
            (r#"["set","number"]"#, "[]", Some(None)),
            (r#"["list","string"]"#, "null", Some(None)),
            (r#"["tuple",[]]"#, "[]", Some(None)),
            (r#""string""#, "null", Some(None)),
            (r#"["set","string"]"#, "[null]", None),
            (r#"["set","number"]"#, "[1]", None),
            (r#"["list","string"]"#, r#"["k"]"#, None),
            (r#"["tuple",["string"]]"#, r#"["k"]"#, None),
            (r#""string""#, r#""k""#, None),
            (r#""bool""#, "true", None),
        ] {
            let sent = ignore_changes(&entries, &dynamic(ty, prior), &config(), None).ok();
            let got = sent.map(|sent| {
                let map = sent.value().view().member("d").expect("a member");
                map.entry("k").map(|entry| entry.to_value())
            });
            assert_eq!(got, want.map(|want| want.map(Value::string)), "{ty} {prior}");
        }
    }

    #[test]
    fn section_8_the_examples_for_maps() {
        for (entries, want) in [
            (&[".tags[\"a\"]"][..], r#"{"a":"1","b":"3"}"#),
            (&[".tags[\"x\"]"], r#"{"a":"2","b":"3","x":"9"}"#),
            (&[".tags[\"b\"]"], r#"{"a":"2"}"#),
            (&[".tags"], r#"{"a":"1","x":"9"}"#),
            (&[".tags[\"a\"]", ".tags[\"b\"]", ".tags[\"none\"]"], r#"{"a":"1"}"#),
            (&[".tags[\"b\"]", ".tags"], r#"{"a":"1","x":"9"}"#),
        ] {
            let rest = r#""o":{"a":"2","b":"2"},"l":["2"]"#;
            check(entries, PRIOR, CONFIG, &format!(r#"{{"tags":{want},{rest}}}"#));
        }
    }

    #[test]
    fn l66_l71_l72_objects_and_lists() {
        let of = |o: &str, l: &str| format!(r#"{{"tags":{{"a":"2","b":"3"}},"o":{o},"l":{l}}}"#);
        let (o, l) = (r#"{"a":"2","b":"2"}"#, r#"["2"]"#);
        check(&[".o.a"], PRIOR, CONFIG, &of(r#"{"a":"1","b":"2"}"#, l));
        check(&[".o[\"a\"]"], PRIOR, CONFIG, &of(r#"{"a":"1","b":"1"}"#, l));
        check(&[".o", ".o.a"], PRIOR, CONFIG, &of(r#"{"a":"1","b":"1"}"#, l));
        check(&[".l[0]"], PRIOR, CONFIG, &of(o, r#"["1"]"#));
        check(&[".l[1]"], PRIOR, CONFIG, &of(o, l));
    }

    #[test]
    fn l67_l70_unknown_and_null_maps() {
        let unknown = r#"{"tags":{"$unknown":true}}"#;
        check(&[".tags", ".tags[\"a\"]"], PRIOR, unknown, unknown);
        check(&[".tags[\"a\"]"], PRIOR, r#"{"tags":null}"#, r#"{"tags":{"a":"1"}}"#);
        check(&[".tags[\"z\"]"], PRIOR, r#"{"tags":null}"#, r#"{"tags":null}"#);
        check(&[".tags[\"b\"]"], r#"{"tags":{}}"#, r#"{"tags":{"b":"1"}}"#, r#"{"tags":{}}"#);
    }

    #[test]
    fn l64_marks_activate_an_entry_and_go_with_the_value() {
        let marks = |paths: &[&str]| PathSet::parse(paths.iter().copied()).expect("paths");
        let entries = IgnoreChanges::Some(vec![path(".o.a"), path(".tags[\"a\"]")]);
        let prior = Marked::new(value(PRIOR), &marks(&[".o", ".tags[\"a\"]", ".tags[\"x\"]"]));
        let config = Marked::new(value(PRIOR), &marks(&[".l[0]", ".o.b"]));
        let ignored = ignore_changes(&entries, &prior, &config, None).expect("no refusal");
        assert_eq!(ignored.sensitive().texts(), [".l[0]", ".o.a", ".o.b", ".tags[\"a\"]"]);
        assert_eq!(*ignored.value(), value(PRIOR));
    }

    #[test]
    fn l68_l69_only_an_earlier_entry_for_the_same_place_ends_its_handling() {
        let of = |ty: &str, d: &str, o: &str| {
            let d = Value::from_json(&Json::parse(d).expect("JSON"), &Type::parse(ty).expect("a type"));
            let members = [("d", d.expect("a value")), ("o", Value::string(o))];
            Marked::plain(Value::object(members.map(|(name, value)| (Text::new(name), value)).to_vec()))
        };
        let prior = of(r#""string""#, r#""k""#, "old");
        let config = of(r#"["map","string"]"#, r#"{"k":"new"}"#, "new");
        for (entries, is_refused) in [
            (&[".d", ".d[\"k\"]"][..], false),
            (&[".d[\"k\"]", ".d"], true),
            (&[".o", ".d[\"k\"]"], true),
            (&[".d[\"z\"]", ".d[\"k\"]"], true),
        ] {
            let entries = IgnoreChanges::Some(entries.iter().map(|entry| path(entry)).collect());
            assert_eq!(ignore_changes(&entries, &prior, &config, None).is_err(), is_refused, "{entries:?}");
        }
    }

    #[test]
    fn l60_a_null_configuration_stays_null() {
        let prior = Marked::plain(value(PRIOR));
        let null = Marked::null(prior.value().ty().clone());
        let block = schema().block;
        let root = IgnoreChanges::Some(vec![Default::default()]);
        for (ignore, schema) in [(&IgnoreChanges::All, Some(&block)), (&root, None), (&root, Some(&block))] {
            assert!(ignore_changes(ignore, &prior, &null, schema).expect("no refusal").is_null());
        }
    }
}
