//! Reads the contents of a body by a schema: in native syntax names are compared, in JSON the schema decides which member is an argument
//! and which makes blocks (E08, E09, E12).

use hashbrown::HashMap;
use planfuzz_core::value::Text;

use super::body::{Attribute, Block, Body, JsonBody, Name, NativeBody, Written};
use crate::diagnostic::Diagnostic;
use crate::json::{Json, JsonKind, Member};
use crate::place::SourcePlace;

/// The schema of a body.
#[derive(Clone, Copy, Debug)]
pub struct ContentSchema<'s> {
    /// Arguments, and whether they are required.
    pub attributes: &'s [(&'s str, bool)],
    /// Block types and the names of their labels.
    pub blocks: &'s [(&'s str, &'s [&'s str])],
}

/// The contents of a body.
#[derive(Clone, Debug, Default)]
pub struct Content {
    /// Arguments, in the order of the text.
    pub attributes: Vec<Attribute>,
    /// Blocks, in the order of the text.
    pub blocks: Vec<Block>,
    /// The place of diagnostics about missing items.
    pub missing: SourcePlace,
}

impl Content {
    /// Removes an argument and returns it.
    pub fn take(&mut self, name: &str) -> Option<Attribute> {
        let at = self.attributes.iter().position(|attribute| &*attribute.name.text == name)?;
        Some(self.attributes.remove(at))
    }
}

/// The name of comments in JSON bodies (E08).
const COMMENT: &str = "//";

/// The contents of a body; everything else in it is an error.
pub fn content(body: Body, schema: ContentSchema<'_>, diagnostics: &mut Vec<Diagnostic>) -> Content {
    // A value that is not an object is reported twice, for the arguments and for the rest (E12).
    if let Body::Json(body) = &body {
        diagnostics.extend(body.malformed.iter().copied().map(no_object));
    }
    let (content, rest) = partial_content(body, schema, diagnostics);
    match rest {
        Body::Native(rest) => {
            for attribute in rest.attributes {
                let detail = if schema.blocks.iter().any(|(name, _)| *name == &*attribute.name.text) {
                    format!(
                        "An argument named {:?} is not expected here. Did you mean to define a block of that type?",
                        attribute.name.text.as_str()
                    )
                } else {
                    format!("An argument named {:?} is not expected here.", attribute.name.text.as_str())
                };
                diagnostics.push(Diagnostic::error("Unsupported argument", detail, attribute.name.place));
            }
            for block in rest.blocks {
                let detail = format!("Blocks of type {:?} are not expected here.", block.kind.text.as_str());
                diagnostics.push(Diagnostic::error("Unsupported block type", detail, block.kind.place));
            }
        }
        Body::Json(rest) => {
            for member in rest.members {
                let detail = format!("No argument or block type is named {:?}.", member.name);
                diagnostics.push(Diagnostic::error("Extraneous JSON object property", detail, member.name_place));
            }
        }
    }
    content
}

/// The contents of a body, and the rest of the body.
pub fn partial_content(body: Body, schema: ContentSchema<'_>, diagnostics: &mut Vec<Diagnostic>) -> (Content, Body) {
    let kinds = Kinds::new(schema);
    let missing = body.missing();
    let (content, rest) = match body {
        Body::Native(body) => native(body, &kinds, diagnostics),
        Body::Json(body) => json(body, &kinds, diagnostics),
    };
    for (name, required) in schema.attributes {
        if *required && !content.attributes.iter().any(|attribute| &*attribute.name.text == *name) {
            let detail = format!("The argument {name:?} is required, but no definition was found.");
            diagnostics.push(Diagnostic::error("Missing required argument", detail, missing));
        }
    }
    (Content { missing, ..content }, rest)
}

/// What the names of a schema are, for a body: found by hash only where there are many.
struct Kinds<'s> {
    schema: ContentSchema<'s>,
    by_name: Option<HashMap<&'s str, Kind<'s>>>,
}

/// Up to so many names are looked through.
const FEW: usize = 16;

#[derive(Clone, Copy)]
enum Kind<'s> {
    Attribute,
    Block(&'s [&'s str]),
}

impl<'s> Kinds<'s> {
    fn new(schema: ContentSchema<'s>) -> Self {
        let attributes = schema.attributes.iter().map(|(name, _)| (*name, Kind::Attribute));
        let blocks = schema.blocks.iter().map(|(name, labels)| (*name, Kind::Block(labels)));
        let is_long = schema.attributes.len() + schema.blocks.len() > FEW;
        Self { schema, by_name: is_long.then(|| attributes.chain(blocks).collect()) }
    }

    /// What a name is; of several the last, and blocks come after attributes.
    fn get(&self, name: &str) -> Option<Kind<'s>> {
        if let Some(by_name) = &self.by_name {
            return by_name.get(name).copied();
        }
        let block = self.schema.blocks.iter().rev().find(|(block, _)| *block == name);
        let attribute = || self.schema.attributes.iter().any(|(attribute, _)| *attribute == name);
        match block {
            Some((_, labels)) => Some(Kind::Block(labels)),
            None => attribute().then_some(Kind::Attribute),
        }
    }
}

fn native(body: NativeBody, kinds: &Kinds<'_>, diagnostics: &mut Vec<Diagnostic>) -> (Content, Body) {
    let mut content = Content::default();
    let mut rest = NativeBody { missing: body.missing, ..NativeBody::default() };
    for attribute in body.attributes {
        match kinds.get(attribute.name.text.as_str()) {
            Some(Kind::Attribute) => content.attributes.push(attribute),
            _ => rest.attributes.push(attribute),
        }
    }
    for block in body.blocks {
        match kinds.get(block.kind.text.as_str()) {
            Some(Kind::Block(labels)) => {
                if let Some(problem) = label_problem(&block, labels) {
                    diagnostics.push(problem);
                } else {
                    content.blocks.push(block);
                }
            }
            _ => rest.blocks.push(block),
        }
    }
    (content, Body::Native(rest))
}

/// The diagnostic of a wrong number of labels (E18).
fn label_problem(block: &Block, labels: &[&str]) -> Option<Diagnostic> {
    let kind = block.kind.text.as_str();
    let list = labels.join(", ");
    if let Some(extra) = block.labels.get(labels.len()) {
        let detail = match labels.len() {
            0 => format!("No labels are expected for {kind} blocks."),
            count => format!("Only {count} labels ({list}) are expected for {kind} blocks."),
        };
        return Some(Diagnostic::error(format!("Extraneous label for {kind}"), detail, extra.place));
    }
    let missing = labels.get(block.labels.len()).filter(|_| !fault!(MissingLabelTaken))?;
    let detail = format!("All {kind} blocks must have {} labels ({list}).", labels.len());
    Some(Diagnostic::error(format!("Missing {missing} for {kind}"), detail, block.open))
}

fn json(body: JsonBody, kinds: &Kinds<'_>, diagnostics: &mut Vec<Diagnostic>) -> (Content, Body) {
    let mut content = Content::default();
    let mut rest = JsonBody { missing: body.missing, ..JsonBody::default() };
    let mut seen: HashMap<Text, ()> = HashMap::new();
    for member in body.members {
        match kinds.get(&member.name) {
            _ if &*member.name == COMMENT && !fault!(CommentIsMember) => {}
            None => rest.members.push(member),
            Some(Kind::Attribute) => {
                let name = Name::new(&member.name, member.name_place);
                if seen.insert(name.text.clone(), ()).is_some() {
                    let detail = format!("The argument {:?} was already set.", member.name);
                    diagnostics.push(Diagnostic::error("Duplicate attribute definition", detail, member.name_place));
                } else {
                    content.attributes.push(Attribute { name, value: Written::Json(member.value) });
                }
            }
            Some(Kind::Block(labels)) => {
                let kind = Name::new(&member.name, member.name_place);
                json_blocks(member.value, &kind, labels, &mut Vec::new(), &mut content.blocks, diagnostics);
            }
        }
    }
    (content, Body::Json(rest))
}

/// What is wrong with the values of blocks of this name, which have no labels.
pub fn faults_of_blocks(body: &Body, name: &str) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    if let Body::Json(body) = body {
        for member in body.members.iter().filter(|member| *member.name == *name) {
            let kind = Name::new(&member.name, member.name_place);
            json_blocks(member.value.clone(), &kind, &[], &mut Vec::new(), &mut Vec::new(), &mut diagnostics);
        }
    }
    diagnostics
}

/// The blocks that a member makes: a level of nesting for each label (E09).
fn json_blocks(
    value: Json,
    kind: &Name,
    labels: &[&str],
    found: &mut Vec<Name>,
    blocks: &mut Vec<Block>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let start = value.start_place();
    if let Some((label, rest)) = labels.split_first() {
        let members = label_members(value, diagnostics);
        if members.is_empty() {
            let detail = format!(
                "At least one object property is required, whose name represents the {} block's {label}.",
                kind.text.as_str()
            );
            diagnostics.push(Diagnostic::error("Missing block label", detail, start));
            return;
        }
        for member in members {
            found.push(Name::new(&member.name, member.name_place));
            json_blocks(member.value, kind, rest, found, blocks, diagnostics);
            found.pop();
        }
        return;
    }
    let values = match value.kind {
        JsonKind::Null => return,
        JsonKind::Object(_) => vec![value],
        JsonKind::Array(elements) => {
            if elements.is_empty() {
                return;
            }
            elements
        }
        _ => {
            let detail =
                "Either a JSON object or a JSON array is required, representing the contents of one or more blocks.";
            diagnostics.push(Diagnostic::error("Incorrect JSON value type", detail, start));
            return;
        }
    };
    for value in values {
        let open = value.start_place();
        let body = Body::Json(json_body(value, diagnostics));
        // The place of the blocks of an array is its bracket.
        blocks.push(Block { kind: kind.clone(), labels: found.clone(), body, header: start, open });
    }
}

/// The members of an object, or of all objects of an array, in which each name is a label.
fn label_members(value: Json, diagnostics: &mut Vec<Diagnostic>) -> Vec<Member> {
    let start = value.start_place();
    match value.kind {
        // E08: `//` is no comment among labels.
        JsonKind::Object(members) => members,
        JsonKind::Array(elements) => {
            let mut all = Vec::new();
            for (number, element) in elements.into_iter().enumerate() {
                let place = element.start_place();
                match element.kind {
                    JsonKind::Object(_) if number > 0 && fault!(FirstObjectOnly) => {}
                    JsonKind::Object(members) => all.extend(members),
                    _ => {
                        let detail = "A JSON object is required here, to specify name labels for this block.";
                        diagnostics.push(Diagnostic::error("Incorrect JSON value type", detail, place));
                    }
                }
            }
            all
        }
        JsonKind::Null => Vec::new(),
        _ => {
            let detail = "Either a JSON object or JSON array of objects is required here, to specify name labels for this block.";
            diagnostics.push(Diagnostic::error("Incorrect JSON value type", detail, start));
            Vec::new()
        }
    }
}

/// Reads a value as a body: an object, or all objects of an array together.
pub fn json_body(value: Json, diagnostics: &mut Vec<Diagnostic>) -> JsonBody {
    let (start, end) = (value.start_place(), value.end_place());
    let mut malformed = Vec::new();
    let without_comments =
        |members: Vec<Member>| members.into_iter().filter(|member| &*member.name != COMMENT || fault!(CommentIsMember));
    match value.kind {
        JsonKind::Object(members) => {
            JsonBody { members: without_comments(members).collect(), missing: end, ..JsonBody::default() }
        }
        JsonKind::Null => JsonBody { missing: start, not_objects: vec![start], ..JsonBody::default() },
        JsonKind::Array(elements) => {
            let mut all = Vec::new();
            for element in elements {
                let place = element.start_place();
                match element.kind {
                    JsonKind::Object(members) => all.extend(without_comments(members)),
                    JsonKind::Null => {}
                    _ => malformed.push(place),
                }
            }
            diagnostics.extend(malformed.iter().copied().map(no_object));
            let not_objects = if malformed.is_empty() { vec![start] } else { Vec::new() };
            JsonBody { members: all, missing: start, malformed, not_objects }
        }
        _ => {
            diagnostics.push(no_object(start));
            JsonBody { missing: start, malformed: vec![start], ..JsonBody::default() }
        }
    }
}

fn no_object(place: SourcePlace) -> Diagnostic {
    let detail = "A JSON object is required here, setting the arguments for this block.";
    Diagnostic::error("Incorrect JSON value type", detail, place)
}

/// All items of a body as arguments (`locals`); blocks are errors.
pub fn just_attributes(body: Body, diagnostics: &mut Vec<Diagnostic>) -> Vec<Attribute> {
    match body {
        Body::Native(body) => {
            if let Some(block) = body.blocks.first() {
                let detail = format!("Blocks are not allowed here: {:?}.", block.kind.text.as_str());
                diagnostics.push(Diagnostic::error(
                    format!("Unexpected {:?} block", block.kind.text.as_str()),
                    detail,
                    block.kind.place,
                ));
            }
            body.attributes
        }
        Body::Json(body) => {
            diagnostics.extend(body.not_objects.iter().copied().map(no_object));
            let mut seen: HashMap<Text, ()> = HashMap::new();
            let mut attributes = Vec::new();
            for member in body.members {
                let name = Name::new(&member.name, member.name_place);
                if seen.insert(name.text.clone(), ()).is_some() {
                    let detail = format!("The argument {:?} was already set.", member.name);
                    diagnostics.push(Diagnostic::error("Duplicate attribute definition", detail, member.name_place));
                } else {
                    attributes.push(Attribute { name, value: Written::Json(member.value) });
                }
            }
            attributes
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last of several counts, and blocks come after attributes, whether names are looked through or hashed.
    #[test]
    fn few_and_many_names_have_the_same_kinds() {
        let many: Vec<String> = (0..FEW).map(|number| format!("more_{number}")).collect();
        let labels: &[&str] = &["key"];
        for more in [0, FEW] {
            let more = many[..more].iter().map(|name| (name.as_str(), false));
            let attributes: Vec<(&str, bool)> = [("a", true), ("both", false)].into_iter().chain(more).collect();
            let blocks = [("twice", labels), ("both", &[]), ("twice", &[])];
            let kinds = Kinds::new(ContentSchema { attributes: &attributes, blocks: &blocks });
            assert_eq!(kinds.by_name.is_some(), attributes.len() > 2);
            assert!(matches!(kinds.get("a"), Some(Kind::Attribute)));
            assert!(matches!(kinds.get("both"), Some(Kind::Block([]))));
            assert!(matches!(kinds.get("twice"), Some(Kind::Block([]))));
            assert!(kinds.get("none").is_none());
        }
    }
}
