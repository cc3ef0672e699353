//! The life of one resource instance (lifecycle.md): plan and apply walks.
//!
//! A walk touches a value only where something can come of it. What the schema decides is compiled (`Holds`): without
//! write-only attributes no answer is searched for them, without sensitive ones no marks are looked for. Answers of the
//! implied type take on the type of the schema itself (V03: without `dynamic`, conforming is being equal), so that what
//! runs later compares types by pointer; and shared parts are equal without looking (V30, V32). Where there are no marks
//! there is no work for marks.

mod answers;
mod apply;
mod configured;
mod data;
mod destroy;
mod held;
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
mod unknowns;
mod upgrade;
mod walk;

pub(super) use apply::apply;
pub(super) use plan::plan;
