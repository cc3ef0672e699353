//! Vectors: calls with a recorded outcome.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Json, JsonError, ObjectReader};

use super::read::{read_call, read_dialect, read_op};
use super::{Call, Op};

/// A line of a vector file whose inputs are not read yet: they depend on the dialect it is asked in.
#[derive(Clone, Debug)]
pub struct Vector {
    /// The id.
    pub id: String,
    /// The operation by its name: there are more of them than this build knows.
    pub op: String,
    /// The dialects in which the outcome holds; nothing where it holds in all.
    pub dialects: Option<Vec<Dialect>>,
    document: Json,
}

impl Vector {
    /// Reads the head of a vector: its id, operation and dialects.
    ///
    /// # Errors
    /// A document that is no vector.
    pub fn from_json(document: Json) -> Result<Vector, JsonError> {
        let mut reader = ObjectReader::new(&document, "a vector")?;
        let id = reader.required("id", Json::expect_string)?.to_owned();
        let op = reader.required("op", Json::expect_string)?.to_owned();
        let dialects = reader.optional("dialect", read_dialects)?;
        Ok(Vector { id, op, dialects, document })
    }

    /// The operation, where this build knows it.
    pub fn known_op(&self) -> Option<Op> {
        self.op.parse().ok()
    }

    /// Whether the outcome holds in a dialect.
    pub fn holds_in(&self, dialect: Dialect) -> bool {
        self.dialects.as_ref().is_none_or(|dialects| dialects.contains(&dialect))
    }

    /// Reads the inputs in a dialect, and the outcome as it is written.
    ///
    /// # Errors
    /// Inputs that the operation does not take, and members that mean nothing.
    pub fn read(&self, dialect: Dialect) -> Result<(Call, &Json), JsonError> {
        let (call, mut reader) = self.read_inputs(dialect)?;
        let want = reader.required("want", Ok)?;
        reader.finish()?;
        Ok((call, want))
    }

    fn read_inputs(&self, dialect: Dialect) -> Result<(Call, ObjectReader<'_>), JsonError> {
        read_inputs(&self.document, dialect)
    }
}

impl Call {
    /// Reads a request of the line protocol: a vector without a want, whose id may be anything.
    ///
    /// # Errors
    /// As [`Vector::read`], and a want.
    pub fn from_request(document: &Json, dialect: Dialect) -> Result<Call, JsonError> {
        let (call, reader) = read_inputs(document, dialect)?;
        reader.finish()?;
        Ok(call)
    }
}

fn read_inputs(document: &Json, dialect: Dialect) -> Result<(Call, ObjectReader<'_>), JsonError> {
    let mut reader = ObjectReader::new(document, "a vector")?;
    for head in ["id", "dialect"] {
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
