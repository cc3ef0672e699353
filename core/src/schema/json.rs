//! Schemas in the notation of `terraform providers schema -json` (S06).
