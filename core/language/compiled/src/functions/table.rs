//! The table of all functions with their parameters.

use planfuzz_core::value::Type;

use super::{Function, Given, Made, Parameter, Want, Wrong};
use super::{collections as c, conversions as v, encodings as e, files as i, format as f, hashes as h, json as j};
use super::{
    lists as l, maps as m, networks as w, numbers as n, patterns as p, rsa as r, sets as s, strings as t, times as d,
    yaml as y,
};

const fn plain(want: Want) -> Parameter {
    Parameter { want, null: false, unknown: false, marked: false }
}

const ANY: Parameter = plain(Want::Any);
const TEXT: Parameter = plain(Want::Text);
const NUMBER: Parameter = plain(Want::Number);
const TEXTS: Parameter = plain(Want::Texts);
const LIST: Parameter = plain(Want::List);
const SET: Parameter = plain(Want::Set);

impl Parameter {
    const fn null(mut self) -> Parameter {
        self.null = true;
        self
    }

    const fn unknown(mut self) -> Parameter {
        self.unknown = true;
        self
    }

    const fn marked(mut self) -> Parameter {
        self.marked = true;
        self
    }

    const fn all(self) -> Parameter {
        self.null().unknown().marked()
    }
}

type Returns = fn(&Given<'_, '_>) -> Result<Type, Wrong>;
type Make = fn(&Given<'_, '_>) -> Made;

const fn of(name: &'static str, parameters: &'static [Parameter], returns: Returns, make: Make) -> Function {
    Function { name, parameters, rest: None, is_pure: true, returns, make }
}

impl Function {
    const fn rest(mut self, rest: Parameter) -> Function {
        self.rest = Some(rest);
        self
    }

    const fn impure(mut self) -> Function {
        self.is_pure = false;
        self
    }
}

fn string(_: &Given<'_, '_>) -> Result<Type, Wrong> {
    Ok(Type::String)
}

fn number(_: &Given<'_, '_>) -> Result<Type, Wrong> {
    Ok(Type::Number)
}

fn boolean(_: &Given<'_, '_>) -> Result<Type, Wrong> {
    Ok(Type::Bool)
}

fn strings(_: &Given<'_, '_>) -> Result<Type, Wrong> {
    Ok(Type::list(Type::String))
}

fn set_of_strings(_: &Given<'_, '_>) -> Result<Type, Wrong> {
    Ok(Type::set(Type::String))
}

fn numbers(_: &Given<'_, '_>) -> Result<Type, Wrong> {
    Ok(Type::list(Type::Number))
}

fn dynamic(_: &Given<'_, '_>) -> Result<Type, Wrong> {
    Ok(Type::Dynamic)
}

/// The type of the first argument.
fn same(given: &Given<'_, '_>) -> Result<Type, Wrong> {
    Ok(given.get(0)?.ty().clone())
}

/// The functions of every dialect.
pub(crate) static GROUPS: &[&[Function]] = &[STRINGS, NUMBERS, COLLECTIONS, CONVERSIONS, ENCODINGS, FILES, OTHERS];

static STRINGS: &[Function] = &[
    of("upper", &[TEXT], string, t::upper),
    of("lower", &[TEXT], string, t::lower),
    of("title", &[TEXT], string, t::title),
    of("trimspace", &[TEXT], string, t::trimspace),
    of("chomp", &[TEXT], string, t::chomp),
    of("trim", &[TEXT, TEXT], string, t::trim),
    of("trimprefix", &[TEXT, TEXT], string, t::trimprefix),
    of("trimsuffix", &[TEXT, TEXT], string, t::trimsuffix),
    of("strrev", &[TEXT], string, t::strrev),
    of("substr", &[TEXT, NUMBER, NUMBER], string, t::substr),
    of("indent", &[NUMBER, TEXT], string, t::indent),
    of("startswith", &[TEXT.unknown(), TEXT], boolean, t::startswith),
    of("endswith", &[TEXT, TEXT], boolean, t::endswith),
    of("strcontains", &[TEXT.unknown(), TEXT.unknown()], boolean, t::strcontains),
    of("split", &[TEXT, TEXT], strings, t::split),
    of("join", &[TEXT], string, t::join).rest(TEXTS),
    of("replace", &[TEXT, TEXT, TEXT], string, p::replace),
    of("regex", &[TEXT, TEXT], p::regex_type, p::regex),
    of("regexall", &[TEXT, TEXT], p::regexall_type, p::regexall),
    of("format", &[TEXT.unknown()], string, f::format).rest(ANY.null().unknown()),
    of("formatlist", &[TEXT.unknown()], strings, f::formatlist).rest(ANY.null().unknown()),
    of("basename", &[TEXT], string, t::basename),
    of("dirname", &[TEXT], string, t::dirname),
];

static NUMBERS: &[Function] = &[
    of("abs", &[NUMBER.unknown().marked()], number, n::abs),
    of("ceil", &[NUMBER], number, n::ceil),
    of("floor", &[NUMBER], number, n::floor),
    of("signum", &[NUMBER], number, n::signum),
    of("log", &[NUMBER, NUMBER], number, n::log),
    of("pow", &[NUMBER, NUMBER], number, n::pow),
    of("min", &[], number, n::min).rest(NUMBER),
    of("max", &[], number, n::max).rest(NUMBER),
    of("parseint", &[ANY, NUMBER], n::parseint_type, n::parseint),
    of("sum", &[ANY], number, n::sum),
    of("range", &[], numbers, n::range).rest(NUMBER),
];

static COLLECTIONS: &[Function] = &[
    of("length", &[ANY.unknown().marked()], number, c::length),
    of("concat", &[], l::concat_type, l::concat).rest(ANY.marked().unknown()),
    of("merge", &[], dynamic, m::merge).rest(ANY.all()),
    of("keys", &[ANY.unknown().marked()], dynamic, m::keys),
    of("values", &[ANY.unknown().marked()], dynamic, m::values),
    of("lookup", &[ANY.unknown().marked(), TEXT.unknown().marked()], dynamic, m::lookup).rest(ANY.all()),
    of("element", &[ANY.unknown().marked(), NUMBER.unknown().marked()], dynamic, l::element),
    of("contains", &[ANY, ANY], boolean, c::contains),
    of("coalesce", &[], dynamic, c::coalesce).rest(ANY.null().unknown()),
    of("coalescelist", &[], dynamic, c::coalescelist).rest(ANY.null().unknown()),
    of("flatten", &[ANY.marked()], dynamic, l::flatten),
    of("zipmap", &[TEXTS.unknown().marked(), ANY.unknown().marked()], dynamic, m::zipmap),
    of("slice", &[ANY.unknown().marked(), NUMBER.unknown().marked(), NUMBER.unknown().marked()], dynamic, l::slice),
    of("distinct", &[LIST], same, l::distinct),
    of("compact", &[TEXTS], strings, l::compact),
    of("one", &[ANY.unknown()], dynamic, l::one),
    of("alltrue", &[plain(Want::Bools)], boolean, c::alltrue),
    of("anytrue", &[plain(Want::Bools)], boolean, c::anytrue),
    of("reverse", &[ANY.unknown().marked()], dynamic, l::reverse),
    of("sort", &[TEXTS.unknown()], strings, l::sort),
    of("chunklist", &[LIST.marked(), NUMBER.marked()], l::chunklist_type, l::chunklist),
    of("index", &[ANY, ANY], number, l::index),
    of("matchkeys", &[LIST, LIST, LIST], l::matchkeys_type, l::matchkeys),
    of("transpose", &[plain(Want::MapOfTexts)], m::transpose_type, m::transpose),
    of("setunion", &[SET], s::ty, s::union).rest(SET),
    of("setintersection", &[SET], s::ty, s::intersection).rest(SET),
    of("setsubtract", &[SET, SET], s::ty, s::subtract),
    of("setproduct", &[], dynamic, s::product).rest(ANY.unknown().marked()),
];

static CONVERSIONS: &[Function] = &[
    of("tostring", &[ANY.all()], string, v::tostring),
    of("tonumber", &[ANY.all()], number, v::tonumber),
    of("tobool", &[ANY.all()], boolean, v::tobool),
    of("tolist", &[ANY.all()], dynamic, v::tolist),
    of("toset", &[ANY.all()], dynamic, v::toset),
    of("tomap", &[ANY.all()], dynamic, v::tomap),
    of("sensitive", &[ANY.all()], dynamic, v::sensitive),
    of("nonsensitive", &[ANY.all()], dynamic, v::nonsensitive),
    of("issensitive", &[ANY.all()], boolean, v::issensitive),
    of("ephemeralasnull", &[ANY.all()], dynamic, v::ephemeralasnull),
];

static ENCODINGS: &[Function] = &[
    of("jsonencode", &[ANY.null().unknown()], string, j::encode),
    of("jsondecode", &[TEXT.unknown()], dynamic, j::decode),
    of("base64encode", &[TEXT], string, e::base64encode),
    of("base64decode", &[TEXT], string, e::base64decode),
    of("base64gzip", &[TEXT], string, e::base64gzip),
    of("urlencode", &[TEXT], string, e::urlencode),
    of("textencodebase64", &[TEXT, TEXT], string, e::textencodebase64),
    of("textdecodebase64", &[TEXT, TEXT], string, e::textdecodebase64),
    of("csvdecode", &[TEXT], dynamic, e::csvdecode),
    of("yamlencode", &[ANY.null().unknown()], string, y::encode),
    of("yamldecode", &[TEXT], dynamic, y::decode),
    of("md5", &[TEXT], string, h::md5),
    of("sha1", &[TEXT], string, h::sha1),
    of("sha256", &[TEXT], string, h::sha256),
    of("sha512", &[TEXT], string, h::sha512),
    of("base64sha256", &[TEXT], string, h::base64sha256),
    of("base64sha512", &[TEXT], string, h::base64sha512),
    of("rsadecrypt", &[TEXT, TEXT], string, r::decrypt),
    of("uuidv5", &[TEXT, TEXT], string, h::uuidv5),
];

static FILES: &[Function] = &[
    of("file", &[TEXT], string, i::file).impure(),
    of("filebase64", &[TEXT], string, i::filebase64).impure(),
    of("filemd5", &[TEXT], string, i::filemd5).impure(),
    of("filesha1", &[TEXT], string, i::filesha1).impure(),
    of("filesha256", &[TEXT], string, i::filesha256).impure(),
    of("filesha512", &[TEXT], string, i::filesha512).impure(),
    of("filebase64sha256", &[TEXT], string, i::filebase64sha256).impure(),
    of("filebase64sha512", &[TEXT], string, i::filebase64sha512).impure(),
    of("fileexists", &[TEXT], boolean, i::fileexists).impure(),
    of("abspath", &[TEXT], string, i::abspath).impure(),
    of("pathexpand", &[TEXT], string, i::pathexpand).impure(),
    of("fileset", &[TEXT, TEXT], set_of_strings, i::fileset).impure(),
    of("templatefile", &[TEXT.unknown().marked(), ANY.marked().unknown()], dynamic, i::templatefile).impure(),
    of("templatestring", &[ANY.all(), ANY.marked().unknown()], dynamic, i::templatestring).impure(),
];

/// `templatestring` whose template is no reference.
pub(crate) static NO_TEMPLATE: Function =
    of("templatestring", &[ANY.all(), ANY.marked().unknown()], dynamic, i::no_template);

static OTHERS: &[Function] = &[
    of("timeadd", &[TEXT.unknown(), TEXT.unknown()], string, d::add),
    of("timecmp", &[TEXT, TEXT], number, d::compare),
    of("formatdate", &[TEXT, TEXT], string, d::format),
    of("plantimestamp", &[], string, d::of_plan).impure(),
    of("list", &[], dynamic, c::gone).rest(ANY.all()),
    of("map", &[], dynamic, c::gone).rest(ANY.all()),
    of("cidrhost", &[TEXT, NUMBER], string, w::cidrhost),
    of("cidrnetmask", &[TEXT], string, w::cidrnetmask),
    of("cidrsubnet", &[TEXT, NUMBER, NUMBER], string, w::cidrsubnet),
    of("cidrsubnets", &[TEXT], strings, w::cidrsubnets).rest(NUMBER),
    of("timestamp", &[], string, h::unknown_text).impure(),
    of("uuid", &[], string, h::unknown_text).impure(),
    of("bcrypt", &[TEXT], string, h::unknown_text).rest(NUMBER).impure(),
];

/// The functions that only OpenTofu has.
pub(crate) static OPENTOFU: &[Function] =
    &[of("urldecode", &[TEXT], string, e::urldecode), of("cidrcontains", &[TEXT, TEXT], boolean, w::cidrcontains)];
