//! Internal validation of schemas (S10 to S27).
