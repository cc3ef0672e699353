//! Implied types (S30 to S33).
