//! The messages, made from their definition in `proto/planfile.proto`.

include!(concat!(env!("OUT_DIR"), "/planfile.rs"));
