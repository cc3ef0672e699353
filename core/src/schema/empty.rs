//! Empty values (S35).
