//! Version constraints: comparisons with versions, separated by commas (E14). Only their form is checked here.

/// The signs before a version.
const COMPARISONS: [&str; 7] = ["!=", ">=", "<=", "~>", "=", ">", "<"];

/// Whether a text is a version constraint.
pub(super) fn is_valid(text: &str) -> bool {
    text.split(',').all(|one| {
        let one = one.trim_matches(is_blank);
        let version = COMPARISONS.iter().find_map(|sign| one.strip_prefix(sign)).unwrap_or(one);
        is_version(version.trim_start_matches(is_blank))
    })
}

fn is_blank(sign: char) -> bool {
    matches!(sign, ' ' | '\t' | '\n' | '\r' | '\u{c}')
}

/// Numbers with dots between them, perhaps `v` before them, a release name and a build behind them: `v1.2.0-rc.1+linux`.
fn is_version(text: &str) -> bool {
    let text = text.strip_prefix('v').unwrap_or(text);
    let (text, build) = text.split_once('+').map_or((text, None), |(text, build)| (text, Some(build)));
    let end = text.find(|sign: char| !sign.is_ascii_digit() && sign != '.').unwrap_or(text.len());
    let (numbers, release) = text.split_at(end);
    // The engine keeps each number in 63 bits.
    let are_numbers = numbers.split('.').all(|number| number.parse::<i64>().is_ok());
    are_numbers && is_release(release) && build.is_none_or(are_parts)
}

/// Whether a text names a release: it begins with a dash, or with a letter right behind the numbers.
fn is_release(text: &str) -> bool {
    let name = text.strip_prefix('-').unwrap_or(text);
    text.is_empty() || are_parts(name)
}

/// Whether a text is made of letters, digits, `-` and `~` in parts that dots separate.
fn are_parts(text: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty() && part.chars().all(|sign| sign.is_ascii_alphanumeric() || matches!(sign, '-' | '~'))
    };
    text.split('.').all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e14_a_constraint_compares_with_versions() {
        for text in [
            "1",
            "1.2.3",
            ">= 1.0, < 2",
            "~> 1.2",
            "=1",
            "!= v1.0",
            "1.0-rc1",
            "1.0rc1",
            "1.0+x.1",
            " >= 1 ",
            "1.0.0.0.0",
        ] {
            assert!(is_valid(text), "{text:?}");
        }
        for text in [
            "",
            "x",
            "true",
            "> = 1",
            ">> 1",
            "1,",
            "1..2",
            "1.x",
            "-1",
            "${1}",
            "1.0-",
            "1.0+",
            "=> 1",
            "99999999999999999999",
        ] {
            assert!(!is_valid(text), "{text:?}");
        }
    }
}
