//! The plan and apply walks of one resource instance (lifecycle.md).
//!
//! A walk touches a value only where that can change a result. Decisions that depend on the schema alone are compiled
//! (`Holds`): without write-only attributes no answer is searched for them, without sensitive ones no marks are looked
//! for. Answers of the implied type take on the type of the schema itself (V03: without `dynamic`, conforming is being
//! equal), so that later comparisons of types compare pointers; and shared parts are equal without looking (V30, V32).
//! Where there are no marks there is no work for marks.

mod answers;
mod apply;
mod configured;
mod data;
mod destroy;
mod ignore;
mod managed;
mod marks;
mod plan;
mod refresh;
mod replace;
mod saved;
mod steps;
mod supported;
#[cfg(test)]
mod tests;
mod trigger;
mod typed_object;
mod unknowns;
mod upgrade;
mod walk;

pub(super) use apply::apply;
pub(super) use plan::plan;
