//! Strings in Unicode normal form C (V24), cheap to clone and to share.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;

use arcstr::ArcStr;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// A string in NFC: of a value, a map key or an attribute name. Equality and order are by bytes (V24).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Text(ArcStr);

impl Text {
    /// The NFC form of `text`.
    pub fn new(text: &str) -> Text {
        if Text::is_kept(text) {
            return Text(ArcStr::from(text));
        }
        Text(ArcStr::from(text.nfc().collect::<String>()))
    }

    /// Whether a quick check shows that the text is its own NFC form; `false` does not mean that it is not.
    pub fn is_kept(text: &str) -> bool {
        text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes
    }

    /// The string itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A copy that shares nothing with this one, for deep clones.
    pub fn deep_clone(&self) -> Text {
        Text(ArcStr::from(self.0.as_str()))
    }

    /// Whether the two are one allocation; equal strings need not be.
    pub fn ptr_eq(&self, other: &Text) -> bool {
        ArcStr::ptr_eq(&self.0, &other.0)
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Text {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        Text::new(text)
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v24_strings_are_put_into_nfc() {
        assert_eq!(Text::new("e\u{301}").as_str(), "é");
    }

    #[test]
    fn v24_the_tables_are_those_of_unicode_15_0() {
        assert_eq!(unicode_normalization::UNICODE_VERSION, (15, 0, 0));
    }

    #[test]
    fn v24_strings_in_nfc_stay_as_they_are() {
        for text in ["", "plain", "é日😀", "a\u{323}\u{301}"] {
            let once = Text::new(text);
            assert_eq!(Text::new(&once), once, "{text:?}");
        }
        assert_eq!(Text::new("\u{212b}\u{1100}\u{1161}").as_str(), "\u{c5}\u{ac00}");
        assert_eq!(Text::new("a\u{301}\u{323}").as_str(), "\u{1ea1}\u{301}");
    }

    #[test]
    fn v24_order_and_equality_are_by_bytes() {
        assert!(Text::new("Z") < Text::new("a") && Text::new("z") < Text::new("é"));
        assert!(Text::new("\u{ffff}") < Text::new("\u{10000}"));
    }
}
