//! The grammar: generates an expression of a wanted kind, whose parts are generated the same way.

use super::Want::{self, *};
use super::texts::{self, quoted};
use super::{Choices, FUNCTIONS, Form, Names, patterns};

/// The kinds to choose from if any will do.
const ANY: [Want; 11] = [Bool, Number, Text, Texts, Numbers, Set, Map, Tuple, Object, MapOfTexts, Sequence];

/// An expression of any kind; every second one is a call of a function in [`FUNCTIONS`].
pub fn expression(names: &mut dyn Names, choices: &mut dyn Choices) -> String {
    let mut generator = ExpressionGenerator::new(names, choices);
    let is_unreadable = generator.below(UNREADABLE) == 1;
    let whole = generator.whole();
    if !is_unreadable {
        return whole;
    }
    // Every bracket is closed: the diagnostics of an unclosed one depend on the text after it.
    match generator.below(5) {
        0 => format!("({whole} + )"),
        1 => format!("[{whole},, 1]"),
        2 => format!("{{ = {whole} }}"),
        3 => format!("length({whole} 1)"),
        _ => format!("({whole} 1)"),
    }
}

/// One of this many expressions is a syntax error.
const UNREADABLE: usize = 500;

/// An expression that mostly gives a string.
pub fn text(names: &mut dyn Names, choices: &mut dyn Choices) -> String {
    let mut generator = ExpressionGenerator::new(names, choices);
    let depth = generator.depth();
    generator.make(Text, depth - 1)
}

struct ExpressionGenerator<'l> {
    names: &'l mut dyn Names,
    choices: &'l mut dyn Choices,
    /// Indices in [`FUNCTIONS`] of the functions that may be called.
    callable: Vec<usize>,
    variables: u32,
    bound: Vec<String>,
}

impl<'l> ExpressionGenerator<'l> {
    fn new(names: &'l mut dyn Names, choices: &'l mut dyn Choices) -> ExpressionGenerator<'l> {
        let has_files = names.folder().is_some();
        let callable = (0..FUNCTIONS.len()).filter(|&at| has_files || !FUNCTIONS[at].reads_files()).collect();
        ExpressionGenerator { names, choices, callable, variables: 0, bound: Vec::new() }
    }

    fn whole(&mut self) -> String {
        let depth = self.depth();
        if self.below(2) == 0 {
            let want = self.any();
            return self.make(want, depth);
        }
        let at = self.below(self.callable.len());
        self.call_of(self.callable[at], depth - 1)
    }

    fn depth(&mut self) -> u32 {
        [1, 1, 2, 2, 3, 4][self.below(6)]
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
        // These forms are never replaced: what a relative path names depends on where the engine runs.
        let is_fixed = matches!(want, Form(form) if form == Form::Absolute || form.is_of_files());
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
        if want != Form(Form::Template) && self.below(40) == 0 {
            return self.pick(&["null", "sensitive(null)"]).to_owned();
        }
        let named = if matches!(want, Form(_)) { 6 } else { 2 };
        match self.below(named) {
            0 => self.named(want),
            _ => self.written(want),
        }
    }

    /// A named value, mostly of the wanted kind.
    fn named(&mut self, want: Want) -> String {
        format!("local.{}", self.names.name(want, self.choices))
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
        if form == Form::Template {
            return self.named(Form(form));
        }
        let folder = self.names.folder().map(str::to_owned);
        match (form, folder) {
            (Form::File, Some(folder)) => {
                format!("\"${{local.{folder}}}/{}\"", self.pick(texts::of(form)))
            }
            (Form::Folder, Some(folder)) => match self.below(4) {
                0 => format!("local.{folder}"),
                at => format!("\"${{local.{folder}}}{}\"", ["/sub", "/", "/none"][at - 1]),
            },
            _ => quoted(&form.text(self.choices)),
        }
    }

    fn call(&mut self, want: Want, depth: u32) -> String {
        let gives = |at: &usize| FUNCTIONS[*at].gives == want || FUNCTIONS[*at].gives == Any;
        let fitting: Vec<usize> = self.callable.iter().copied().filter(gives).collect();
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
            // Paths never come from a list either.
            2..=7 if !arguments.is_empty() && !signature.takes_paths() => {
                arguments.pop();
                let list = self.make(Sequence, depth);
                return format!("{name}({}{list}...)", arguments.iter().map(|a| format!("{a}, ")).collect::<String>());
            }
            _ => {}
        }
        format!("{name}({})", arguments.join(", "))
    }

    /// An attribute, an element or a splat of another value.
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
                1 => format!("\"k-${{{}}}\"", self.leaf(Text)),
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
        match self.below(9) {
            // In parentheses, because the line end after a heredoc would end a member of an object.
            8 => format!("(<<-T\n  x ${{{}}}\n    y\n  T\n)", self.make(Text, depth)),
            0 => {
                let condition = self.make(Bool, depth);
                let yes = self.make(Text, depth);
                let no = match self.below(4) {
                    0 => format!("${{{}}}", self.leaf(Text)),
                    at => ["F", " F ", ""][at - 1].to_owned(),
                };
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
        self.variables += 1;
        let name = format!("x{}", self.variables);
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
