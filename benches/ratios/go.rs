//! The times of the engines' own code for the same work: measured elsewhere, indicative.
//!
//! The merge package of OpenTofu (1.13-dev) with go-cty 1.18.1, Go 1.26, in process, without JSON, on another machine of
//! the kind the table was made on, shared and noisy: read each figure as ±15 percent. The shapes of the workloads are
//! the same; names and values are not.

use planfuzz::workloads::Timed;

/// Nanoseconds of proposed_new, assert_plan_valid and assert_object_compatible: measured elsewhere, indicative. That of
/// assert_object_compatible on the sets of 4,000 elements is extrapolated.
pub const GO: [(&str, [f64; 3]); 13] = [
    ("W1", [4.27e3, 15.6e3, 11.8e3]),
    ("W2", [102e3, 761e3, 690e3]),
    ("W3-10", [642e3, 320e3, 4.78e6]),
    ("W3-100", [33.9e6, 8.3e6, 488e6]),
    ("W3-1000", [3.53e9, 199e6, 68.1e9]),
    ("W3-4000", [49.9e9, 786e6, 1_080e9]),
    ("W3c-1000", [146e6, 167e6, 68.0e9]),
    ("W3c-4000", [623e6, 672e6, 1_080e9]),
    ("W4-10", [30.4e3, 73.4e3, 39.2e3]),
    ("W4-100", [279e3, 822e3, 437e3]),
    ("W4-1000", [3.20e6, 9.77e6, 4.74e6]),
    ("W5", [4.05e6, 19.3e6, 7.14e6]),
    ("W6", [2.99e6, 11.1e6, 3.35e6]),
];

/// Nanoseconds of msgpack, encoding and decoding: measured elsewhere, indicative.
pub const GO_MSGPACK: [(&str, [f64; 2]); 2] = [("W2", [237e3, 295e3]), ("W3-1000", [55.6e6, 6.19e6])];

/// The engines' figure for an operation on a workload, if there is one.
pub fn merge(workload: &str, op: Timed) -> Option<f64> {
    let (_, figures) = GO.iter().find(|(name, _)| *name == workload)?;
    let place = Timed::ALL.iter().position(|timed| *timed == op)?;
    Some(figures[place])
}

/// The engines' figures for encoding and decoding a workload, if there are any.
pub fn msgpack(workload: &str) -> Option<[f64; 2]> {
    GO_MSGPACK.iter().find(|(name, _)| *name == workload).map(|(_, figures)| *figures)
}
