//! The page of small, hostile and long histories.
