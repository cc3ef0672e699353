//! The recorded vectors, and cases that they cannot reach.

mod apply;
mod data;
mod destroy;
mod fixture;
mod ignore;
mod managed;
mod marks;
mod refresh;
mod vectors;
