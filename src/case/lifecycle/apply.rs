//! Apply walks: requests to a planner and its answers.

use planfuzz_core::planner::{Applied, ApplyRequest};

use super::form;

form! { ApplyRequest, "an apply request":
    kind,
    options,
    state,
    changes,
    presence,
}

form! { Applied, "the result of an apply":
    state,
    diagnostics,
}
