//! The functions that expressions call, with the kinds of their results and arguments.

use super::Form::*;
use super::Want::{self, *};

/// A way to call a function.
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    /// The function.
    pub name: &'static str,
    /// The kind of its result.
    pub gives: Want,
    /// The kinds of its arguments.
    pub takes: &'static [Want],
    /// Whether it takes further arguments of the last kind.
    pub more: bool,
}

impl Signature {
    /// Whether it reads files.
    pub fn reads_files(&self) -> bool {
        self.takes.iter().any(|want| matches!(want, Form(form) if form.is_of_files()))
    }

    /// Whether it takes paths; they have to be absolute or name existing files.
    pub(super) fn takes_paths(&self) -> bool {
        self.reads_files() || self.takes.contains(&Form(Absolute))
    }
}

const fn one(name: &'static str, gives: Want, takes: &'static [Want]) -> Signature {
    Signature { name, gives, takes, more: false }
}

const fn more(name: &'static str, gives: Want, takes: &'static [Want]) -> Signature {
    Signature { name, gives, takes, more: true }
}

/// The ways in which functions are called.
#[rustfmt::skip]
pub const FUNCTIONS: &[Signature] = &[
    one("length", Number, &[Any]), one("length", Number, &[Sequence]),
    more("concat", Texts, &[Texts]), more("concat", Tuple, &[Tuple, Any]), more("concat", Tuple, &[Sequence]),
    more("merge", Map, &[Map]), more("merge", Object, &[Object, Map]),
    one("keys", Texts, &[Map]), one("keys", Tuple, &[Object]),
    one("values", Texts, &[Map]), one("values", Tuple, &[Object]),
    one("lookup", Text, &[Map, Key, Text]), one("lookup", Any, &[Object, Key, Any]), one("lookup", Any, &[Map, Key]),
    one("element", Text, &[Texts, Small]), one("element", Any, &[Tuple, Small]),
    one("contains", Bool, &[Texts, Key]), one("contains", Bool, &[Sequence, Any]),
    more("coalesce", Text, &[Text]), more("coalesce", Any, &[Any]),
    more("try", Any, &[Any]), more("try", Text, &[Text]),
    one("can", Bool, &[Any]),
    one("tostring", Text, &[Any]), one("tonumber", Number, &[Any]), one("tobool", Bool, &[Any]),
    one("tolist", Texts, &[Any]), one("toset", Set, &[Any]), one("tomap", Map, &[Any]),
    one("tolist", Texts, &[Sequence]), one("toset", Set, &[Sequence]), one("tomap", Map, &[Object]),
    one("flatten", Tuple, &[Any]), one("flatten", Tuple, &[Tuple]),
    one("zipmap", Map, &[Texts, Texts]), one("zipmap", Object, &[Texts, Tuple]),
    more("join", Text, &[Form(Separator), Texts]), one("split", Texts, &[Form(Separator), Text]),
    more("format", Text, &[Form(Format), Any]), more("format", Text, &[Form(Format), Number]), one("format", Text, &[Form(Verb), Number]), one("format", Text, &[Form(Verb), Any]),
    more("formatlist", Texts, &[Form(Format), Texts]), more("formatlist", Texts, &[Form(Format), Any]),
    one("upper", Text, &[Text]), one("lower", Text, &[Text]), one("title", Text, &[Text]),
    one("trimspace", Text, &[Text]), one("chomp", Text, &[Text]),
    one("trim", Text, &[Text, Text]), one("trimprefix", Text, &[Text, Text]), one("trimsuffix", Text, &[Text, Text]),
    one("replace", Text, &[Text, Form(Replaced), Form(Substitute)]), one("replace", Text, &[Text, Text, Text]),
    one("substr", Text, &[Text, Small, Small]), one("strrev", Text, &[Text]), one("indent", Text, &[Small, Text]),
    more("min", Number, &[Number]), more("max", Number, &[Number]),
    one("abs", Number, &[Number]), one("ceil", Number, &[Number]), one("floor", Number, &[Number]),
    one("signum", Number, &[Number]), one("parseint", Number, &[Form(Digits), Small]),
    one("parseint", Number, &[Any, Small]),
    one("sum", Number, &[Numbers]), one("sum", Number, &[Sequence]),
    one("log", Number, &[Number, Number]), one("pow", Number, &[Number, Small]),
    one("jsonencode", Text, &[Any]), one("jsondecode", Any, &[Form(Json)]),
    one("yamlencode", Text, &[Any]), one("yamldecode", Any, &[Form(Yaml)]),
    one("csvdecode", Any, &[Form(Csv)]),
    one("sensitive", Any, &[Any]), one("sensitive", Text, &[Text]),
    one("nonsensitive", Any, &[Any]), one("issensitive", Bool, &[Any]), one("ephemeralasnull", Any, &[Any]),
    more("range", Numbers, &[Small]), more("range", Numbers, &[Number]),
    one("slice", Texts, &[Texts, Small, Small]), one("slice", Tuple, &[Tuple, Small, Small]),
    one("distinct", Texts, &[Texts]), one("distinct", Texts, &[Sequence]), one("compact", Texts, &[Texts]),
    one("one", Text, &[Texts]), one("one", Any, &[Any]), one("one", Any, &[Sequence]),
    one("alltrue", Bool, &[Tuple]), one("anytrue", Bool, &[Tuple]),
    one("alltrue", Bool, &[Sequence]), one("anytrue", Bool, &[Sequence]),
    one("reverse", Texts, &[Texts]), one("reverse", Tuple, &[Sequence]), one("sort", Texts, &[Texts]),
    more("setunion", Set, &[Set]), more("setintersection", Set, &[Set]), one("setsubtract", Set, &[Set, Set]),
    more("setproduct", Any, &[Texts, Set]), more("setproduct", Any, &[Sequence, Sequence]),
    one("chunklist", Any, &[Texts, Small]), one("chunklist", Any, &[Sequence, Small]),
    one("index", Number, &[Texts, Key]), one("index", Number, &[Sequence, Any]),
    one("matchkeys", Texts, &[Texts, Texts, Texts]), one("matchkeys", Texts, &[Sequence, Sequence, Sequence]),
    one("transpose", Any, &[MapOfTexts]), one("transpose", Any, &[Map]),
    more("coalescelist", Texts, &[Texts]), more("coalescelist", Any, &[Sequence]),
    one("startswith", Bool, &[Text, Text]), one("endswith", Bool, &[Text, Text]),
    one("strcontains", Bool, &[Text, Text]),
    one("regex", Text, &[Form(Pattern), Text]), one("regexall", Texts, &[Form(Pattern), Text]),
    one("base64encode", Text, &[Text]), one("base64decode", Text, &[Form(Base64)]),
    one("textencodebase64", Text, &[Text, Form(Encoding)]),
    one("textdecodebase64", Text, &[Form(Base64), Form(Encoding)]),
    one("md5", Text, &[Text]), one("sha1", Text, &[Text]), one("sha256", Text, &[Text]), one("sha512", Text, &[Text]),
    one("base64sha256", Text, &[Text]), one("base64sha512", Text, &[Text]), one("urlencode", Text, &[Text]),
    one("uuidv5", Text, &[Form(Uuid), Text]),
    one("cidrsubnet", Text, &[Form(Prefix), Small, Small]), one("cidrhost", Text, &[Form(Prefix), Small]),
    one("cidrnetmask", Text, &[Form(Prefix)]), more("cidrsubnets", Texts, &[Form(Prefix), Small]),
    one("timeadd", Text, &[Form(Time), Form(Duration)]), one("timecmp", Number, &[Form(Time), Form(Time)]),
    one("formatdate", Text, &[Form(DateForm), Form(Time)]),
    one("timestamp", Text, &[]), one("uuid", Text, &[]), one("bcrypt", Text, &[Text]), more("bcrypt", Text, &[Text, Small]),
    one("basename", Text, &[Form(Path)]), one("dirname", Text, &[Form(Path)]),
    one("abspath", Text, &[Form(Absolute)]), one("pathexpand", Text, &[Form(Path)]),
    one("file", Text, &[Form(File)]), one("filebase64", Text, &[Form(File)]), one("fileexists", Bool, &[Form(File)]),
    one("filemd5", Text, &[Form(File)]), one("filesha1", Text, &[Form(File)]), one("filesha256", Text, &[Form(File)]),
    one("filesha512", Text, &[Form(File)]), one("filebase64sha256", Text, &[Form(File)]),
    one("filebase64sha512", Text, &[Form(File)]), one("fileset", Set, &[Form(Folder), Form(Glob)]),
    one("templatefile", Text, &[Form(File), Object]), one("templatestring", Text, &[Form(Template), Object]),
];
