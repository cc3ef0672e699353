//! Fuzzing and differential testing for planners of the Terraform and OpenTofu kind.

pub mod case;
pub mod generate;
