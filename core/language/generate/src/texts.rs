//! Strings of the forms that functions read, right ones and slightly wrong ones.

use super::Form;

/// A string in quotes, as the native syntax writes it.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            letter if letter.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(letter))),
            letter => out.push(letter),
        }
    }
    out = out.replace("${", "$${").replace("%{", "%%{");
    out.push('"');
    out
}

#[rustfmt::skip]
/// Strings of a form; empty for forms that are composed of pieces.
pub(super) fn of(form: Form) -> &'static [&'static str] {
    match form {
        Form::Format | Form::Verb | Form::Pattern | Form::DateForm => &[],
        Form::Separator => &["", ",", "-", " ", "a", "é", "\n", ",,"],
        Form::Folder => &["sub", "", "none"],
        Form::Replaced => &[
    "/a+/", "/[a-c]/", "/(.)(.)/", "/(?P<n>x)/", "//", "/", "/(/", "a", "", "-", "/\\s*/", "/^/", "/$/", "/b|/",
],
        Form::Substitute => &["$1", "${1}x", "$1x", "$$", "$n", "${n}", "$0", "Q", "", "$2$1", "$", "${", "$-"],
        Form::Json => JSON,
        Form::Yaml => YAML,
        Form::Csv => &[
    "a,b\n1,2\n", "a,b\n1,2", "a\n\n1\n", "a,a\n1,2\n", "a,b\n1\n", "", "a", "\"x,y\",b\n\"1\n2\",\"q\"\"r\"\n",
    "a,b\n1,\"2\n", "a,b\r\n1,2\r\n", " a , b \n 1, 2\n", "a\n\"x\"y\n", "é,🎉\nß,x\n", ",\n1,2\n", "a,b\n,\n", "\n",
    "a;b\n1;2\n", "a\nx\"y\n",
],
        Form::Base64 => &[
    "aGVsbG8=", "aGVsbG8", "YQ==", "", "/w==", "w6k=", "YWI", "!!!", "aGVs\nbG8=", "aABlAGwA", "//5hAA==", "4pi6",
    "YR==",
],
        Form::Encoding => &[
            "UTF-8",
            "utf-8",
            "UTF-16LE",
            "UTF-16BE",
            "ISO-8859-1",
            "latin1",
            "nope",
            "",
            "US-ASCII",
        ],
        Form::Prefix => &[
    "10.0.0.0/8", "10.1.2.3/16", "192.168.0.0/24", "0.0.0.0/0", "1.2.3.4/32", "10.0.0.0/33", "10.0.0.0", "fd00::/48",
    "2001:db8::1/64", "::/0", "::1/128", "010.0.0.0/8", "10.0.0/8", "10.0.0.0/08",
    "10.0.0.0/-1", "x/8", "", "fe80::1%eth0/64", "10.256.0.0/8", "10.0.0.0/8 ", "2001:DB8::/32",
],
        Form::Time => &[
    "2024-02-29T12:30:00Z", "2023-12-31T23:59:59.5+01:00", "1970-01-01T00:00:00Z", "2024-02-30T00:00:00Z",
    "2024-01-01T00:00:00-08:30", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2024-01-01",
    "2024-01-01t00:00:00z", "", "2024-01-01T24:00:00Z", "2024-01-01T00:00:60Z", "2024-06-05T01:02:03.000000001Z",
    "2024-06-05T01:02:03,5Z", "x", "2024-01-01T00:00:00+00:00", "2024-13-01T00:00:00Z", "2024-06-05T13:02:03+14:00",
    "2024-06-05T01:02:03+24:00", "2024-06-05T1:02:03Z",
],
        Form::Duration => &[
    "1h", "-36h30m", "1.5s", "0", "", "1d", "10m1ns", "1h1h", ".5h", "-.5h", "+2m", "9223372036s", "9999999999h",
    "1us", "1µs", "h", "876000h", "1e3s", "-",
],
        Form::Digits => &[
    "12", "-ff", "zz", "0x1f", "", "1_000", "+7", "10000000000000000000000", "1.0", " 1", "Z", "-0", "0b1", "é",
],
        Form::Path => &[
    "a/b.txt", "/x/y/", "", "/", ".", "..", "a//b", "a/../b", "./a", "../..", "/..", "a/b/../../c/", "é/🎉", "a/.",
    "//a", "a/b/..",
],
        Form::Absolute => &["/", "/a/../b/", "//x/./y", "/..", "/a//b/../../../c", "/é/🎉", "/a b/~"],
        Form::File => FILES,
        Form::Glob => &[
    "*", "*.txt", "**", "**/*", "sub/*", "{a,b}*", "[", "?.txt", "*.{json,yaml}", "", "sub", "**/*.t?t", "[a-b].txt",
    "*/*",
],
        Form::Uuid => &[
            "dns",
            "url",
            "oid",
            "x500",
            "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
            "DNS",
            "",
            "x",
            "6ba7b8109dad11d180b400c04fd430c8",
            "urn:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8",
        ],
        Form::Template => TEMPLATES,
    }
}

/// Files below the folder that expressions call `local.dir`, and one that is not there.
const FILES: &[&str] =
    &["a.txt", "b.txt", "t.tpl", "bad.tpl", "data.json", "sub/c.txt", "bytes.bin", "none.txt", "sub"];

#[rustfmt::skip]
const JSON: &[&str] = &[
    "{\"a\": [1, null]}", "[1, \"x\"]", "\"s\"", "1", "null", "true", "{}", "[]", "{\"a\":1,\"a\":2}", "1.50", "1e3",
    "-0", "01", "[1,]", "\"\\u00e9\"", "\"\\ud83c\\udf89\"", "\"\\ud800\"", " 1 ", "1 2", "", "{", "nul",
    "12345678901234567890", "\"e\u{301}\"", "1e400", "1E-3", "\"a\tb\"", "{\"b\":{\"c\":[{}]},\"a\":1}", "-",
    "{\"\":1}", "\"\\x\"", "[[[]]]", "0.1", "-1", "{\"a\" 1}", "\u{feff}1",
];

#[rustfmt::skip]
const YAML: &[&str] = &[
    "a: [1, x]\nb: ~\n", "- 1\n- two\n- 3.5\n", "x", "", "~", "1", "1.50", "0x1f", "0o17", "017", "1_000", "yes",
    "true", "True", "on", "No", "null", "\"q\\n\"", "'it''s'", "a: b: c", "a:\n  b:\n    - c\n", "{a: 1, b: [2]}",
    "[1, 2", "|\n  x\n  y\n", ">\n  x\n  y\n\n  z\n", "&x [1]", "a: &x 1\nb: *x\n", "<<: {a: 1}\nb: 2\n", "!!str 1",
    "!!int \"1\"", "!foo x", "2024-01-01", "2024-01-01T00:00:00Z", ".inf", ".nan", "a: 1\na: 2\n", "1: x\n",
    "true: x\n", "? a\n: b\n", "---\na: 1\n", "--- 1\n--- 2\n", "# c\na: 1 # d\n", "a: |-\n  x\n", "-0", "1e3",
    "12345678901234567890", "\"\\u00e9\"", "- - 1\n  - 2\n", "a:\n- 1\n- 2\n", "!!binary aGk=",
    "%YAML 1.2\n---\n1\n", "*x", "{a, b: }", "[a, , b]", "\"a", "@x", "a: 'b'\n", "+1", ".5", "1.", "0b11", "-.inf",
    "!!float 1", "!!null x", "!!bool yes", "null: 1", "~: 1",
];

#[rustfmt::skip]
/// Strings of no form.
pub const TEXTS: &[&str] = &[
    "", "a", "b", "x", "ab", "abc", "a,b,,c", ",", "-", " pad ", "12", "-1.5", "true", "1e3", "null", "é", "x\ny\n",
    "pre-x", "pre-", "%s", "a-%s", "ß", "🎉", "e\u{301}", "👨\u{200d}👩\u{200d}👧", "ǆ", "İ", "ŉ", "ﬁ", "ΑΣ",
    "\u{a0}x\u{a0}", "\u{feff}", "a\r\nb\r\n", "\t", "a b c", "it's", "o'neill x_y", "<&>", "\u{2028}", "\\", "\"",
    "${x}", "%{x}", "0", "1", "TRUE", "false", "0x10", "1_0", " 1", "-0", "infinity", "a\nb", "ｗ", "\u{301}", "각",
    "🇩🇪🇫🇷", "12345678901234567890.5", "a/b", "A", "z", "aa", "a.b",
];

#[rustfmt::skip]
/// Numbers in several notations.
pub const NUMBERS: &[&str] = &[
    "0", "1", "2", "3", "-1", "2.5", "10", "1e3", "12345678901234567890", "0.1", "16", "7", "0.5", "-0", "1e100",
    "1e-7", "-2.5", "1e21", "123456789.125", "9223372036854775807", "9223372036854775808", "1.5e300",
    "0.30000000000000004", "1000000", "100", "-0.0", "255", "1E2", "3.0", "1e-100",
    "99999999999999999999999999999999999999999999999999.5",
];

/// Numbers for places and counts.
pub(super) const SMALL: &[&str] = &[
    "0", "1", "2", "3", "4", "-1", "-2", "8", "16", "10", "1.5", "32", "64", "62", "36", "100", "-0", "128", "1e3",
    "256",
];

/// Keys and names.
pub const KEYS: &[&str] = &["a", "b", "l", "n", "k", "p", "q", "x", "m", "z", "", "1", "0", "x y", "é"];

#[rustfmt::skip]
/// Templates, as text to be rendered.
pub const TEMPLATES: &[&str] = &[
    "a=${a}", "", "x", "${", "%{ if b == null }none%{ endif }", "${a}${b}", "%{ for x in a ~} ${x};%{ endfor }", "$${a}", "${a.b}", "${upper(a)}",
    "%{ if a }T%{ else }F%{ endif ~}\n b", "${c}", "%{ endif }",
];
