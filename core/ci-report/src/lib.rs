//! planfuzz-ci-report: findings and results in the forms that CI systems read.
//!
//! | file | holds |
//! | --- | --- |
//! | `junit.rs` | results as JUnit XML, which is shown beside a commit |
//! | `sarif.rs` | findings as SARIF 2.1.0, which is shown beside the code |

#![forbid(unsafe_code)]

pub mod junit;
pub mod sarif;
