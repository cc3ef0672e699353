//! Words of well-known forms that attributes may require.

/// A word of each form that providers often require.
pub const FORMS: &[&str] = &[
    "a",
    "name-1",
    "0",
    "1",
    "10",
    "true",
    "2",
    "10.0.0.1",
    "10.0.0.0/24",
    "fd00::1",
    "fd00::/64",
    "02:00:00:00:00:01",
    "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
    "https://example.com/a",
    "example.com",
    "a@example.com",
    "2024-01-02T03:04:05Z",
    "2024-01-02",
    "1h30m",
    "30s",
    "10GB",
    "512MB",
    "50%",
    "{}",
    "{\"b\": 1, \"a\": [2, {}]}",
    "[]",
    "/a/b",
    "a/b",
    "a:b",
    "YQ==",
    "22/tcp",
    "^a.*$",
    "*",
    "é",
    " a ",
    "A",
    "-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----\n",
    "",
];

/// Parts of names of attributes, and the words that they hint at.
const HINTS: &[(&str, &[&str])] = &[
    ("cidr", &["10.0.0.0/24"]),
    ("subnet", &["10.0.0.0/24"]),
    ("netmask", &["255.255.255.0", "24"]),
    ("ip", &["10.0.0.1", "fd00::1"]),
    ("address", &["10.0.0.1"]),
    ("mac", &["02:00:00:00:00:01"]),
    ("uuid", &["6ba7b810-9dad-11d1-80b4-00c04fd430c8"]),
    ("url", &["https://example.com/a"]),
    ("host", &["example.com"]),
    ("email", &["a@example.com"]),
    ("date", &["2024-01-02"]),
    ("time", &["2024-01-02T03:04:05Z", "30s"]),
    ("timeout", &["30s", "30"]),
    ("json", &["{}", "{\"b\": 1, \"a\": [2, {}]}"]),
    ("path", &["/a/b"]),
    ("file", &["/a/b"]),
    ("port", &["8080"]),
    ("size", &["10", "10GB"]),
    ("mode", &["0644"]),
    ("permission", &["0644"]),
    ("key", &["a"]),
    ("encoded", &["YQ=="]),
    ("content", &["a", "{}"]),
];

/// The words that the name of an attribute hints at.
pub fn hinted(name: &str) -> impl Iterator<Item = &'static str> {
    let name = name.to_ascii_lowercase();
    HINTS.iter().filter(move |(part, _)| name.contains(part)).flat_map(|(_, words)| words.iter().copied())
}

/// Numbers at common limits of attributes.
pub const NUMBERS: &[&str] =
    &["1", "2", "0", "3", "8", "10", "64", "100", "1024", "8080", "-1", "65536", "0.5", "2147483648"];
