//! What can be told of a configuration without planning it (E01 to E72), stage by stage.

mod load;

pub(crate) use load::load_checks;
