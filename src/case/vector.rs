//! Vectors: calls with a recorded outcome.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Json, JsonError, ObjectReader};

use super::Shown;
use super::read::{read_call, read_dialect, read_op};
use super::{Call, Op};

/// A line of a vector file whose inputs are not read yet, because reading them depends on the dialect.
#[derive(Clone, Debug)]
pub struct Vector {
    /// The id.
    pub id: String,
    /// The operation by its name, which this build may not know.
    pub op: String,
    /// The dialects in which the outcome holds; `None` for all.
    pub dialects: Option<Vec<Dialect>>,
    /// The producer of the outcome, if it is recorded.
    pub recorded: Option<Recorded>,
    document: Json,
}

/// The producer of an outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The producer with its version: `Terraform 1.11.4`.
    pub by: String,
    /// How much of the outcome was visible; the rest is not compared.
    pub shown: Shown,
}

/// The members of a vector that are not inputs.
const HEADS: [&str; 3] = ["id", "dialect", "recorded"];

impl Vector {
    /// A vector of a recorded answer to a call.
    pub fn record(id: &str, dialect: Dialect, recorded: &Recorded, call: &Call, want: Json) -> Vector {
        let mut members = vec![
            ("id", Json::string(id)),
            ("dialect", Json::string(&dialect.to_string())),
            ("recorded", recorded.to_json()),
        ];
        members.extend(call.members(dialect));
        members.push(("want", want));
        Vector {
            id: id.to_owned(),
            op: call.op().name().to_owned(),
            dialects: Some(vec![dialect]),
            recorded: Some(recorded.clone()),
            document: Json::object(members),
        }
    }

    /// The document.
    pub fn document(&self) -> &Json {
        &self.document
    }

    /// Reads the head of a vector: its id, operation and dialects.
    ///
    /// # Errors
    /// A document that is not a vector.
    pub fn from_json(document: Json) -> Result<Vector, JsonError> {
        let mut reader = ObjectReader::new(&document, "a vector")?;
        let id = reader.required("id", Json::expect_string)?.to_owned();
        let op = reader.required("op", Json::expect_string)?.to_owned();
        let dialects = reader.optional("dialect", read_dialects)?;
        let recorded = reader.optional("recorded", Recorded::from_json)?;
        Ok(Vector { id, op, dialects, recorded, document })
    }

    /// The operation; `None` if this build does not know it.
    pub fn known_op(&self) -> Option<Op> {
        self.op.parse().ok()
    }

    /// How much of the outcome was visible: all of it if the vector does not record it.
    pub fn shown(&self) -> Shown {
        self.recorded.as_ref().map(|recorded| recorded.shown).unwrap_or_default()
    }

    /// Whether the outcome holds in a dialect.
    pub fn holds_in(&self, dialect: Dialect) -> bool {
        self.dialects.as_ref().is_none_or(|dialects| dialects.contains(&dialect))
    }

    /// Reads the inputs in a dialect, and the outcome as it is written.
    ///
    /// # Errors
    /// Inputs that the operation does not take, and unknown members.
    pub fn read(&self, dialect: Dialect) -> Result<(Call, &Json), JsonError> {
        let (call, mut reader) = self.read_inputs(dialect)?;
        let want = reader.required("want", Ok)?;
        reader.finish()?;
        Ok((call, want))
    }

    /// Reads the inputs alone, so that the outcome can be recorded anew.
    ///
    /// # Errors
    /// As [`Vector::read`], except for the want.
    pub fn read_call(&self, dialect: Dialect) -> Result<Call, JsonError> {
        let (call, mut reader) = self.read_inputs(dialect)?;
        reader.take("want");
        reader.finish()?;
        Ok(call)
    }

    fn read_inputs(&self, dialect: Dialect) -> Result<(Call, ObjectReader<'_>), JsonError> {
        read_inputs(&self.document, dialect)
    }
}

impl Recorded {
    /// Its form in vectors.
    pub fn to_json(&self) -> Json {
        let Recorded { by, shown } = self;
        let mut members = vec![("by", Json::string(by))];
        if *shown > Shown::default() {
            members.push(("shown", Json::string(shown.name())));
        }
        Json::object(members)
    }

    fn from_json(json: &Json) -> Result<Recorded, JsonError> {
        let mut reader = ObjectReader::new(json, "who gave the outcome: \"by\" and \"shown\"")?;
        let by = reader.required("by", Json::expect_string)?.to_owned();
        let shown = reader.optional("shown", read_shown)?.unwrap_or_default();
        reader.finish()?;
        Ok(Recorded { by, shown })
    }
}

fn read_shown(json: &Json) -> Result<Shown, JsonError> {
    let name = json.expect_string()?;
    let found = Shown::ALL.into_iter().find(|shown| shown.name() == name);
    found.ok_or_else(|| json.unexpected("whole, written or observed"))
}

impl Call {
    /// Reads a request of the line protocol: a vector without a want, whose id may be anything.
    ///
    /// # Errors
    /// As [`Vector::read`], and a document that has a want.
    pub fn from_request(document: &Json, dialect: Dialect) -> Result<Call, JsonError> {
        let (call, reader) = read_inputs(document, dialect)?;
        reader.finish()?;
        Ok(call)
    }
}

fn read_inputs(document: &Json, dialect: Dialect) -> Result<(Call, ObjectReader<'_>), JsonError> {
    let mut reader = ObjectReader::new(document, "a vector")?;
    for head in HEADS {
        reader.take(head);
    }
    let op = reader.required("op", read_op)?;
    let call = read_call(&mut reader, op, dialect)?;
    Ok((call, reader))
}

/// One name or an array of them.
fn read_dialects(json: &Json) -> Result<Vec<Dialect>, JsonError> {
    match json {
        Json::Array(_) => json.read_items(read_dialect),
        one => read_dialect(one).map(|dialect| vec![dialect]),
    }
}
