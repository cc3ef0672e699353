//! The forms of expressions, chosen by what is wanted.

use super::super::dice::Dice;
use super::Want::{self, Any, Bool, Map, Number, Numbers, Object, Set, Text, Texts, Tuple};
use super::functions::{FUNCTIONS, Signature};
use super::scope::{NUMBERS, ScopeMaker, TEXTS, any};
use crate::case::ExpressionCall;

/// Of 256: how often something else than what is wanted is made; a leaf where there could be more; a call that is not as the function
/// wants it.
const WRONG: u8 = 9;
const LEAF: u8 = 36;
const MISCALLED: u8 = 10;

/// What the first arguments of functions look like that take few texts or numbers; of those of `log` and `pow` the engine knows all
/// digits.
const FITTING: [(&str, &[&[&str]]); 14] = [
    ("base64decode", &[&["\"aGVsbG8=\"", "\"w6k=\"", "\"/w==\""]]),
    ("cidrhost", &[CIDR, &["0", "1", "-2", "300"]]),
    ("cidrnetmask", &[CIDR]),
    ("cidrsubnet", &[CIDR, &["4", "8", "0"], &["1", "15", "2"]]),
    ("cidrsubnets", &[CIDR, &["4", "8", "2"]]),
    ("jsondecode", &[&["\"{\\\"a\\\": [1, null]}\"", "\"[]\"", "\"null\"", "\"1e3\"", "\"[1,\""]]),
    ("log", &[POWER, &["2", "4"]]),
    ("parseint", &[&["\"12\"", "\"ff\"", "\"-7\"", "\"z\""], &["10", "16", "36", "2"]]),
    ("pow", &[POWER, &["0", "1", "2", "3"]]),
    ("regex", &[PATTERN]),
    ("regexall", &[PATTERN]),
    ("formatlist", &[FORMAT]),
    ("format", &[FORMAT]),
    ("urlencode", &[&["\"a b/é?\"", "\"\"", "\"~*\""]]),
];

const CIDR: &[&str] = &["\"10.0.0.0/8\"", "\"192.168.1.0/24\"", "\"fd00::/48\"", "\"10.1.2.3\"", "\"10.0.0.0/33\""];
const FORMAT: &[&str] = &["\"%s\"", "\"a-%s-%v\"", "\"%5.2f|%q\"", "\"%d/%v\"", "\"%[2]v%[1]s\"", "\"%05d|%-4s|%x\""];
const PATTERN: &[&str] = &["\"[a-z]+\"", "\"(a)(b)?\"", "\"(?P<n>[a-z])\"", "\"a*\"", "\"[\""];
const POWER: &[&str] = &["1", "2", "4", "8", "0", "16"];

/// Of 256: how often an argument that has such looks has them.
const LOOKS: u8 = 170;

/// Functions of whose arguments none is anything else.
const EXACT: [&str; 2] = ["log", "pow"];

/// Makes one expression.
pub(super) struct Grammar<'g, 'd, 'b> {
    dice: &'g mut Dice<'d, 'b>,
    scope: ScopeMaker,
    /// The variables that can be used where the expression is.
    variables: Vec<String>,
    named: u32,
}

impl<'g, 'd, 'b> Grammar<'g, 'd, 'b> {
    /// A maker with no names.
    pub(super) fn new(dice: &'g mut Dice<'d, 'b>) -> Grammar<'g, 'd, 'b> {
        Grammar { dice, scope: ScopeMaker::default(), variables: Vec::new(), named: 0 }
    }

    /// An expression with its scope.
    pub(super) fn call(mut self) -> ExpressionCall {
        let depth = *self.dice.pick(&[1, 2, 2, 3, 3, 4]);
        let want = any(self.dice);
        let expression = self.make(want, depth);
        ExpressionCall { scope: self.scope.scope(), expression }
    }

    fn make(&mut self, want: Want, depth: u8) -> String {
        let want = if want == Any || self.dice.chance(WRONG) { any(self.dice) } else { want };
        let Some(depth) = depth.checked_sub(1).filter(|_| !self.dice.chance(LEAF)) else { return self.leaf(want) };
        match self.dice.weighted(&[5, 1, 1, 5]) {
            0 => self.function(want, depth),
            1 => {
                let (condition, first) = (self.make(Bool, depth), self.make(want, depth));
                format!("({condition} ? {first} : {})", self.make(want, depth))
            }
            2 => self.taken(depth),
            _ => self.own(want, depth),
        }
    }

    fn leaf(&mut self, want: Want) -> String {
        if !self.variables.is_empty() && self.dice.chance(85) {
            return self.dice.pick(&self.variables).clone();
        }
        if self.dice.chance(150) {
            let want = if self.dice.chance(24) { Any } else { want };
            return format!("local.{}", self.scope.name(self.dice, want));
        }
        if self.dice.chance(6) {
            return (*self.dice.pick(&["null", "sensitive(null)"])).to_owned();
        }
        let constants: &[&str] = match want {
            Bool => &["true", "false"],
            Number => &NUMBERS,
            Text | Any => return quoted(self.dice.pick::<&str>(&TEXTS)),
            Texts => &["tolist([\"b\", \"a\", \"b\"])", "tolist([])", "[\"a\", \"b\"]", "tolist([\"x\", null])"],
            Numbers => &["tolist([3, 1])", "[1, 2, 2]", "range(3)"],
            Set => &["toset([\"a\", \"z\"])", "toset([])", "toset([1, 2])"],
            Map => &["tomap({ a = \"1\", b = \"2\" })", "tomap({})", "tomap({ k = 1 })"],
            Tuple => &["[1, \"b\", null]", "[]", "[[1], [\"x\", [2]]]", "[true, false]"],
            Object => &["{ a = 1, b = null }", "{}", "{ a = \"o\", l = [\"r\"] }", "{ \"x y\" = 1 }"],
        };
        (*self.dice.pick(constants)).to_owned()
    }

    fn function(&mut self, want: Want, depth: u8) -> String {
        let fitting: Vec<&Signature> = FUNCTIONS.iter().filter(|one| one.gives == want || one.gives == Any).collect();
        let Signature { name, takes, more, .. } = **self.dice.pick(&fitting);
        let mut arguments: Vec<String> =
            takes.iter().enumerate().map(|(at, want)| self.argument((name, at), *want, depth)).collect();
        if let (true, Some(last)) = (more, takes.last()) {
            for _ in 0..self.dice.below(3) {
                arguments.push(self.make(*last, depth));
            }
        }
        if self.dice.chance(MISCALLED) {
            match self.dice.below(3) {
                0 => drop(arguments.pop()),
                1 => arguments.push(self.make(Any, depth)),
                _ => {
                    arguments.pop();
                    arguments.push(format!("{}...", self.make(Texts, depth)));
                }
            }
        }
        format!("{name}({})", arguments.join(", "))
    }

    /// An argument of a function, by its place.
    fn argument(&mut self, (function, at): (&str, usize), want: Want, depth: u8) -> String {
        let looks = FITTING.iter().find(|(name, _)| *name == function).and_then(|(_, looks)| looks.get(at));
        match looks {
            Some(looks) if EXACT.contains(&function) || self.dice.chance(LOOKS) => (*self.dice.pick(looks)).to_owned(),
            _ => self.make(want, depth),
        }
    }

    /// What is taken out of something else.
    fn taken(&mut self, depth: u8) -> String {
        match self.dice.below(9) {
            0 => format!("{}[{}]", self.make(Texts, depth), self.make(Number, depth)),
            1 => format!("{}[{}]", self.make(Map, depth), self.make(Text, depth)),
            2 => format!("({})[{}]", self.make(Object, depth), self.make(Text, depth)),
            3 => format!("({}).a", self.make(Object, depth)),
            4 => format!("({}).{}", self.make(Tuple, depth), self.dice.below(3)),
            5 => format!("({})[*].a", self.make(Any, depth)),
            6 => format!("({})[*]", self.make(Any, depth)),
            7 => format!("[{}, {}].*.a", self.make(Object, depth), self.make(Object, depth)),
            _ => format!("({})[{}]", self.make(Tuple, depth), self.make(Number, depth)),
        }
    }

    /// A form of the wanted kind's own.
    fn own(&mut self, want: Want, depth: u8) -> String {
        match want {
            Bool => self.truth(depth),
            Number if self.dice.chance(32) => format!("-({})", self.make(Number, depth)),
            Number => self.binary(Number, &["+", "-", "*", "/", "%"], depth),
            Text | Any => self.template(depth),
            Set => format!("toset({})", self.make(Texts, depth)),
            Map => format!("tomap({})", self.make(Object, depth)),
            Numbers => format!("tolist({})", self.make(Numbers, depth)),
            Texts | Tuple if self.dice.chance(85) => {
                let parts: Vec<String> = (0..self.dice.below(4)).map(|_| self.make(Any, depth)).collect();
                format!("[{}]", parts.join(", "))
            }
            Texts | Tuple => self.each(depth, false),
            Object if self.dice.chance(128) => self.each(depth, true),
            Object => {
                let key = match self.dice.below(5) {
                    0 => format!("({})", self.make(Text, depth)),
                    1 => format!("\"k-${{{}}}\"", self.leaf(Text)),
                    2 => "1".to_owned(),
                    _ => "a".to_owned(),
                };
                format!("{{ {key} = {}, b = {} }}", self.make(Any, depth), self.make(Any, depth))
            }
        }
    }

    fn truth(&mut self, depth: u8) -> String {
        match self.dice.below(4) {
            0 => format!("!{}", self.make(Bool, depth)),
            1 => self.binary(Bool, &["&&", "||"], depth),
            2 => {
                let of = any(self.dice);
                self.binary(of, &["==", "!="], depth)
            }
            _ => self.binary(Number, &["<", "<=", ">", ">="], depth),
        }
    }

    fn binary(&mut self, of: Want, operators: &[&str], depth: u8) -> String {
        let (first, operator) = (self.make(of, depth), *self.dice.pick(operators));
        format!("({first} {operator} {})", self.make(of, depth))
    }

    fn template(&mut self, depth: u8) -> String {
        match self.dice.below(7) {
            0 => {
                let (condition, text) = (self.make(Bool, depth), self.make(Text, depth));
                let trim = *self.dice.pick(&["", "~"]);
                format!("\"%{{ if {condition} {trim}}} T${{{text}}} %{{{trim} else }}F%{{ endif }}\"")
            }
            1 => {
                let list = self.make(Any, depth);
                let name = self.bind();
                let text = self.make(Text, depth);
                self.variables.pop();
                format!("\"%{{ for {name} in {list} ~}} ${{{text}}};%{{ endfor }}\"")
            }
            2 => format!("\"${{{}}}\"", self.make(Any, depth)),
            3 => format!("\"ab-${{{}}}\"", self.make(Text, depth)),
            4 => format!("\"abcd${{{}}}z\"", self.make(Text, depth)),
            5 => format!("<<-T\n  x ${{{}}}\n    y\n  T\n", self.make(Text, depth)),
            _ => format!("\"${{{}}}${{{}}}\"", self.make(Text, depth), self.make(Any, depth)),
        }
    }

    fn bind(&mut self) -> String {
        self.named += 1;
        let name = format!("x{}", self.named);
        self.variables.push(name.clone());
        name
    }

    /// A `for`.
    fn each(&mut self, depth: u8, is_object: bool) -> String {
        let collection = *self.dice.pick(&[Texts, Set, Map, Tuple, Object, Numbers]);
        let collection = self.make(collection, depth);
        let (first, has_key) = (self.bind(), self.dice.chance(128));
        let names = if has_key { format!("{first}, {}", self.bind()) } else { first.clone() };
        let value = self.make(Any, depth);
        let condition = match self.dice.chance(85) {
            true => format!(" if {}", self.make(Bool, depth)),
            false => String::new(),
        };
        let made = if is_object {
            let key = match self.dice.below(3) {
                0 => self.make(Text, depth),
                1 => format!("\"k-${{{first}}}\""),
                _ => first.clone(),
            };
            let grouped = if self.dice.chance(64) { "..." } else { "" };
            format!("{{ for {names} in {collection} : {key} => {value}{grouped}{condition} }}")
        } else {
            format!("[for {names} in {collection} : {value}{condition}]")
        };
        self.variables.truncate(self.variables.len() - if has_key { 2 } else { 1 });
        made
    }
}

/// A text between quotes, with what means something in a template written so that it does not.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{}\"", escaped.replace("${", "$${").replace("%{", "%%{"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_mean_themselves() {
        assert_eq!(quoted("a\"\\\n${%{"), r#""a\"\\\n$${%%{""#);
    }
}
