//! The compact form of a document: a structural mutator writes it in a loop; it is valid within one build only.
//!
//! It holds the same as JSON in a fifth of the bytes: every text once, lengths and kinds in one byte. Words that every case has
//! are in a table of this build; the stamp at the start identifies the table, so that another build refuses the bytes.

use planfuzz_core::json::Json;

/// The first byte of the compact form. No JSON document starts with it.
pub const TAG: u8 = 0x01;

/// How deep a document may be.
const MAX_DEPTH: usize = 512;

/// The greatest length that the first byte of a part holds; one more means that the length follows.
const SHORT: usize = 30;

/// Words that need not be written out.
const WORDS: &[&str] = &[
    "format",
    "dialect",
    "op",
    "merge",
    "scenario",
    "schema",
    "block",
    "attributes",
    "block_types",
    "nested_type",
    "nesting_mode",
    "type",
    "optional",
    "required",
    "computed",
    "sensitive",
    "write_only",
    "deprecated",
    "min_items",
    "max_items",
    "version",
    "prior",
    "config",
    "planned",
    "actual",
    "value",
    "$unknown",
    "not_null",
    "string",
    "number",
    "bool",
    "list",
    "set",
    "map",
    "single",
    "group",
    "tuple",
    "object",
    "dynamic",
    "model",
    "style",
    "framework",
    "sdk",
    "sdk_schema",
    "rules",
    "plan",
    "state",
    "current",
    "remote",
    "steps",
    "command",
    "apply",
    "refresh",
    "destroy",
    "import",
    "presence",
    "at_apply",
    "lifecycle",
    "options",
    "outside",
    "faults",
    "failures",
    "terraform-1.11",
    "terraform-1.17",
    "opentofu-1.12",
    "opentofu-1.13",
    "a",
    "b",
    "c",
    "d",
    "id",
    "name",
    "purpose",
    "proposed_new",
    "workspace",
    "providers",
    "models",
    "files",
    "provider",
    "resource_schemas",
    "data_source_schemas",
    "ephemeral_resource_schemas",
    "stable",
    "volatile",
    "replace",
    "out",
    "note",
    "size",
    "tags",
    "any",
    "secret",
    "wo",
    "q",
    "label",
    "token",
    "key",
    "rule",
    "port",
    "to",
    "mark",
    "input",
    "output",
    "triggers_replace",
    "w_thing",
    "w_other",
    "w_box",
    "w_rack",
    "need",
    "slot",
    "only",
    "spare",
    "part",
    "w_info",
    "w_eph",
    "v_thing",
    "terraform_data",
    "main.tf.json",
    "resource",
    "data",
    "ephemeral",
    "module",
    "variable",
    "locals",
    "moved",
    "removed",
    "from",
    "source",
    "for_each",
    "count",
    "depends_on",
    "create_before_destroy",
    "required_providers",
    "refresh_only",
    "targets",
    "excludes",
    "parallelism",
    "interrupt",
    "fails",
    "call",
    "how",
    "registry.terraform.io/hashicorp/w",
    "registry.terraform.io/hashicorp/v",
    "registry.opentofu.org/hashicorp/w",
    "registry.opentofu.org/hashicorp/v",
    "terraform.io/builtin/terraform",
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    Number,
    /// A text that is written here for the first time.
    Text,
    /// A text by its place among those before.
    Known,
    Array,
    Object,
}

const KINDS: [Kind; 6] = [Kind::Word, Kind::Number, Kind::Text, Kind::Known, Kind::Array, Kind::Object];

/// Why bytes are no document in the compact form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompactError {
    /// The stamp is that of another build.
    #[error(
        "expected the compact form of this build, found that of another: export it as JSON with the build that wrote it"
    )]
    OtherBuild,
    /// The bytes end too early, or go on.
    #[error("byte {at}: expected {expected}")]
    Malformed {
        /// Where.
        at: usize,
        /// What is expected there.
        expected: &'static str,
    },
}

/// Writes a document.
pub fn write(document: &Json) -> Vec<u8> {
    let mut writer = Writer {
        bytes: vec![TAG],
        texts: WORDS.iter().enumerate().map(|(place, word)| ((*word).into(), place)).collect(),
    };
    writer.bytes.extend(stamp().to_le_bytes());
    writer.json(document);
    writer.bytes
}

/// Reads a document that was written by this build.
///
/// # Errors
/// Bytes of another build, and malformed bytes.
pub fn read(bytes: &[u8]) -> Result<Json, CompactError> {
    let stamped = bytes.strip_prefix(&[TAG]).and_then(|rest| rest.split_first_chunk::<4>());
    let Some((found, _)) = stamped else {
        return Err(CompactError::Malformed { at: 0, expected: "the tag and the stamp of the compact form" });
    };
    if *found != stamp().to_le_bytes() {
        return Err(CompactError::OtherBuild);
    }
    let mut reader = Reader { bytes, at: 5, texts: WORDS.iter().map(|word| (*word).into()).collect() };
    let document = reader.json(0)?;
    match reader.at == bytes.len() {
        true => Ok(document),
        false => Err(reader.malformed("nothing more")),
    }
}

/// The hash of the table and the layout.
fn stamp() -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(env!("CARGO_PKG_VERSION").as_bytes());
    for word in WORDS {
        hasher.update(word.as_bytes());
        hasher.update(&[0]);
    }
    hasher.finalize()
}

struct Writer {
    bytes: Vec<u8>,
    texts: std::collections::BTreeMap<Box<str>, usize>,
}

impl Writer {
    fn head(&mut self, kind: Kind, length: usize) {
        let kind = KINDS.iter().position(|probe| *probe == kind).unwrap_or(0) as u8;
        let short = length.min(SHORT + 1);
        self.bytes.push(kind << 5 | short as u8);
        if short > SHORT {
            let mut rest = length;
            while rest >= 0x80 {
                self.bytes.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            self.bytes.push(rest as u8);
        }
    }

    fn json(&mut self, json: &Json) {
        match json {
            Json::Null => self.head(Kind::Word, 0),
            Json::Bool(bool) => self.head(Kind::Word, 1 + usize::from(*bool)),
            Json::Number(text) => {
                self.head(Kind::Number, text.len());
                self.bytes.extend(text.as_bytes());
            }
            Json::String(text) => self.text(text),
            Json::Array(items) => {
                self.head(Kind::Array, items.len());
                items.iter().for_each(|item| self.json(item));
            }
            Json::Object(members) => {
                self.head(Kind::Object, members.len());
                for (name, member) in members {
                    self.text(name);
                    self.json(member);
                }
            }
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(known) = self.texts.get(text) {
            return self.head(Kind::Known, *known);
        }
        let place = self.texts.len();
        self.texts.insert(text.into(), place);
        self.head(Kind::Text, text.len());
        self.bytes.extend(text.as_bytes());
    }
}

struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
    texts: Vec<Box<str>>,
}

impl Reader<'_> {
    fn malformed(&self, expected: &'static str) -> CompactError {
        CompactError::Malformed { at: self.at, expected }
    }

    fn byte(&mut self) -> Result<u8, CompactError> {
        let byte = self.bytes.get(self.at).copied().ok_or_else(|| self.malformed("another byte"))?;
        self.at += 1;
        Ok(byte)
    }

    fn head(&mut self) -> Result<(Kind, usize), CompactError> {
        let byte = self.byte()?;
        let kind = KINDS.get(usize::from(byte >> 5)).copied().ok_or_else(|| self.malformed("a kind of part"))?;
        let short = usize::from(byte & 0x1f);
        if short <= SHORT {
            return Ok((kind, short));
        }
        let mut length = 0;
        for shift in (0..28).step_by(7) {
            let byte = self.byte()?;
            length |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok((kind, length));
            }
        }
        Err(self.malformed("a length"))
    }

    fn json(&mut self, depth: usize) -> Result<Json, CompactError> {
        if depth > MAX_DEPTH {
            return Err(self.malformed("a document that is less deep"));
        }
        let (kind, length) = self.head()?;
        match kind {
            Kind::Word => match length {
                0 => Ok(Json::Null),
                1 => Ok(Json::Bool(false)),
                2 => Ok(Json::Bool(true)),
                _ => Err(self.malformed("null, false or true")),
            },
            Kind::Number => {
                let text = self.letters(length)?;
                match Json::parse(text) {
                    Ok(number @ Json::Number(_)) => Ok(number),
                    _ => Err(self.malformed("the text of a number")),
                }
            }
            Kind::Text | Kind::Known => self.text(kind, length).map(Json::String),
            Kind::Array => {
                self.enough(length)?;
                (0..length).map(|_| self.json(depth + 1)).collect::<Result<_, _>>().map(Json::Array)
            }
            Kind::Object => {
                self.enough(length)?;
                let mut members: Vec<(Box<str>, Json)> = Vec::with_capacity(length);
                let mut names = std::collections::BTreeSet::new();
                for _ in 0..length {
                    let (kind, length) = self.head()?;
                    let name = self.text(kind, length)?;
                    if !names.insert(name.clone()) {
                        return Err(self.malformed("members of different names"));
                    }
                    members.push((name, self.json(depth + 1)?));
                }
                Ok(Json::Object(members))
            }
        }
    }

    /// Every part takes at least one byte, so there are no more parts than bytes.
    fn enough(&self, count: usize) -> Result<(), CompactError> {
        if count > self.bytes.len() - self.at { Err(self.malformed("so many parts")) } else { Ok(()) }
    }

    fn letters(&mut self, length: usize) -> Result<&str, CompactError> {
        let end = self.at.checked_add(length).filter(|end| *end <= self.bytes.len());
        let Some(end) = end else { return Err(self.malformed("so many bytes")) };
        let bytes = &self.bytes[self.at..end];
        let text =
            std::str::from_utf8(bytes).map_err(|_| CompactError::Malformed { at: self.at, expected: "UTF-8" })?;
        self.at = end;
        Ok(text)
    }

    fn text(&mut self, kind: Kind, length: usize) -> Result<Box<str>, CompactError> {
        match kind {
            Kind::Known => {
                self.texts.get(length).cloned().ok_or_else(|| self.malformed("a text that was there before"))
            }
            Kind::Text => {
                let text: Box<str> = self.letters(length)?.into();
                self.texts.push(text.clone());
                Ok(text)
            }
            _ => Err(self.malformed("a text")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_read_as_it_was_written() {
        for text in [
            "null",
            r#"{"format":1,"zone":[true,false,null,-0,1e400,"","zone","zone",{"a":{"a":"é"}}]}"#,
            &format!("[{}1]", "1,".repeat(500)),
            &format!("\"{}\"", "x".repeat(70_000)),
        ] {
            let document = Json::parse(text).expect("JSON");
            let bytes = write(&document);
            assert_eq!(read(&bytes).expect(text), document);
            for cut in (0..bytes.len()).step_by(1 + bytes.len() / 50) {
                read(&bytes[..cut]).expect_err("it ends too early");
            }
        }
    }

    #[test]
    fn bytes_of_another_writer_are_refused() {
        let good = write(&Json::Null);
        let mut other = good.clone();
        other[2] ^= 1;
        assert_eq!(read(&other), Err(CompactError::OtherBuild));
        let with = |bytes: &[u8]| read(&[&good[..5], bytes].concat());
        for bytes in [
            &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff][..],
            // An array of more parts than bytes, a reference to a text that was not written, an object with one name twice.
            &[0x9f, 0xff, 0xff, 0x7f],
            &[0x7f, 0xff, 0x7f],
            &[0xa2, 0x60, 0x00, 0x60, 0x00],
            &[0x21, b'x'],
            &[0x03],
            &[0x00, 0x00],
        ] {
            with(bytes).expect_err("not written here");
        }
        let deep = [vec![0x81; 5000], vec![0]].concat();
        with(&deep).expect_err("too deep");
    }
}
