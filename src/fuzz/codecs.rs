//! Readers of bytes, given hostile bytes: no reader panics or runs away, and everything that is read, written and read
//! again is the same.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use planfuzz_core::dialect::{Dialect, Engine};
use planfuzz_core::json::{Field as _, Json, JsonError, ObjectReader};
use planfuzz_core::msgpack;
use planfuzz_core::planner::{Planner, Prepared};
use planfuzz_core::plans::file::PlanFile;
use planfuzz_core::plans::json::{PlanJson, StateJson};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::file::Snapshot;
use planfuzz_core::value::{Number, Type, Value, WrittenPath, raw_equals};
use planfuzz_language::expression::notation::{Locals, write_outcome};
use planfuzz_language::laws::{Syntax, round_trip};
use planfuzz_optimized::{Optimized, WireError, WireProgram};

use super::wire;
use crate::artifact::{Artifact, Catalogue};
use crate::case::{CaseFile, ExpressionCall, KeptFinding, Vector, has_minus_zero_in_set};
use crate::lint::lint;
use crate::subject::{Panic, guard, walked};

/// The first byte of raw input for the first codec; the others follow.
const FIRST_TAG: u8 = 0x10;

macro_rules! codecs {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $check:path);* $(;)?) => {
        /// A reader of bytes. The order is that of the tags: new ones come last.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Codec { $($(#[$doc])* $variant),* }

        impl Codec {
            /// All of them.
            pub const ALL: &'static [Codec] = &[$(Codec::$variant),*];

            /// The name in documents.
            pub fn name(self) -> &'static str {
                match self { $(Codec::$variant => $name),* }
            }

            fn check(self, bytes: &[u8]) -> Result<Law, Law> {
                match self { $(Codec::$variant => $check(bytes)),* }
            }
        }
    };
}

codecs! {
    /// JSON documents.
    Json = "json", json;
    /// Case files, in both forms.
    Case = "case", case;
    /// Vectors.
    Vector = "vector", vector;
    /// Resource schemas.
    Schema = "schema", schema;
    /// A type in JSON, a line feed, and msgpack.
    Msgpack = "msgpack", msgpack_of_type;
    /// msgpack of which the type is not known.
    ImpliedType = "implied_type", implied_type;
    /// Plan files.
    PlanFile = "plan_file", plan_file;
    /// State files.
    StateFile = "state_file", state_file;
    /// The output of `show -json` for plans and states.
    Shown = "shown", shown;
    /// Plan files, states and their JSON, as users have them, linted.
    Artifact = "artifact", artifact;
    /// Texts of types, numbers and paths, and values along types: one a line.
    Texts = "texts", texts;
    /// A schema in JSON, a line feed, a length in decimal, a line feed, and msgpack: a prior state of that length, and a
    /// configuration.
    Proposed = "proposed", proposed;
    /// Configuration in native syntax.
    Native = "native", native;
    /// Configuration in JSON syntax.
    JsonSyntax = "json_syntax", json_syntax;
    /// Expressions, and their results where no name is defined.
    Expression = "expression", expression;
}

/// The result of a check in a word: [`READ`], [`REFUSED`], or the law that is broken.
type Law = &'static str;

const READ: Law = "read";
const REFUSED: Law = "refused";

/// An input: a codec, and bytes for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document<'b> {
    /// Its reader.
    pub codec: Codec,
    /// The bytes that are read.
    pub bytes: Cow<'b, [u8]>,
}

/// The outcome of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// It was read, and reads the same after it was written.
    Read,
    /// It was refused.
    Refused,
    /// A law is broken, or the reader panicked: what and where, without the content of the input.
    Broken {
        /// `law:…` or `crash:FILE:LINE`.
        kind: String,
        /// In words.
        message: String,
    },
}

impl<'b> Document<'b> {
    /// Parses an input: a readable document, or a tag and raw bytes; `None` for other bytes.
    pub fn read(bytes: &'b [u8]) -> Option<Document<'b>> {
        let (tag, raw) = bytes.split_first()?;
        if *tag == b'{' {
            return Json::parse_bytes(bytes).ok().and_then(|json| Document::from_json(&json).ok());
        }
        let codec = *Codec::ALL.get(usize::from(tag.checked_sub(FIRST_TAG)?))?;
        Some(Document { codec, bytes: Cow::Borrowed(raw) })
    }

    /// Reads a readable document.
    ///
    /// # Errors
    /// Members other than `format`, `codec`, and one of `text` and `base64`; `purpose` and `finding` are ignored.
    pub fn from_json(json: &Json) -> Result<Document<'static>, JsonError> {
        let mut reader = ObjectReader::new(json, "a document for a codec")?;
        reader.required("format", |json| match json.expect_u64()? {
            1 => Ok(()),
            _ => Err(json.unexpected("the format number 1")),
        })?;
        reader.take("purpose");
        reader.take("finding");
        let codec = reader.required("codec", |json| {
            let name = json.expect_string()?;
            let found = Codec::ALL.iter().find(|codec| codec.name() == name);
            found.copied().ok_or_else(|| json.unexpected("the name of a codec such as plan_file"))
        })?;
        let text = reader.optional("text", |json| Ok(json.expect_string()?.as_bytes().to_vec()))?;
        let bytes = match text {
            Some(text) => text,
            None => reader.required("base64", |json| {
                BASE64.decode(json.expect_string()?).map_err(|_| json.unexpected("bytes in base64, with padding"))
            })?,
        };
        reader.finish()?;
        Ok(Document { codec, bytes: Cow::Owned(bytes) })
    }

    /// The readable document, as text where the bytes are text.
    pub fn to_json(&self, finding: Option<&KeptFinding>) -> Json {
        let bytes = match std::str::from_utf8(&self.bytes) {
            Ok(text) => ("text", Json::string(text)),
            Err(_) => ("base64", Json::string(&BASE64.encode(&self.bytes))),
        };
        let mut members = vec![("format", Json::int(1_u64)), ("codec", Json::string(self.codec.name())), bytes];
        members.extend(finding.map(|finding| ("finding", finding.write())));
        Json::object(members)
    }

    /// The bytes with the tag of the codec.
    pub fn to_raw(&self) -> Vec<u8> {
        let place = Codec::ALL.iter().position(|codec| *codec == self.codec).unwrap_or(0);
        let mut raw = vec![FIRST_TAG + place as u8];
        raw.extend_from_slice(&self.bytes);
        raw
    }

    /// The signature of a finding in the reader.
    pub fn signature(&self, kind: &str) -> String {
        format!("codecs {kind} {}", self.codec.name())
    }

    /// Gives the bytes to the reader.
    pub fn check(&self) -> Reading {
        match guard(|| self.codec.check(&self.bytes)) {
            Ok(Ok(REFUSED)) => Reading::Refused,
            Ok(Ok(_)) => Reading::Read,
            Ok(Err(law)) => Reading::Broken { kind: format!("law:{law}"), message: law.to_owned() },
            Err(Panic { site, message }) => Reading::Broken { kind: format!("crash:{site}"), message },
        }
    }
}

fn holds(law: Law, held: bool) -> Result<Law, Law> {
    if held { Ok(READ) } else { Err(law) }
}

fn native(bytes: &[u8]) -> Result<Law, Law> {
    round_trip(bytes, Syntax::Native).map(|taken| if taken { READ } else { REFUSED })
}

fn json_syntax(bytes: &[u8]) -> Result<Law, Law> {
    round_trip(bytes, Syntax::Json).map(|taken| if taken { READ } else { REFUSED })
}

/// Evaluates whatever can be parsed: twice, with the same result.
fn expression(bytes: &[u8]) -> Result<Law, Law> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(REFUSED) };
    let call = ExpressionCall { scope: Locals::default(), expression: text.to_owned() };
    let outcome = || write_outcome(&walked(&call, Dialect::default()));
    holds("an expression comes to the same twice", outcome() == outcome())
}

fn json(bytes: &[u8]) -> Result<Law, Law> {
    let Ok(json) = Json::parse_bytes(bytes) else { return Ok(REFUSED) };
    let again = |text: &str| Json::parse(text).is_ok_and(|again| again == json);
    holds("JSON is read as it is written", again(&json.to_compact()) && again(&json.to_pretty()))
}

fn case(bytes: &[u8]) -> Result<Law, Law> {
    let Ok(document) = wire::document(bytes) else { return Ok(REFUSED) };
    let Ok(file) = CaseFile::from_json(&document) else { return Ok(REFUSED) };
    let written = file.to_json();
    let same = |read: Option<CaseFile>| read.is_some_and(|read| read.to_json() == written);
    holds("a case is read as it is written", same(CaseFile::from_json(&written).ok()))?;
    let compact = wire::document(&wire::write(&file.case)).ok();
    holds("a case has one meaning in both forms", compact.is_some_and(|compact| compact == file.case.to_json()))
}

fn vector(bytes: &[u8]) -> Result<Law, Law> {
    let Ok(json) = Json::parse_bytes(bytes) else { return Ok(REFUSED) };
    match Vector::from_json(json) {
        Ok(vector) => {
            for dialect in Dialect::ALL {
                let _ = vector.read(dialect);
            }
            Ok(READ)
        }
        Err(_) => Ok(REFUSED),
    }
}

fn schema(bytes: &[u8]) -> Result<Law, Law> {
    let Ok(json) = Json::parse_bytes(bytes) else { return Ok(REFUSED) };
    let Ok(schema) = Schema::from_json(&json) else { return Ok(REFUSED) };
    for dialect in Dialect::ALL {
        // Invalid schemas have implied types too.
        let is_valid = schema.problems(dialect).is_empty();
        let ty = schema.implied_type(dialect);
        if is_valid && !schema.empty_value(dialect).view().ty().conforms_to(&ty) {
            return Err("the empty value is of the implied type");
        }
    }
    let again = Schema::from_json(&schema.to_json());
    holds("a schema is read as it is written", again.is_ok_and(|again| again == schema))
}

fn msgpack_of_type(bytes: &[u8]) -> Result<Law, Law> {
    let mut lines = bytes.splitn(2, |byte| *byte == b'\n');
    let (Some(ty), Some(bytes)) = (lines.next(), lines.next()) else { return Ok(REFUSED) };
    let Some(ty) = std::str::from_utf8(ty).ok().and_then(|text| Type::parse(text).ok()) else { return Ok(REFUSED) };
    let Ok(value) = msgpack::decode(bytes, &ty) else { return Ok(REFUSED) };
    let encoded = match msgpack::encode(value.view(), &ty) {
        Ok(encoded) => encoded,
        // V85: no members at all are read as an empty object, whatever the type.
        Err(_) if !value.ty().conforms_to(&ty) => return Ok(READ),
        Err(_) => return Err("what was decoded can be encoded"),
    };
    // V56, V95: without the signs of zeros a set has another order, or fewer elements.
    if has_minus_zero_in_set(value.view()) {
        return Ok(READ);
    }
    // V95: a value loses information in the first encoding at most.
    let again = msgpack::decode(&encoded, &ty).ok().and_then(|again| msgpack::encode(again.view(), &ty).ok());
    holds("msgpack is encoded as it was decoded", again.is_some_and(|again| again == encoded))
}

/// A merge of bytes gives the same as decoding, merging and encoding, refusals included.
fn proposed(bytes: &[u8]) -> Result<Law, Law> {
    let mut lines = bytes.splitn(3, |byte| *byte == b'\n');
    let (Some(schema), Some(length), Some(values)) = (lines.next(), lines.next(), lines.next()) else {
        return Ok(REFUSED);
    };
    let schema = Json::parse_bytes(schema).ok().and_then(|json| Schema::from_json(&json).ok());
    let length = std::str::from_utf8(length).ok().and_then(|text| text.parse().ok());
    let (Some(schema), Some(sides)) = (schema, length.and_then(|length| values.split_at_checked(length))) else {
        return Ok(REFUSED);
    };
    let (mut law, (prior, config)) = (REFUSED, sides);
    for dialect in Dialect::ALL {
        let program = WireProgram::compile(&schema, dialect);
        let found = program.proposed_new(prior, config).map_err(|error| error.to_string());
        if schema.problems(dialect).is_empty() {
            let prepared = Optimized.prepare(&schema, dialect);
            let want = by_values(&*prepared, program.ty(), prior, config);
            law = if want.is_ok() { READ } else { law };
            holds("a merge of bytes is the merge of what they say", found == want)?;
        }
    }
    Ok(law)
}

/// The merge over values, with its refusals in the words of the merge of bytes.
fn by_values(prepared: &dyn Prepared, ty: &Type, prior: &[u8], config: &[u8]) -> Result<Vec<u8>, String> {
    let prior = msgpack::decode(prior, ty).map_err(|error| WireError::Prior(error).to_string())?;
    let config = msgpack::decode(config, ty).map_err(|error| WireError::Config(error).to_string())?;
    let proposed = prepared.proposed_new(&prior, &config).map_err(|refusal| refusal.to_string())?;
    msgpack::encode(proposed.view(), ty).map_err(|error| error.to_string())
}

fn implied_type(bytes: &[u8]) -> Result<Law, Law> {
    // V90: for some bytes a type is implied that they do not have.
    Ok(if msgpack::implied_type(bytes).is_ok() { READ } else { REFUSED })
}

fn plan_file(bytes: &[u8]) -> Result<Law, Law> {
    let mut read_by_any = false;
    for engine in [Engine::Terraform, Engine::OpenTofu] {
        let Ok(file) = PlanFile::read(bytes, engine) else { continue };
        read_by_any = true;
        let _ = file.to_plan();
        let Ok(written) = file.write() else { continue };
        let Ok(again) = PlanFile::read(&written, engine) else {
            return Err("a plan file that was written can be read");
        };
        holds("a plan file is read as it is written", again.plan == file.plan)?;
    }
    Ok(if read_by_any { READ } else { REFUSED })
}

fn state_file(bytes: &[u8]) -> Result<Law, Law> {
    let Ok(snapshot) = Snapshot::read(bytes) else { return Ok(REFUSED) };
    // Instances are put in order when they are written.
    let written = snapshot.to_compact();
    let again = Snapshot::read(written.as_bytes());
    holds("a state is read as it is written", again.is_ok_and(|again| again.to_compact() == written))
}

fn shown(bytes: &[u8]) -> Result<Law, Law> {
    let plan = PlanJson::read(bytes).is_ok();
    let state = StateJson::read(bytes).is_ok();
    Ok(if plan || state { READ } else { REFUSED })
}

fn artifact(bytes: &[u8]) -> Result<Law, Law> {
    let Ok(artifact) = Artifact::read(bytes, None) else { return Ok(REFUSED) };
    lint(&artifact, &Catalogue::default());
    Ok(READ)
}

fn texts(bytes: &[u8]) -> Result<Law, Law> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(REFUSED) };
    let mut law = REFUSED;
    let mut lines = text.lines().take(16);
    while let Some(line) = lines.next() {
        if let Ok(ty) = Type::parse(line) {
            law = READ;
            holds("a type is read as it is written", Type::from_json(&ty.to_json()).is_ok_and(|again| again == ty))?;
            let value = lines.next().and_then(|line| Json::parse(line).ok());
            if let Some(value) = value.and_then(|json| Value::from_json(&json, &ty).ok()) {
                let again = Value::from_json(&value.to_json(&ty), &ty);
                let same = again.is_ok_and(|again| raw_equals(again.view(), value.view()));
                holds("a value is read as it is written", same)?;
            }
        } else if let Ok(path) = WrittenPath::parse(line) {
            law = READ;
            holds(
                "a path is read as it is written",
                WrittenPath::parse(&path.to_string()).is_ok_and(|again| again == path),
            )?;
        } else if let Ok(number) = Number::parse(line) {
            law = READ;
            // V19: a great power of two may print as its neighbour, whose text is its own.
            let again = Number::parse(&number.text()).ok();
            let stays = again.and_then(|again| Some(Number::parse(&again.text()).ok()?.equals(&again)));
            holds("a number is read as it is written", stays == Some(true))?;
        }
    }
    Ok(law)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_the_same_in_both_forms() {
        for codec in Codec::ALL {
            for bytes in [&b"{}\n"[..], b"", &[0xff, 0x00]] {
                let document = Document { codec: *codec, bytes: bytes.into() };
                let text = document.to_json(None).to_pretty();
                assert_eq!(Document::read(text.as_bytes()), Some(document.clone()));
                assert_eq!(Document::read(&document.to_raw()), Some(document));
            }
        }
        assert_eq!(Document::read(b""), None);
        assert_eq!(Document::read(&[0x0f]), None);
        assert_eq!(Document::read(&[0xff, 1]), None);
        assert_eq!(Document::read(br#"{"format":2,"codec":"json","text":""}"#), None);
    }

    #[test]
    fn documents_that_are_read_hold_and_others_are_refused() {
        let of = |codec, bytes: &[u8]| Document { codec, bytes: bytes.into() }.check();
        assert_eq!(of(Codec::Json, b"[1, 2.50]"), Reading::Read);
        assert_eq!(of(Codec::Json, b"[1, 2.50"), Reading::Refused);
        assert_eq!(of(Codec::Msgpack, b"\"string\"\n\xa1a"), Reading::Read);
        assert_eq!(of(Codec::Msgpack, b"\"number\"\n\xa1a"), Reading::Refused);
        let no_members = b"[\"object\",{\"a\":\"number\"}]\n\x80";
        assert_eq!(of(Codec::Msgpack, no_members), Reading::Read, "V85: of another type");
        let both_zeros = b"[\"set\",\"number\"]\n\x92\xca\x80\0\0\0\0";
        assert_eq!(of(Codec::Msgpack, both_zeros), Reading::Read, "V56: one element without the sign");
        assert_eq!(
            of(Codec::Schema, br#"{"block":{"attributes":{"a":{"type":"string","optional":true}}}}"#),
            Reading::Read
        );
        assert_eq!(of(Codec::PlanFile, b"PK"), Reading::Refused);
        let schema = br#"{"block":{"attributes":{"a":{"type":"string","computed":true}}}}"#;
        let proposed = |rest: &[u8]| of(Codec::Proposed, &[&schema[..], rest].concat());
        assert_eq!(proposed(b"\n5\n\x81\xa1a\xa1p\x81\xa1a\xc0"), Reading::Read);
        assert_eq!(proposed(b"\n9\n\x81\xa1a\xa1p\x81\xa1a\xc0"), Reading::Refused);
        assert_eq!(of(Codec::Texts, b".a[0]\n[\"list\",\"bool\"]\n[true]\n1e3"), Reading::Read);
    }
}
