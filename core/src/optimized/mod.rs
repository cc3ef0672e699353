//! The optimized planner: the same answers, as fast as the machine allows.
