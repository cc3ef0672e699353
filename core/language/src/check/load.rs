//! What is told at load of several blocks or modules together.

use crate::config::Configuration;
use crate::diagnostic::Diagnostic;
use crate::sources::Sources;

/// The last checks of stage E01.
pub(crate) fn load_checks(_configuration: &Configuration, _sources: &Sources) -> Vec<Diagnostic> {
    Vec::new()
}
