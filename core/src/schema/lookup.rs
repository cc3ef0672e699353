//! Looking up schema by path (S60 to S63).
