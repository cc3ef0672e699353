//! Sensitive and write-only paths (S70 to S73).
