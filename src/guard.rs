//! Panics as outcomes: catches a panic of a subject, with its place and message, so that the run goes on.

use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;

/// A panic that was caught.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panic {
    /// File and line.
    pub site: String,
    /// The message.
    pub message: String,
}

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
    static LAST: RefCell<Option<Panic>> = const { RefCell::new(None) };
}

/// Runs `work`; a panic in it is caught and described, and prints nothing.
///
/// # Errors
/// The panic, if there was one.
pub fn guard<T>(work: impl FnOnce() -> T) -> Result<T, Panic> {
    install_hook();
    let outer = GUARDED.replace(true);
    // The work owns nothing that is looked at after a panic: answers are built anew for each request.
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(outer);
    result.map_err(|_| {
        let last = LAST.with_borrow_mut(Option::take);
        last.unwrap_or_else(|| Panic { site: "unknown place".to_owned(), message: String::new() })
    })
}

/// Puts a hook in front of the one that is there: panics under guard are kept, all others go on to it.
fn install_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if GUARDED.get() {
                LAST.set(Some(describe(info)));
            } else {
                before(info);
            }
        }));
    });
}

fn describe(info: &PanicHookInfo<'_>) -> Panic {
    let site = match info.location() {
        Some(place) => format!("{}:{}", portable(place.file()), place.line()),
        None => "unknown place".to_owned(),
    };
    let payload = info.payload();
    let message = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned());
    Panic { site, message }
}

/// A source file's path without the folders of the machine's dependencies, so that the same panic has the same place on
/// every machine.
fn portable(file: &str) -> &str {
    let below = |folder: &str| file.split_once(folder).map(|(_, rest)| rest);
    let without_host = |rest| str::split_once(rest, '/').map(|(_, rest)| rest);
    let of_toolchain = || below("/rustc/").and_then(without_host);
    below("/registry/src/").and_then(without_host).or_else(of_toolchain).unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_the_same_on_every_machine() {
        assert_eq!(portable("/home/a/.cargo/registry/src/index-1949cf8c/num-0.4/src/x.rs"), "num-0.4/src/x.rs");
        assert_eq!(portable("/rustc/5980/library/core/src/option.rs"), "library/core/src/option.rs");
        assert_eq!(portable("src/guard.rs"), "src/guard.rs");
    }

    #[test]
    fn a_panic_is_caught_with_its_place_and_message() {
        let panic = guard(|| panic!("found {}", 1)).expect_err("it panics");
        assert!(panic.site.starts_with("src/guard.rs:") || panic.site.starts_with("src\\guard.rs:"));
        assert_eq!(panic.message, "found 1");
    }

    #[test]
    fn results_without_a_panic_are_passed_on() {
        assert_eq!(guard(|| 7), Ok(7));
    }
}
