//! A project as files in JSON syntax.

use std::collections::BTreeMap;

use planfuzz_core::json::Json;

use super::expression::Place;
use super::kit::Kind;
use super::project::{
    Block, Check, Condition, Expr, Id, Import, Lifecycle, Module, ModuleCall, Nested, Output, Project, Repeat, Variable,
};

/// The files of a project. Modules that are not called are not written.
pub fn files(project: &Project) -> BTreeMap<String, Json> {
    let mut files = BTreeMap::new();
    for (index, module) in project.modules.iter().enumerate() {
        if project.path_to(index).is_some() {
            let dir = if module.dir.is_empty() { String::new() } else { format!("{}/", module.dir) };
            files.insert(format!("{dir}main.tf.json"), document(project, module));
        }
    }
    files
}

type Members = Vec<(String, Json)>;

fn object(members: Members) -> Json {
    Json::Object(members.into_iter().map(|(name, value)| (name.into_boxed_str(), value)).collect())
}

/// Members by two names, as blocks with two labels are written.
fn by_two(all: Vec<(String, String, Json)>) -> Json {
    let mut types: Vec<(String, Members)> = Vec::new();
    for (first, second, body) in all {
        match types.iter_mut().find(|(name, _)| *name == first) {
            Some((_, members)) => members.push((second, body)),
            None => types.push((first, vec![(second, body)])),
        }
    }
    object(types.into_iter().map(|(name, members)| (name, object(members))).collect())
}

fn document(project: &Project, module: &Module) -> Json {
    let one = Repeat::One;
    let place = Place { project, module, repeat: &one };
    let mut members: Members = Vec::new();
    let mut add = |name: &str, json: Json| {
        if !matches!(&json, Json::Object(members) if members.is_empty()) && json != Json::Array(Vec::new()) {
            members.push((name.to_owned(), json));
        }
    };
    let mut variables: Members = module.variables.iter().map(|it| (it.name.clone(), variable(place, it))).collect();
    if !module.dir.is_empty() {
        variables.push(("at".into(), Json::object([("type", Json::string("string"))])));
    }
    add("variable", object(variables));
    add("locals", object(module.locals.iter().map(|it| (it.name.clone(), place.json(&it.value))).collect()));
    add("terraform", requirements(module));
    add("provider", providers(place));
    for member in ["resource", "data", "ephemeral"] {
        let blocks = module.blocks.iter().filter(|block| block.kind.member() == member);
        let blocks = blocks.map(|it| (it.kind.type_name().to_owned(), it.name.clone(), block(project, module, it)));
        add(member, by_two(blocks.collect()));
    }
    add("module", object(module.calls.iter().map(|it| (it.name.clone(), call(project, module, it))).collect()));
    add("output", object(module.outputs.iter().map(|it| (it.name.clone(), output(place, it))).collect()));
    add("check", object(module.checks.iter().map(|it| (it.name.clone(), check(project, module, it))).collect()));
    let pair = |from: (&str, &String), to: (&str, &String)| {
        Json::object([(from.0, Json::string(from.1)), (to.0, Json::string(to.1))])
    };
    add("moved", Json::Array(module.moved.iter().map(|(from, to)| pair(("from", from), ("to", to))).collect()));
    add("import", Json::Array(module.imports.iter().map(|it| import(project, module, it)).collect()));
    let removed = |(from, destroy): &(String, bool)| {
        let lifecycle = Json::object([("destroy", Json::Bool(*destroy))]);
        Json::object([("from", Json::string(from)), ("lifecycle", lifecycle)])
    };
    add("removed", Json::Array(module.removed.iter().map(removed).collect()));
    object(members)
}

fn check(project: &Project, module: &Module, check: &Check) -> Json {
    let place = Place { project, module, repeat: &Repeat::One };
    let data =
        check.data.iter().map(|it| (it.kind.type_name().to_owned(), it.name.clone(), block(project, module, it)));
    let data = by_two(data.collect());
    let assert = condition(place, &check.condition);
    match check.data {
        Some(_) => Json::object([("data", data), ("assert", assert)]),
        None => Json::object([("assert", assert)]),
    }
}

fn import(project: &Project, module: &Module, import: &Import) -> Json {
    let repeat = import.for_each.as_ref().map_or(Repeat::One, |keys| Repeat::Each(keys.clone(), false));
    let place = Place { project, module, repeat: &repeat };
    let mut members = Vec::new();
    repeated(place, &repeat, &mut members);
    members.push(("to".into(), Json::string(&import.to)));
    members.push(("id".into(), place.json(&import.id)));
    if let Some(alias) = alias_of(module, import.provider) {
        members.push(("provider".into(), Json::string(&format!("w.{alias}"))));
    }
    object(members)
}

fn variable(place: Place<'_>, variable: &Variable) -> Json {
    let mut members = vec![("type", Json::string("string"))];
    if let Some(default) = &variable.default {
        members.push(("default", place.json(default)));
    }
    if variable.sensitive {
        members.push(("sensitive", Json::Bool(true)));
    }
    if variable.ephemeral {
        members.push(("ephemeral", Json::Bool(true)));
    }
    if variable.validated {
        // Values that occur, so that some validations fail.
        let text = if variable.id % 4 == 1 { "red" } else { "forbidden" };
        let condition = format!("${{var.{} != {text:?}}}", variable.name);
        let message = match variable.id % 3 {
            0 => format!("It is ${{var.{}}}.", variable.name),
            _ => "It is forbidden.".to_owned(),
        };
        let validation = [("condition", Json::string(&condition)), ("error_message", Json::string(&message))];
        members.push(("validation", Json::object(validation)));
    }
    Json::object(members)
}

fn output(place: Place<'_>, output: &Output) -> Json {
    let mut members = vec![("value", place.json(&output.value))];
    if output.sensitive {
        members.push(("sensitive", Json::Bool(true)));
    }
    if output.ephemeral {
        members.push(("ephemeral", Json::Bool(true)));
    }
    if let Some(of) = &output.precondition {
        members.push(("precondition", condition(place, of)));
    }
    Json::object(members)
}

fn condition(place: Place<'_>, condition: &Condition) -> Json {
    let of = condition.of.as_ref().map_or("self.out".to_owned(), |of| place.text(of));
    let operator = if condition.equals { "==" } else { "!=" };
    let text = format!("${{{of} {operator} {:?}}}", condition.text);
    let message = condition.message.as_ref().map_or(Json::string("It does not hold."), |message| place.json(message));
    Json::object([("condition", Json::string(&text)), ("error_message", message)])
}

fn requirements(module: &Module) -> Json {
    if !module.requires && module.takes.is_empty() {
        return Json::Object(Vec::new());
    }
    let mut required = vec![("source", Json::string("hashicorp/w"))];
    if !module.takes.is_empty() {
        let aliases = module.takes.iter().map(|(_, name)| Json::string(&format!("w.{name}")));
        required.push(("configuration_aliases", Json::Array(aliases.collect())));
    }
    Json::object([("required_providers", Json::object([("w", Json::object(required))]))])
}

fn providers(place: Place<'_>) -> Json {
    let mut all = Vec::new();
    if place.module.has_empty_block && place.module.default_label.is_none() {
        all.push(Json::Object(Vec::new()));
    }
    if let Some(label) = &place.module.default_label {
        all.push(Json::object([("label", place.json(label))]));
    }
    for (_, name, label) in &place.module.aliases {
        all.push(Json::object([("alias", Json::string(name)), ("label", place.json(label))]));
    }
    match all.is_empty() {
        true => Json::Object(Vec::new()),
        false => Json::object([("w", Json::Array(all))]),
    }
}

/// `count` or `for_each`.
fn repeated(place: Place<'_>, repeat: &Repeat, members: &mut Members) {
    match repeat {
        Repeat::One => {}
        Repeat::Count(count, local) => {
            let local = local.and_then(|id| place.module.locals.iter().find(|local| local.id == id));
            let count = match local {
                Some(local) => Json::string(&format!("${{local.{}}}", local.name)),
                None => Json::int(*count as u64),
            };
            members.push(("count".into(), count));
        }
        Repeat::Each(keys, as_map) => {
            let written: Vec<String> = keys.iter().map(|key| format!("{key:?}")).collect();
            let each = match as_map {
                true => Json::object(keys.iter().map(|key| (key.as_str(), Json::string(&format!("of-{key}"))))),
                false => Json::string(&format!("${{toset([{}])}}", written.join(", "))),
            };
            members.push(("for_each".into(), each));
        }
    }
}

/// The addresses of what is still there: blocks, calls, variables, locals.
fn addresses(module: &Module, ids: &[Id]) -> Json {
    let address = |id: &Id| {
        let block = module.block(*id).map(Block::address);
        block.or_else(|| module.calls.iter().find(|call| call.id == *id).map(|call| format!("module.{}", call.name)))
    };
    Json::Array(ids.iter().filter_map(address).map(|address| Json::string(&address)).collect())
}

fn alias_of(module: &Module, alias: Option<Id>) -> Option<&str> {
    let own = module.aliases.iter().map(|(id, name, _)| (id, name));
    let mut all = own.chain(module.takes.iter().map(|(id, name)| (id, name)));
    all.find(|(id, _)| Some(**id) == alias).map(|(_, name)| name.as_str())
}

fn block(project: &Project, module: &Module, block: &Block) -> Json {
    let place = Place { project, module, repeat: &block.repeat };
    let mut members: Members = Vec::new();
    repeated(place, &block.repeat, &mut members);
    if let Some(alias) = alias_of(module, block.alias) {
        members.push(("provider".into(), Json::string(&format!("w.{alias}"))));
    }
    let args = block.args.iter().map(|(name, value)| (name.clone(), place.json(value)));
    match block.kind {
        Kind::Builtin => {
            // The input contains the name: otherwise objects could not be distinguished.
            let (inside, beside): (Members, Members) = args.partition(|(name, _)| name == "v");
            let name = ("name".to_owned(), place.object_name(block));
            members.push(("input".into(), object(std::iter::once(name).chain(inside).collect())));
            members.extend(beside);
        }
        Kind::Null => {
            let (triggers, beside): (Members, Members) = args.partition(|(name, _)| name == "triggers");
            let name = ("name".into(), place.object_name(block));
            let triggers = match triggers.into_iter().next() {
                None => Json::Object(vec![name]),
                Some((_, Json::Object(map))) => Json::Object(std::iter::once(name).chain(map).collect()),
                // There is no map that could contain the name.
                Some((_, flaw)) => flaw,
            };
            members.push(("triggers".to_owned(), triggers));
            members.extend(beside);
        }
        _ => {
            members.push(("name".into(), place.object_name(block)));
            members.extend(args);
        }
    }
    add_nested(place, &block.nested, &mut members);
    let depends_on = addresses(module, &block.depends_on);
    if depends_on != Json::Array(Vec::new()) {
        members.push(("depends_on".into(), depends_on));
    }
    let lifecycle = lifecycle(place, &block.lifecycle);
    if lifecycle != Json::Object(Vec::new()) {
        members.push(("lifecycle".into(), lifecycle));
    }
    object(members)
}

/// Nested blocks, as members of the body that they stand in.
fn add_nested(place: Place<'_>, all: &[Nested], members: &mut Members) {
    let mut dynamic: Members = Vec::new();
    for nested in all {
        let (name, value) = &nested.argument;
        let mut body = vec![((*name).to_owned(), place.json(value))];
        add_nested(place, &nested.inside, &mut body);
        let body = object(body);
        let (of_kind, written) = match (&nested.for_each, &nested.label) {
            (None, None) => (&mut *members, body),
            (None, Some(label)) => (&mut *members, labelled(label, body)),
            (Some(each), label) => {
                let labels = label.iter().map(|label| ("labels", Json::Array(vec![place.json(label)])));
                let rest = [("for_each", place.json(each)), ("content", body)];
                (&mut dynamic, Json::object(labels.chain(rest)))
            }
        };
        match of_kind.iter_mut().find(|(probe, _)| probe == nested.type_name) {
            Some((_, Json::Array(all))) => all.push(written),
            _ => of_kind.push((nested.type_name.to_owned(), Json::Array(vec![written]))),
        }
    }
    if !dynamic.is_empty() {
        members.push(("dynamic".into(), object(dynamic)));
    }
}

/// A block below its label.
fn labelled(label: &Expr, body: Json) -> Json {
    match label {
        Expr::Text(label) => Json::object([(label.as_str(), body)]),
        _ => body,
    }
}

fn lifecycle(place: Place<'_>, lifecycle: &Lifecycle) -> Json {
    let mut members = Vec::new();
    if let Some(flag) = lifecycle.create_before_destroy {
        members.push(("create_before_destroy", Json::Bool(flag)));
    }
    if lifecycle.prevent_destroy {
        members.push(("prevent_destroy", Json::Bool(true)));
    }
    match &lifecycle.ignore_changes[..] {
        [] => {}
        [all] if all == "all" => members.push(("ignore_changes", Json::string("all"))),
        names => {
            members.push(("ignore_changes", Json::Array(names.iter().map(|name| Json::string(name)).collect())));
        }
    }
    let triggers = lifecycle.triggers.iter().filter_map(|(id, attribute)| {
        let block = place.module.block(*id)?;
        let rest = match (&block.repeat, attribute) {
            (Repeat::One, Some(attribute)) => format!(".{attribute}"),
            _ => String::new(),
        };
        Some(Json::string(&format!("{}{rest}", block.address())))
    });
    let triggers: Vec<Json> = triggers.collect();
    if !triggers.is_empty() {
        members.push(("replace_triggered_by", Json::Array(triggers)));
    }
    for (name, of) in [("precondition", &lifecycle.precondition), ("postcondition", &lifecycle.postcondition)] {
        if let Some(of) = of {
            members.push((name, condition(place, of)));
        }
    }
    Json::object(members)
}

fn call(project: &Project, module: &Module, call: &ModuleCall) -> Json {
    let place = Place { project, module, repeat: &call.repeat };
    let Some(of) = project.modules.get(call.module) else { return Json::Null };
    let up = "../".repeat(module.dir.split('/').filter(|part| !part.is_empty()).count());
    let mut members: Members = vec![("source".into(), Json::string(&format!("./{up}{}", of.dir)))];
    repeated(place, &call.repeat, &mut members);
    members.push(("at".into(), place.whereabouts()));
    for variable in &of.variables {
        let set = call.args.iter().find(|(id, _)| *id == variable.id);
        match (set, &variable.default) {
            (Some((_, value)), _) => members.push((variable.name.clone(), place.json(value))),
            (None, Some(_)) => {}
            (None, None) => members.push((variable.name.clone(), place.json(&Expr::Text("unset".into())))),
        }
    }
    let depends_on = addresses(module, &call.depends_on);
    if depends_on != Json::Array(Vec::new()) {
        members.push(("depends_on".into(), depends_on));
    }
    let default = alias_of(module, call.alias).map(|alias| ("w".to_owned(), format!("w.{alias}")));
    let passed: BTreeMap<String, String> = call.passes.iter().cloned().chain(default).collect();
    if !passed.is_empty() {
        let passed = passed.iter().map(|(inner, outer)| (inner.as_str(), Json::string(outer)));
        members.push(("providers".into(), Json::object(passed)));
    }
    object(members)
}
