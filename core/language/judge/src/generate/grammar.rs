//! The grammar: an expression of a wanted kind, of parts that are wanted themselves.

use planfuzz_core::value::Type;
use planfuzz_language::expression::notation::Locals;

use super::Want::{self, *};
use super::texts::{self, quoted};
use super::{Choices, FUNCTIONS, Form, patterns};

/// Kinds that are chosen from where any will do.
const ANY: [Want; 11] = [Bool, Number, Text, Texts, Numbers, Set, Map, Tuple, Object, MapOfTexts, Sequence];

pub(super) struct Maker<'l> {
    locals: &'l Locals,
    choices: &'l mut dyn Choices,
    names: u32,
    bound: Vec<String>,
}

impl<'l> Maker<'l> {
    pub fn new(locals: &'l Locals, choices: &'l mut dyn Choices) -> Maker<'l> {
        Maker { locals, choices, names: 0, bound: Vec::new() }
    }

    /// An expression of any kind; a function of the table comes before all else in every other one.
    pub fn whole(&mut self) -> String {
        let depth = [1, 1, 2, 2, 3, 4][self.below(6)];
        if self.below(400) == 0 {
            // Never within another call, as only what it unpacks to is compared.
            return format!("base64gzip({})", self.make(Text, depth - 1));
        }
        if self.below(2) == 0 {
            let at = self.below(FUNCTIONS.len());
            return self.call_of(at, depth - 1);
        }
        let want = self.any();
        self.make(want, depth)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.choices.below(limit)
    }

    fn pick<'t>(&mut self, among: &[&'t str]) -> &'t str {
        patterns::pick(self.choices, among)
    }

    fn any(&mut self) -> Want {
        ANY[self.below(ANY.len())]
    }

    fn make(&mut self, want: Want, depth: u32) -> String {
        let is_fixed = want == Form(Form::Absolute);
        let want = if want == Any || (!is_fixed && self.below(20) == 0) { self.any() } else { want };
        if let Form(form @ (Form::Folder | Form::File | Form::Glob | Form::Absolute)) = want {
            return self.formed(form);
        }
        let is_leaf = depth == 0 || self.below(6) == 0;
        if is_leaf || (matches!(want, Form(_) | Key | Small) && self.below(6) != 0) {
            return self.leaf(want);
        }
        let depth = depth - 1;
        match self.below(13) {
            0..=3 => self.call(want, depth),
            4 | 5 => format!("({} ? {} : {})", self.make(Bool, depth), self.make(want, depth), self.make(want, depth)),
            6 => self.taken(depth),
            _ => self.own(want, depth),
        }
    }

    fn leaf(&mut self, want: Want) -> String {
        if !self.bound.is_empty() && self.below(3) == 0 {
            let at = self.below(self.bound.len());
            return self.bound[at].clone();
        }
        let named = if matches!(want, Form(_)) { 6 } else { 2 };
        match self.below(named) {
            0 => self.named(want),
            _ => self.written(want),
        }
    }

    /// A named value that fits mostly.
    fn named(&mut self, want: Want) -> String {
        if self.below(16) == 0 {
            return format!("local.{}", self.pick(&["ud", "nul", "nuls", "nuln", "us", "udsens"]));
        }
        let names: Vec<&str> =
            self.locals.iter().filter(|local| fits(want, local.1.ty())).map(|local| local.0.as_str()).collect();
        if names.is_empty() {
            return "local.ud".to_owned();
        }
        format!("local.{}", names[self.below(names.len())])
    }

    fn written(&mut self, want: Want) -> String {
        match want {
            Bool => self.pick(&["true", "false"]),
            Number => self.pick(texts::NUMBERS),
            Small => self.pick(texts::SMALL),
            Text | Any => return quoted(self.pick(texts::TEXTS)),
            Key => return quoted(self.pick(texts::KEYS)),
            Form(form) => return self.formed(form),
            Texts => self.pick(&[
                "tolist([\"b\", \"a\", \"b\"])",
                "tolist([])",
                "[\"a\", \"b\"]",
                "tolist([\"x\", null])",
                "[\"\", \"é\", \"a\"]",
            ]),
            Numbers => self.pick(&["tolist([3, 1])", "[1, 2, 2]", "range(3)", "tolist([-0, 0, 0.5])", "[1e100, -1]"]),
            Set => self.pick(&[
                "toset([\"a\", \"z\"])",
                "toset([])",
                "toset([1, 2])",
                "toset([[1], [2]])",
                "toset([-0, 0])",
                "toset([null, \"a\"])",
            ]),
            Map => self.pick(&[
                "tomap({ a = \"1\", b = \"2\" })",
                "tomap({})",
                "tomap({ k = 1 })",
                "tomap({ a = [1], b = [] })",
                "tomap({ b = null, a = \"x\" })",
            ]),
            MapOfTexts => self.pick(&[
                "tomap({ a = tolist([\"x\", \"y\"]), b = tolist([\"x\"]) })",
                "{ a = [\"x\"], b = [] }",
                "{ a = [null] }",
            ]),
            Tuple | Sequence => self.pick(&[
                "[1, \"b\", null]",
                "[]",
                "[[1], [\"x\", [2]]]",
                "[true, false]",
                "[{ a = 1 }, { a = \"x\" }]",
                "[-0, \"1\"]",
            ]),
            Object => self.pick(&[
                "{ a = 1, b = null }",
                "{}",
                "{ a = \"o\", l = [\"r\"] }",
                "{ \"x y\" = 1 }",
                "{ b = true, a = { c = [] } }",
            ]),
        }
        .to_owned()
    }

    fn formed(&mut self, form: Form) -> String {
        let text = match form {
            Form::Format => patterns::format(self.choices),
            Form::Pattern => patterns::pattern(self.choices),
            Form::DateForm => patterns::date(self.choices),
            Form::Template => return format!("local.{}", self.pick(texts::of(form))),
            Form::File => return format!("\"${{local.dir}}/{}\"", self.pick(texts::of(form))),
            Form::Folder => {
                return self
                    .pick(&["local.dir", "\"${local.dir}/sub\"", "\"${local.dir}/\"", "\"${local.dir}/none\""])
                    .to_owned();
            }
            form => self.pick(texts::of(form)).to_owned(),
        };
        quoted(&text)
    }

    fn call(&mut self, want: Want, depth: u32) -> String {
        let gives = |at: &usize| FUNCTIONS[*at].gives == want || FUNCTIONS[*at].gives == Any;
        let fitting: Vec<usize> = (0..FUNCTIONS.len()).filter(gives).collect();
        let at = fitting[self.below(fitting.len())];
        self.call_of(at, depth)
    }

    fn call_of(&mut self, at: usize, depth: u32) -> String {
        let signature = FUNCTIONS[at];
        let mut arguments: Vec<String> = signature.takes.iter().map(|&want| self.make(want, depth)).collect();
        if let (true, Some(last)) = (signature.more, signature.takes.last()) {
            for _ in 0..self.below(3) {
                arguments.push(self.make(*last, depth));
            }
        }
        let name = signature.name;
        match self.below(80) {
            0 => drop(arguments.pop()),
            1 => {
                let extra = self.make(Any, depth);
                arguments.push(extra);
            }
            2..=4 if !arguments.is_empty() => {
                arguments.pop();
                let list = self.make(Sequence, depth);
                return format!("{name}({}{list}...)", arguments.iter().map(|a| format!("{a}, ")).collect::<String>());
            }
            _ => {}
        }
        format!("{name}({})", arguments.join(", "))
    }

    /// What is taken out of something else.
    fn taken(&mut self, depth: u32) -> String {
        match self.below(11) {
            0 => format!("{}[{}]", self.make(Texts, depth), self.make(Small, depth)),
            1 => format!("{}[{}]", self.make(Map, depth), self.make(Key, depth)),
            2 => format!("({})[{}]", self.make(Object, depth), self.make(Key, depth)),
            3 => format!("({}).{}", self.make(Object, depth), self.pick(&["a", "b", "l", "n"])),
            4 => format!("({}).{}", self.make(Tuple, depth), self.below(3)),
            5 => format!("({})[*].{}", self.make(Sequence, depth), self.pick(&["a", "b", "a.b", "l[0]"])),
            6 => format!("({})[*]", self.make(Any, depth)),
            7 => format!("[{}, {}].*.a", self.make(Object, depth), self.make(Object, depth)),
            8 => format!("({})[*][{}]", self.make(Sequence, depth), self.make(Small, depth)),
            9 => format!("({}).*.{}", self.make(Sequence, depth), self.pick(&["a", "0", "l.0"])),
            _ => format!("({})[{}]", self.make(Tuple, depth), self.make(Small, depth)),
        }
    }

    fn own(&mut self, want: Want, depth: u32) -> String {
        match want {
            Bool => self.truth(depth),
            Number | Small if self.below(8) == 0 => format!("-({})", self.make(Number, depth)),
            Number | Small => {
                format!(
                    "({} {} {})",
                    self.make(Number, depth),
                    self.pick(&["+", "-", "*", "/", "%"]),
                    self.make(Number, depth)
                )
            }
            Text | Any | Key | Form(_) => self.template(depth),
            Set => format!("toset({})", self.make(Sequence, depth)),
            Map | MapOfTexts => format!("tomap({})", self.make(Object, depth)),
            Numbers => format!("tolist({})", self.make(Numbers, depth)),
            Texts | Tuple | Sequence => {
                if self.below(2) == 0 {
                    let parts: Vec<String> = (0..self.below(4)).map(|_| self.make(Any, depth)).collect();
                    return format!("[{}]", parts.join(", "));
                }
                self.each(depth, false)
            }
            Object => self.object(depth),
        }
    }

    fn truth(&mut self, depth: u32) -> String {
        match self.below(5) {
            0 => format!("!{}", self.make(Bool, depth)),
            1 => format!("({} {} {})", self.make(Bool, depth), self.pick(&["&&", "||"]), self.make(Bool, depth)),
            2 => {
                let any = self.any();
                format!("({} {} {})", self.make(any, depth), self.pick(&["==", "!="]), self.make(any, depth))
            }
            3 => format!("({} {} {})", self.make(Any, depth), self.pick(&["==", "!="]), self.make(Any, depth)),
            _ => format!(
                "({} {} {})",
                self.make(Number, depth),
                self.pick(&["<", "<=", ">", ">="]),
                self.make(Number, depth)
            ),
        }
    }

    fn object(&mut self, depth: u32) -> String {
        if self.below(3) == 0 {
            return self.each(depth, true);
        }
        let mut members = Vec::new();
        for _ in 0..1 + self.below(3) {
            let key = match self.below(12) {
                0 => format!("({})", self.make(Text, depth)),
                1 => "\"k-${local.s1}\"".to_owned(),
                2 => self.pick(&["1", "true", "null", "\"x y\"", "1.50"]).to_owned(),
                3 => format!("({})", self.make(Any, depth)),
                _ => self.pick(&["a", "b", "l", "n"]).to_owned(),
            };
            members.push(format!("{key} = {}", self.make(Any, depth)));
        }
        format!("{{ {} }}", members.join(", "))
    }

    fn template(&mut self, depth: u32) -> String {
        let tilde = ["", "", "~"][self.below(3)];
        match self.below(8) {
            0 => {
                let condition = self.make(Bool, depth);
                let (yes, no) = (self.make(Text, depth), self.pick(&["F", " F ", "${local.s1}", ""]));
                format!("\"%{{ if {condition} {tilde}}} T${{{yes}}} %{{ else }}{no}%{{ endif {tilde}}} \"")
            }
            1 => format!("\"a%{{ if {} }}T%{{ endif }}\"", self.make(Bool, depth)),
            2 => {
                let list = self.make(Any, depth);
                let name = self.bind();
                let inner = self.make(Text, depth);
                self.bound.pop();
                format!("\"%{{ for {name} in {list} {tilde}}} ${{{inner}}};%{{ endfor }}\"")
            }
            3 => format!("\"${{{}}}\"", self.make(Any, depth)),
            4 => format!(
                "\"{}${{{}}}\"",
                self.pick(&["ab-", "abcd", "é", "e\u{301}", "🎉", " "]),
                self.make(Text, depth)
            ),
            5 => format!("\"abcd${{{}}}z\"", self.make(Number, depth)),
            6 => format!("\"a ${{{tilde} {} {tilde}}} b\"", self.make(Text, depth)),
            _ => format!("\"${{{}}}${{{}}}\"", self.make(Text, depth), self.make(Any, depth)),
        }
    }

    fn bind(&mut self) -> String {
        self.names += 1;
        let name = format!("x{}", self.names);
        self.bound.push(name.clone());
        name
    }

    fn each(&mut self, depth: u32, object: bool) -> String {
        let collection = [Texts, Set, Map, Tuple, Object, Numbers, Any][self.below(7)];
        let collection = self.make(collection, depth);
        let (key, two) = (self.bind(), self.below(2) == 0);
        let value = if two { self.bind() } else { key.clone() };
        let names = if two { format!("{key}, {value}") } else { key.clone() };
        let result = self.make(Any, depth);
        let condition = if self.below(3) == 0 { format!(" if {}", self.make(Bool, depth)) } else { String::new() };
        let made = if object {
            let name = if self.below(3) == 0 { self.make(Text, depth) } else { format!("\"${{{key}}}\"") };
            let grouped = if self.below(4) == 0 { "..." } else { "" };
            format!("{{ for {names} in {collection} : {name} => {result}{grouped}{condition} }}")
        } else {
            format!("[for {names} in {collection} : {result}{condition}]")
        };
        self.bound.truncate(self.bound.len() - 1 - usize::from(two));
        made
    }
}

fn fits(want: Want, ty: &Type) -> bool {
    match want {
        Bool => *ty == Type::Bool,
        Number | Small => *ty == Type::Number,
        Text | Key | Form(_) => *ty == Type::String,
        Texts => matches!(ty, Type::List(element) if **element == Type::String),
        Numbers => matches!(ty, Type::List(element) if **element == Type::Number),
        Set => matches!(ty, Type::Set(_)),
        Map | MapOfTexts => matches!(ty, Type::Map(_)),
        Tuple => matches!(ty, Type::Tuple(_)),
        Object => matches!(ty, Type::Object(_)),
        Sequence => matches!(ty, Type::List(_) | Type::Set(_) | Type::Tuple(_)),
        Any => true,
    }
}
