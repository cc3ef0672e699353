//! Writes trees as lines: a value as it is, or the change from one value to another.

use planfuzz_core::schema::Schema;
use planfuzz_core::value::Value;

use super::answer::Detail;
use super::line::{Line, Tone};
use super::tree::{Body, Brackets, Group, Item, Key, of_block};

/// The widest text of a group that is written on one line.
const MAX_INLINE: usize = 60;

/// A value of a resource.
pub fn value(schema: &Schema, value: &Value) -> Vec<Line> {
    let body = of_block(&schema.block, value.view());
    let mut writer = Writer { lines: Vec::new(), signs: false, detail: Detail::Full };
    writer.root(Sign::Same, &body);
    writer.lines
}

/// The change from one value of a resource to another, under a heading with the action.
pub fn change(schema: &Schema, before: &Value, after: &Value, detail: Detail) -> Vec<Line> {
    let (old, new) = (of_block(&schema.block, before.view()), of_block(&schema.block, after.view()));
    let heading = match (before.is_null(), after.is_null()) {
        _ if before == after => Line::of(Tone::Dim, "no change"),
        (true, _) => Line::of(Tone::Add, "+ create"),
        (_, true) => Line::of(Tone::Remove, "- destroy"),
        (false, false) => Line::of(Tone::Change, "~ update in-place"),
    };
    let mut writer = Writer { lines: vec![heading], signs: true, detail };
    if old == new {
        if detail == Detail::Full || before != after {
            writer.root(Sign::Same, &new);
        }
        return writer.lines;
    }
    match (&old, &new) {
        (Body::Group(old), Body::Group(new)) => writer.pairs(old, new, 0),
        (_, new @ Body::Group(_)) if before.is_null() => writer.root(Sign::Add, new),
        (old @ Body::Group(_), _) if after.is_null() => writer.root(Sign::Remove, old),
        (old, new) => writer.pair([&Label::default(), &Label::default()], old, new, 0),
    }
    writer.lines
}

/// How a part changes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Same,
    Add,
    Remove,
    Change,
}

impl Sign {
    fn parts(self) -> (Tone, &'static str) {
        match self {
            Sign::Same => (Tone::Plain, " "),
            Sign::Add => (Tone::Add, "+"),
            Sign::Remove => (Tone::Remove, "-"),
            Sign::Change => (Tone::Change, "~"),
        }
    }
}

/// The text before and after a part's own.
#[derive(Clone, Default)]
struct Label {
    before: String,
    after: &'static str,
}

impl Label {
    /// The label of an item; `width` is that of the widest label in the group.
    fn of(item: &Item, brackets: Brackets, width: usize) -> Label {
        let separator = if brackets == Brackets::Square { "," } else { "" };
        match &item.key {
            Key::Attribute(name) | Key::Entry(name) => {
                let padding = width.saturating_sub(columns(name));
                Label { before: format!("{name}{} = ", " ".repeat(padding)), after: separator }
            }
            Key::Element(_) | Key::Member => Label { before: String::new(), after: separator },
            Key::Block { head, .. } | Key::SetBlock { head } => {
                let equals = if item.body.is_no_block() { "= " } else { "" };
                Label { before: format!("{head} {equals}"), after: separator }
            }
        }
    }
}

fn columns(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

/// Writes lines.
struct Writer {
    lines: Vec<Line>,
    /// Whether lines begin with signs.
    signs: bool,
    detail: Detail,
}

impl Writer {
    fn line(&mut self, sign: Sign, depth: usize, text: String) {
        if !self.signs {
            let tone = if text.ends_with("= null") { Tone::Dim } else { Tone::Plain };
            return self.lines.push(Line::of(tone, text).indented(2 * depth));
        }
        let (tone, sign) = sign.parts();
        self.lines.push(Line::of(tone, sign).with(tone, format!(" {text}")).indented(4 * depth));
    }

    fn remark(&mut self, depth: usize, text: String) {
        let columns = if self.signs { 4 * depth + 2 } else { 2 * depth };
        self.lines.push(Line::of(Tone::Dim, text).indented(columns));
    }

    /// A part, all of it with one sign. A null member has none: it did not exist, or exists no longer.
    fn whole(&mut self, sign: Sign, label: &Label, body: &Body, depth: usize) {
        let Label { before, after } = label;
        let sign = if body.is_null() && !before.is_empty() { Sign::Same } else { sign };
        if let Some(text) = inline(body) {
            return self.line(sign, depth, format!("{before}{text}{after}"));
        }
        let Body::Group(group) = body else { return };
        self.line(sign, depth, format!("{before}{}", open(group)));
        self.items(sign, group, depth + 1);
        self.line(Sign::Same, depth, format!("{}{after}", close(group.brackets)));
    }

    /// The root: a resource is written without brackets.
    fn root(&mut self, sign: Sign, body: &Body) {
        match body {
            Body::Group(group) if !group.items.is_empty() => self.items(sign, group, 0),
            body => self.whole(sign, &Label::default(), body, 0),
        }
    }

    fn items(&mut self, sign: Sign, group: &Group, depth: usize) {
        let width = label_width(group.items.iter());
        for item in &group.items {
            self.whole(sign, &Label::of(item, group.brackets, width), &item.body, depth);
        }
        if group.left_out > 0 {
            self.remark(depth, format!("# ({} more elements)", group.left_out));
        }
    }

    /// A part that changes from one value to another.
    fn pair(&mut self, labels: [&Label; 2], old: &Body, new: &Body, depth: usize) {
        if let (Body::Group(old), Body::Group(new)) = (old, new)
            && (old.brackets == new.brackets && old.prefix == new.prefix)
        {
            return self.groups(labels[1], old, new, depth);
        }
        let Label { before, after } = labels[1];
        if let (Some(old), Some(new)) = (inline(old), inline(new)) {
            return self.line(Sign::Change, depth, format!("{before}{old} -> {new}{after}"));
        }
        if !old.is_null() {
            self.whole(Sign::Remove, labels[0], old, depth);
        }
        if !new.is_null() {
            self.whole(Sign::Add, labels[1], new, depth);
        }
    }

    fn groups(&mut self, label: &Label, old: &Group, new: &Group, depth: usize) {
        let Label { before, after } = label;
        self.line(Sign::Change, depth, format!("{before}{}", open(new)));
        self.pairs(old, new, depth + 1);
        self.line(Sign::Same, depth, format!("{}{after}", close(new.brackets)));
    }

    fn pairs(&mut self, old: &Group, new: &Group, depth: usize) {
        let width = label_width(old.items.iter().chain(&new.items));
        let mut hidden = Hidden::default();
        for pair in pairs(&old.items, &new.items) {
            let label = |item: &Item| Label::of(item, new.brackets, width);
            match (pair.old, pair.new) {
                (Some(old), Some(new)) if old.body == new.body => match self.detail {
                    Detail::Full => self.whole(Sign::Same, &label(new), &new.body, depth),
                    Detail::Changes => hidden.count(&new.key),
                },
                (Some(old), Some(new)) => self.pair([&label(old), &label(new)], &old.body, &new.body, depth),
                // The lines of the blocks themselves show it.
                (Some(item), None) | (None, Some(item))
                    if self.detail == Detail::Changes && is_block(&item.key) && item.body.is_no_block() => {}
                (Some(old), None) => self.whole(Sign::Remove, &label(old), &old.body, depth),
                (None, Some(new)) => self.whole(Sign::Add, &label(new), &new.body, depth),
                (None, None) => {}
            }
        }
        for remark in hidden.remarks() {
            self.remark(depth, remark);
        }
        if new.left_out > 0 {
            self.remark(depth, format!("# ({} more elements)", new.left_out));
        }
    }
}

/// Counts of unchanged parts that are hidden.
#[derive(Default)]
struct Hidden {
    attributes: usize,
    elements: usize,
    blocks: usize,
}

impl Hidden {
    fn count(&mut self, key: &Key) {
        match key {
            Key::Attribute(_) => self.attributes += 1,
            Key::Entry(_) | Key::Element(_) | Key::Member => self.elements += 1,
            Key::Block { .. } | Key::SetBlock { .. } => self.blocks += 1,
        }
    }

    fn remarks(self) -> impl Iterator<Item = String> {
        let counts = [(self.attributes, "attribute"), (self.elements, "element"), (self.blocks, "block")];
        counts.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| {
            let plural = if count == 1 { "" } else { "s" };
            format!("# ({count} unchanged {what}{plural} hidden)")
        })
    }
}

/// Two parts with the same key, or one without a counterpart.
struct Pair<'a> {
    old: Option<&'a Item>,
    new: Option<&'a Item>,
}

/// Pairs the parts of two groups: in the order of the new one, removed ones at their old places. Groups are of bounded
/// length.
fn pairs<'a>(old: &'a [Item], new: &'a [Item]) -> Vec<Pair<'a>> {
    let mut free: Vec<bool> = vec![true; old.len()];
    let partners: Vec<Option<usize>> = new
        .iter()
        .map(|item| {
            let fits = |other: &Item| item.key == other.key && (!item.key.is_of_set() || item.body == other.body);
            let partner = (0..old.len()).find(|index| free[*index] && fits(&old[*index]));
            if let Some(index) = partner {
                free[index] = false;
            }
            partner
        })
        .collect();
    let mut pairs = Vec::new();
    let mut next = 0;
    for (item, partner) in new.iter().zip(partners) {
        let passed = old[next..].iter().take_while(|other| comes_before(&other.key, &item.key)).count();
        let upto = partner.unwrap_or(next + passed).max(next);
        pairs.extend((next..upto).filter(|index| free[*index]).map(|index| Pair { old: Some(&old[index]), new: None }));
        next = upto;
        pairs.push(Pair { old: partner.map(|index| &old[index]), new: Some(item) });
    }
    pairs
        .extend((next..old.len()).filter(|index| free[*index]).map(|index| Pair { old: Some(&old[index]), new: None }));
    pairs
}

fn is_block(key: &Key) -> bool {
    matches!(key, Key::Block { .. } | Key::SetBlock { .. })
}

/// Whether one part is written before another.
fn comes_before(one: &Key, other: &Key) -> bool {
    let place = |key: &Key| match key {
        Key::Attribute(name) | Key::Entry(name) => (false, name.clone()),
        Key::Block { head, .. } | Key::SetBlock { head } => (true, head.clone()),
        Key::Element(_) | Key::Member => (false, String::new()),
    };
    place(one) < place(other)
}

/// The columns that labels before `=` are padded to.
fn label_width<'a>(items: impl Iterator<Item = &'a Item>) -> usize {
    let widths = items.filter_map(|item| match &item.key {
        Key::Attribute(name) | Key::Entry(name) => Some(columns(name)),
        _ => None,
    });
    widths.max().unwrap_or(0)
}

/// A part on one line, where it is short and has no blocks inside.
fn inline(body: &Body) -> Option<String> {
    let group = match body {
        Body::Text(text) => return Some(text.clone()),
        Body::Group(group) => group,
    };
    if group.left_out > 0 || (group.brackets == Brackets::Block && !group.items.is_empty()) {
        return None;
    }
    let mut texts = Vec::new();
    for item in &group.items {
        let text = match &item.body {
            Body::Group(inner) if group.brackets == Brackets::Braces && !inner.items.is_empty() => return None,
            body => inline(body)?,
        };
        texts.push(match &item.key {
            Key::Attribute(name) | Key::Entry(name) => format!("{name} = {text}"),
            _ => text,
        });
    }
    let text = match (group.brackets, texts.is_empty()) {
        (Brackets::Square, _) => format!("{}[{}]", prefix(group), texts.join(", ")),
        (_, true) => format!("{}{{}}", prefix(group)),
        (_, false) => format!("{}{{ {} }}", prefix(group), texts.join(", ")),
    };
    (texts.is_empty() || columns(&text) <= MAX_INLINE).then_some(text)
}

fn prefix(group: &Group) -> String {
    if group.prefix.is_empty() { String::new() } else { format!("{} ", group.prefix) }
}

fn open(group: &Group) -> String {
    let bracket = if group.brackets == Brackets::Square { "[" } else { "{" };
    format!("{}{bracket}", prefix(group))
}

fn close(brackets: Brackets) -> &'static str {
    if brackets == Brackets::Square { "]" } else { "}" }
}

#[cfg(test)]
mod tests {
    use planfuzz_core::json::Json;

    use super::super::line::plain;
    use super::*;
    use planfuzz_core::dialect::Dialect;

    const SCHEMA: &str = r#"{"block": {
        "attributes": {
            "id": {"type": "string", "computed": true},
            "tags": {"type": ["map", "string"], "optional": true},
            "any": {"type": "dynamic", "optional": true},
            "disks": {"optional": true, "nested_type": {"nesting_mode": "list", "attributes": {
                "size": {"type": "number", "optional": true}, "id": {"type": "string", "computed": true}}}}
        },
        "block_types": {
            "rule": {"nesting_mode": "set", "block": {"attributes": {"port": {"type": "number", "required": true}}}},
            "zone": {"nesting_mode": "map", "block": {"attributes": {"a": {"type": "string", "optional": true}}}},
            "timeouts": {"nesting_mode": "single", "block": {"attributes": {"create": {"type": "string", "optional": true}}}}
        }}}"#;

    const OLD: &str = r#"{"id": "i-1", "tags": {"a": "1", "c": "3"}, "any": null,
        "disks": [{"size": 1, "id": "d"}], "rule": [{"port": 80}, {"port": 443}], "zone": {}, "timeouts": null}"#;
    const NEW: &str = r#"{"id": "i-1", "tags": {"a": "1", "b": "2"}, "any": {"type": ["list", "string"], "value": ["x"]},
        "disks": [{"size": 2, "id": "d"}, null], "rule": [{"port": 443}, {"port": {"$unknown": true}}],
        "zone": {"k": {"a": null}}, "timeouts": {"create": "5m"}}"#;

    fn fixture(text: &str) -> (Schema, Value) {
        let schema = Schema::parse(SCHEMA).unwrap();
        let ty = schema.implied_type(Dialect::default());
        (schema, Value::from_json(&Json::parse(text).unwrap(), &ty).unwrap())
    }

    #[track_caller]
    fn check_change(old: &str, new: &str, detail: Detail, want: &str) {
        let ((schema, old), (_, new)) = (fixture(old), fixture(new));
        assert_eq!(plain(&change(&schema, &old, &new, detail)), want.trim_start_matches('\n'));
    }

    #[test]
    fn values_are_written_as_configurations() {
        let (schema, new) = fixture(NEW);
        let want = r#"
any   = list(string) ["x"]
disks = [{ id = "d", size = 2 }, null]
id    = "i-1"
tags  = { "a" = "1", "b" = "2" }
rule {
  port = 443
}
rule {
  port = (known after apply)
}
timeouts {
  create = "5m"
}
zone "k" {
  a = null
}
"#;
        assert_eq!(plain(&value(&schema, &new)), want.trim_start_matches('\n'));
        assert_eq!(plain(&value(&schema, &Value::null(new.ty().clone()))), "null\n");
        assert_eq!(plain(&value(&schema, &Value::unknown(new.ty().clone()))), "(known after apply)\n");
    }

    #[test]
    fn members_of_other_types_than_the_schema_has_are_marked() {
        let schema = r#"{"block": {"block_types": {"a": {"nesting_mode": "list", "block": {"attributes": {
            "any": {"type": "dynamic", "optional": true}, "n": {"type": "number", "optional": true},
            "o": {"nested_type": {"nesting_mode": "single", "attributes": {}}, "optional": true}}}}}}}"#;
        let schema = Schema::parse(schema).unwrap();
        let ty = schema.implied_type(Dialect::default());
        let text = r#"{"a": {"type": ["tuple", [["object", {"any": "bool", "n": "string", "o": "string"}]]],
            "value": [{"any": null, "n": null, "o": null}]}}"#;
        let found = Value::from_json(&Json::parse(text).unwrap(), &ty).unwrap();
        let want = r#"
a {
  any = bool null
  n   = string null
  o   = string null
}
"#;
        assert_eq!(plain(&value(&schema, &found)), want.trim_start_matches('\n'));
    }

    #[test]
    fn changes_are_written_as_plans() {
        let want = r#"
~ update in-place
~ any   = null -> list(string) ["x"]
~ disks = [
    ~ {
        ~ size = 1 -> 2
          # (1 unchanged attribute hidden)
      },
    + null,
  ]
~ tags  = {
    + "b" = "2"
    - "c" = "3"
      # (1 unchanged element hidden)
  }
+ rule {
    + port = (known after apply)
  }
- rule {
    - port = 80
  }
+ timeouts {
    + create = "5m"
  }
+ zone "k" {
      a = null
  }
  # (1 unchanged attribute hidden)
  # (1 unchanged block hidden)
"#;
        check_change(OLD, NEW, Detail::Changes, want);
    }

    #[test]
    fn creation_deletion_and_no_change_are_named() {
        check_change("null", "null", Detail::Full, "no change\n  null\n");
        check_change(OLD, OLD, Detail::Changes, "no change\n");
        let small = r#"{"id": null, "tags": {}, "any": null, "disks": null, "rule": [{"port": 1}], "zone": {}, "timeouts": null}"#;
        let want = |head: &str, sign: &str| {
            let nulls = "  any   = null\n  disks = null\n  id    = null\n";
            let rest = format!("{sign} tags  = {{}}\n{sign} rule {{\n    {sign} port = 1\n  }}\n  timeouts = null\n");
            format!("{head}\n{nulls}{rest}{sign} zone = {{}}\n")
        };
        check_change("null", small, Detail::Changes, &want("+ create", "+"));
        check_change(small, "null", Detail::Changes, &want("- destroy", "-"));
    }

    #[test]
    fn long_collections_are_cut() {
        let (schema, _) = fixture("null");
        let ports: Vec<String> = (0..250).map(|port| format!("{{\"size\": {port}, \"id\": null}}")).collect();
        let text = OLD.replace(r#"[{"size": 1, "id": "d"}]"#, &format!("[{}]", ports.join(",")));
        let (_, value) = fixture(&text);
        let text = plain(&super::value(&schema, &value));
        assert!(text.contains("# (50 more elements)"), "{text}");
    }
}
