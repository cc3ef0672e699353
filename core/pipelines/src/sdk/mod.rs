//! The pipeline of providers written with the classic SDK (provider-sdk.md).
//!
//! It works on flat string maps, as the SDK does: most oddities of its outcomes come from there. The parts are named after the sections of
//! the specification and are functions of their inputs; a [`Pipeline`] is a schema with everything that follows from it alone. The effect
//! of the remote system in an apply or a read is a [`Function`], which the caller passes.

mod apply;
mod checks;
mod customize;
mod diff;
mod equivalent;
mod error;
mod fill;
mod flat;
mod flatten;
mod from_cty;
#[cfg(test)]
mod laws;
mod normalize;
mod plan;
mod planned;
mod read;
mod refresh;
mod replace;
mod schema;
mod set;
mod state;
#[cfg(test)]
mod testing;
mod text;
mod tree;
mod unflatten;
mod validate;
mod value;
mod write;

pub use apply::{ApplyRequest, Function, Outcome};
pub use checks::Checks;
pub use diff::{Diff, Entry};
pub use equivalent::are_equivalent;
pub use error::SdkError;
pub use fill::{set_unknowns, without_write_only};
pub use flat::FlatMap;
pub use flatten::flatten;
pub use normalize::{Mode, normalize};
pub use plan::{Plan, PlanRequest, field_diffs};
pub use schema::{ConfigMode, Elem, Field, ID, Kind, NoSdkForm, Primitive, Resource, Schema};
pub use set::SdkSet;
pub use state::State;
pub use text::UNKNOWN;
pub use tree::Tree;
pub use unflatten::unflatten;
pub use validate::SdkProblem;
pub use value::SdkValue;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::value::Type;
use planned::Layout;

/// A schema of the SDK with everything that follows from it.
#[derive(Clone, Debug)]
pub struct Pipeline {
    schema: Schema,
    core: planfuzz_core::schema::Schema,
    ty: Type,
    layout: Layout,
    suppresses_on_refresh: bool,
}

impl Pipeline {
    /// The pipeline of a schema.
    pub fn new(schema: Schema) -> Pipeline {
        let core = schema.core_schema();
        // The types of the SDK's shapes are the same in every dialect (Z03).
        let ty = core.implied_type(Dialect::default());
        let layout = Layout::of(&core.block);
        let suppresses_on_refresh = schema.has_suppression_on_refresh();
        Pipeline { schema, core, ty, layout, suppresses_on_refresh }
    }

    /// The schema.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The schema that Core sees (Z02).
    pub fn core_schema(&self) -> &planfuzz_core::schema::Schema {
        &self.core
    }

    /// The type of the objects.
    pub fn ty(&self) -> &Type {
        &self.ty
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn suppresses_on_refresh(&self) -> bool {
        self.suppresses_on_refresh
    }
}
