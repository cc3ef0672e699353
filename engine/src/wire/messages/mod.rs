//! The messages and services of the plugin protocol, made from their definitions by `proto/generate`.

#[rustfmt::skip]
pub mod plugin;
#[rustfmt::skip]
pub mod tfplugin5;
#[rustfmt::skip]
pub mod tfplugin6;
