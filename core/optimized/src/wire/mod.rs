//! Planning from wire to wire: `proposed_new` of msgpack bytes, as bytes.
//!
//! A plan starts and ends with bytes, and most of the proposed object stands in them already: configured values in the
//! configuration's, computed ones in the prior state's. So the two are walked once, in step, and unchanged parts are
//! copied. The answer is that of decoding both, merging and encoding, byte for byte, on any input: a part is copied only if
//! it is written as the encoder writes it (`scan`); other parts are decoded, merged and encoded member by member (`merge`);
//! and where a part cannot be read or is refused the whole input is decoded, for the error and its place.
//!
//! It is part of the optimized planner, whose compiled schema it reads; the walk is its own, and comparisons treat it as a
//! planner of its own.

mod collections;
mod layout;
mod merge;
mod scan;
mod sides;
mod splice;
mod survival;
#[cfg(test)]
mod tests;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::msgpack::{DecodeError, EncodeError, decode, encode};
use planfuzz_core::planner::{
    Applied, ApplyRequest, Plan, PlanRequest, Planner, Prepared, Provider, Refusal, Violation,
};
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{MAX_DEPTH, Path, Type, Value};

use super::merge::Merge;
use super::operations::Program;
use layout::Layout;
use merge::Place;
use scan::Cursor;
use sides::{Prior, Walk};

/// The planner from wire to wire. It answers `proposed_new` and refuses everything else.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wire;

/// A schema, compiled for bytes.
pub struct WireProgram {
    program: Program,
    /// `None` where the schema is deeper than values may be: then the decoder reports the error about the levels.
    layout: Option<Layout>,
}

/// The reason why there is no answer.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// The prior state cannot be decoded.
    #[error("the prior state: {0}")]
    Prior(DecodeError),
    /// The configuration cannot be decoded.
    #[error("the configuration: {0}")]
    Config(DecodeError),
    /// The merge refuses the values.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The answer has no encoding.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

impl WireProgram {
    /// Compiles a schema, which is valid in the dialect; for an invalid one the answers are undefined, but there is no
    /// panic.
    pub fn compile(schema: &Schema, dialect: Dialect) -> WireProgram {
        let program = Program::compile(schema, dialect);
        let is_bounded = program.root.ty.depth() <= MAX_DEPTH;
        let layout = if is_bounded { Layout::of(&program.root, 0) } else { None };
        WireProgram { program, layout }
    }

    /// The implied type of the schema (S30), which both inputs and the answer are written against.
    pub fn ty(&self) -> &Type {
        &self.program.root.ty
    }

    /// ProposedNew (M01) of a prior state and a configuration, as providers and engines write them; what follows either
    /// value is ignored (V80). The answer is what [`encode`] writes of the merge of what [`decode`] reads.
    ///
    /// # Errors
    /// What cannot be decoded, the prior state's problem first; what does not conform to the schema (S30, V85) and what the
    /// merge refuses; lengths beyond 32 bits.
    pub fn proposed_new(&self, prior: &[u8], config: &[u8]) -> Result<Vec<u8>, WireError> {
        match self.spliced(prior, config) {
            Some(answer) => Ok(answer),
            None => self.decoded(prior, config),
        }
    }

    /// The answer from the bytes; `None` where everything has to be decoded.
    fn spliced(&self, prior: &[u8], config: &[u8]) -> Option<Vec<u8>> {
        let place = Place { object: &self.program.root, layout: self.layout.as_ref()? };
        let merge = Merge::new(self.program.dialect);
        let mut walk = Walk::new(merge, prior.len().max(config.len()));
        let mut prior = Prior::At(Cursor::new(prior));
        walk.proposed(place, &mut prior, &mut Cursor::new(config)).ok()?;
        Some(walk.out.finish())
    }

    fn decoded(&self, prior: &[u8], config: &[u8]) -> Result<Vec<u8>, WireError> {
        let prior = decode(prior, self.ty()).map_err(WireError::Prior)?;
        let config = decode(config, self.ty()).map_err(WireError::Config)?;
        let proposed = self.program.proposed_new(&prior, &config)?;
        Ok(encode(proposed.view(), self.ty())?)
    }
}

impl Planner for Wire {
    fn name(&self) -> &str {
        "wire"
    }

    fn prepare<'s>(&self, schema: &'s Schema, dialect: Dialect) -> Box<dyn Prepared + 's> {
        Box::new(WireProgram::compile(schema, dialect))
    }
}

impl Prepared for WireProgram {
    /// The same for values, by way of bytes: details that msgpack does not keep (V95) are lost.
    fn proposed_new(&self, prior: &Value, config: &Value) -> Result<Value, Refusal> {
        self.program.accept(&[prior, config])?;
        let write = |value: &Value| encode(value.view(), self.ty()).map_err(|error| no_bytes("V70", &error));
        let answer = self.proposed_new(&write(prior)?, &write(config)?).map_err(|error| match error {
            WireError::Refused(refusal) => refusal,
            other => no_bytes("V95", &other),
        })?;
        decode(&answer, self.ty()).map_err(|error| no_bytes("V95", &error))
    }

    fn planned_data_resource(&self, _: &Value) -> Result<Value, Refusal> {
        Err(not_offered())
    }

    fn assert_plan_valid(&self, _: &Value, _: &Value, _: &Value) -> Result<Vec<Violation>, Refusal> {
        Err(not_offered())
    }

    fn assert_object_compatible(&self, _: &Value, _: &Value) -> Result<Vec<Violation>, Refusal> {
        Err(not_offered())
    }

    fn normalize_legacy(&self, _: &Value) -> Result<Value, Refusal> {
        Err(not_offered())
    }

    fn prepare_computed_blocks(&self, _: &Value) -> Result<Value, Refusal> {
        Err(not_offered())
    }

    fn plan(&self, _: &PlanRequest, _: &mut dyn Provider) -> Result<Plan, Refusal> {
        Err(not_offered())
    }

    fn apply(&self, _: &ApplyRequest, _: &mut dyn Provider) -> Result<Applied, Refusal> {
        Err(not_offered())
    }
}

fn not_offered() -> Refusal {
    Refusal::new("M01", &Path::root(), "from wire to wire there is the merge alone")
}

fn no_bytes(rule: &'static str, error: &dyn std::error::Error) -> Refusal {
    Refusal::new(rule, &Path::root(), error.to_string())
}
