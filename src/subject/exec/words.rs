//! Splits a command line into words, by the rules of the platform.

/// The words of a command; `None` where a quote is left open, or there is no word.
pub(super) fn words(command: &str) -> Option<Vec<String>> {
    let words = if cfg!(windows) { of_windows(command) } else { shlex::split(command) };
    words.filter(|words| !words.is_empty())
}

/// Splits as Windows programs do: double quotes hold a word together, two of them inside of quotes are one, and backslashes stand for
/// themselves except before a double quote, where two are one and an odd one makes the quote a character.
fn of_windows(command: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut is_quoted = false;
    let mut chars = command.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            ' ' | '\t' if !is_quoted => words.extend(word.take()),
            '\\' => {
                let mut count = 1;
                while chars.next_if_eq(&'\\').is_some() {
                    count += 1;
                }
                let is_before_quote = chars.peek() == Some(&'"');
                let kept = if is_before_quote { count / 2 } else { count };
                let word = word.get_or_insert_default();
                word.extend(std::iter::repeat_n('\\', kept));
                if is_before_quote && count % 2 == 1 {
                    word.extend(chars.next());
                }
            }
            '"' if is_quoted && chars.peek() == Some(&'"') => {
                word.get_or_insert_default().extend(chars.next());
            }
            '"' => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    (!is_quoted).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_windows_keep_their_backslashes() {
        let split = |command: &str| of_windows(command).expect("words");
        assert_eq!(split(r"C:\tools\planner.exe  serve"), [r"C:\tools\planner.exe", "serve"]);
        assert_eq!(split(r#""C:\Program Files\p.exe" -x"#), [r"C:\Program Files\p.exe", "-x"]);
        assert_eq!(split(r#"p "a\\" b"#), ["p", r"a\", "b"]);
        assert_eq!(split(r#"p \"a\" "" "b""c""#), ["p", r#""a""#, "", r#"b"c"#]);
        assert_eq!(of_windows(r#"p "a"#), None);
        assert!(split(" ").is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn elsewhere_words_are_those_of_a_shell() {
        assert_eq!(words(r"a 'b c' d\ e"), Some(vec!["a".to_owned(), "b c".to_owned(), "d e".to_owned()]));
        assert_eq!(words("'"), None);
        assert_eq!(words("  "), None);
    }
}
