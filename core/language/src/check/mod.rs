//! What can be told of a configuration without planning it (E01 to E72), stage by stage.
