//! Modes (PL04).

use std::fmt;

use crate::words;

/// What a plan is made for (PL04).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// To reach the configuration (L150).
    #[default]
    Normal,
    /// To destroy everything (L152).
    Destroy,
    /// To record what changed outside (L151).
    RefreshOnly,
}

words!(Mode, "a mode": Normal = "normal", Destroy = "destroy", RefreshOnly = "refresh_only");

impl Mode {
    /// All modes.
    pub const ALL: [Mode; 3] = [Mode::Normal, Mode::Destroy, Mode::RefreshOnly];

    /// The character of the mode; NUL for the normal mode.
    pub fn symbol(self) -> char {
        match self {
            Mode::Normal => '\0',
            Mode::Destroy => 'D',
            Mode::RefreshOnly => 'R',
        }
    }

    /// The name that OpenTofu shows to users: `refresh-only`.
    pub fn user_name(self) -> &'static str {
        match self {
            Mode::Normal => "normal",
            Mode::Destroy => "destroy",
            Mode::RefreshOnly => "refresh-only",
        }
    }
}

/// The number of no mode. Prints as engines print it (PL04): `Mode(63)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Mode({0})")]
pub struct UnknownMode(pub u32);

/// The number of PL04, that of the character.
impl From<Mode> for u32 {
    fn from(mode: Mode) -> u32 {
        mode.symbol().into()
    }
}

/// The mode of a number of PL04.
impl TryFrom<u32> for Mode {
    type Error = UnknownMode;

    fn try_from(number: u32) -> Result<Mode, UnknownMode> {
        Mode::ALL.into_iter().find(|mode| u32::from(*mode) == number).ok_or(UnknownMode(number))
    }
}

/// The text form of PL04.
impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}Mode")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Word;

    #[test]
    fn pl04_modes() {
        assert_eq!(Mode::default(), Mode::Normal);
        assert_eq!(Mode::ALL.map(|mode| mode.to_string()), ["NormalMode", "DestroyMode", "RefreshOnlyMode"]);
        assert_eq!(Mode::ALL.map(Mode::symbol), ['\0', 'D', 'R']);
        assert_eq!(Mode::ALL.map(|mode| Mode::of_word(mode.word())), Mode::ALL.map(Some));
        assert_eq!(Mode::ALL.map(Mode::user_name), ["normal", "destroy", "refresh-only"]);
    }

    #[test]
    fn pl04_numbers_there_and_back_and_the_text_of_others() {
        assert_eq!(Mode::ALL.map(|mode| Mode::try_from(u32::from(mode))), Mode::ALL.map(Ok));
        assert_eq!(Mode::try_from(63).map_err(|unknown| unknown.to_string()), Err("Mode(63)".to_owned()));
    }
}
