//! The parser: precedence climbing over the text itself, without a list of tokens (E80a).
//!
//! Variables of `for` and elements of splats become slots here, so that evaluation never looks up a name. Nesting is bounded by
//! [`MAX_NATIVE_DEPTH`], the depth of the tree (long chains of operators) by [`MAX_EXPRESSION_DEPTH`].

use planfuzz_core::value::{Number, Text, Type, Value};

use super::ast::{BinaryOperator, Expression, For, Item, Kind, MAX_EXPRESSION_DEPTH, UnaryOperator};
use super::template::End;
use crate::diagnostic::Diagnostic;
use crate::native::{MAX_NATIVE_DEPTH, scan};
use crate::place::SourcePlace;

pub(super) type Parsed<T> = Result<T, Diagnostic>;

/// Parses an expression of the native syntax.
///
/// # Errors
/// What is not one, in the engine's words.
pub fn parse(text: &str, place: SourcePlace) -> Result<Expression, Vec<Diagnostic>> {
    let mut parser = Parser::new(text, place);
    let parsed = parser.expression().and_then(|expression| {
        parser.blank();
        if parser.at == text.len() { Ok(expression) } else { Err(parser.fault("Extra characters after expression")) }
    });
    parsed.map_err(|fault| vec![fault])
}

/// Parses a template, as in a JSON string.
///
/// # Errors
/// As [`parse`].
pub fn parse_template(text: &str, place: SourcePlace) -> Result<Expression, Vec<Diagnostic>> {
    Parser::new(text, place).template(End::Text).map_err(|fault| vec![fault])
}

pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    pub(super) place: SourcePlace,
    /// Names of the slots in sight; nothing for the element of a splat.
    pub(super) slots: Vec<Option<Text>>,
    depth: usize,
    /// Whether a line end ends an expression here.
    lines: bool,
}

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str, place: SourcePlace) -> Self {
        Self { text, at: 0, place, slots: Vec::new(), depth: 0, lines: false }
    }

    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub(super) fn fault(&self, summary: &str) -> Diagnostic {
        Diagnostic::error(summary, "", self.place.part(self.at.min(self.text.len()), self.text.len().min(self.at + 1)))
    }

    pub(super) fn make(&self, start: usize, kind: Kind) -> Parsed<Expression> {
        let mut made = Expression { kind, place: self.place.part(start, self.at), depth: 0 };
        made.depth = 1 + made.children().iter().map(|child| child.depth).max().unwrap_or(0);
        if made.depth > MAX_EXPRESSION_DEPTH { Err(self.fault("Expression is too deep")) } else { Ok(made) }
    }

    pub(super) fn blank(&mut self) {
        let bytes = self.text.as_bytes();
        self.at = if self.lines { scan::blanks(bytes, self.at) } else { scan::blank_lines(bytes, self.at) };
    }

    /// Passes a sign, if it is there.
    pub(super) fn eat(&mut self, sign: &str) -> bool {
        self.blank();
        let there = self.rest().starts_with(sign);
        if there {
            self.at += sign.len();
        }
        there
    }

    fn want(&mut self, sign: &str) -> Parsed<()> {
        if self.eat(sign) { Ok(()) } else { Err(self.fault("Invalid expression")) }
    }

    pub(super) fn name(&mut self) -> Option<Text> {
        self.blank();
        let end = scan::identifier(self.text, self.at);
        let name = (end > self.at).then(|| Text::new(&self.text[self.at..end]));
        self.at = end;
        name
    }

    pub(super) fn word(&mut self, word: &str) -> bool {
        self.blank();
        let there = &self.text[self.at..scan::identifier(self.text, self.at)] == word;
        if there {
            self.at += word.len();
        }
        there
    }

    /// Something in brackets, where line ends count or not.
    pub(super) fn nested<T>(&mut self, lines: bool, inside: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_NATIVE_DEPTH {
            return Err(self.fault("Expression is too deep"));
        }
        let outer = std::mem::replace(&mut self.lines, lines);
        self.depth += 1;
        let result = inside(self);
        self.depth -= 1;
        self.lines = outer;
        result
    }

    pub(super) fn expression(&mut self) -> Parsed<Expression> {
        let lines = self.lines;
        self.nested(lines, Self::conditional)
    }

    fn conditional(&mut self) -> Parsed<Expression> {
        self.blank();
        let start = self.at;
        let condition = self.binary(0)?;
        if !self.eat("?") {
            return Ok(condition);
        }
        let yes = self.expression()?;
        self.want(":")
            .map_err(|fault| Diagnostic { summary: "Missing false expression in conditional".into(), ..fault })?;
        let no = self.expression()?;
        self.make(start, Kind::Conditional(Box::new([condition, yes, no])))
    }

    fn binary(&mut self, least: u8) -> Parsed<Expression> {
        self.blank();
        let start = self.at;
        let mut left = self.unary()?;
        while let Some((sign, strength, operator)) = self.operator().filter(|found| found.1 >= least) {
            self.at += sign;
            let right = self.binary(strength + 1)?;
            left = self.make(start, Kind::Binary(operator, Box::new(left), Box::new(right)))?;
        }
        Ok(left)
    }

    fn operator(&mut self) -> Option<(usize, u8, BinaryOperator)> {
        use BinaryOperator::*;
        self.blank();
        let rest = self.rest().as_bytes();
        Some(match (rest.first()?, rest.get(1)) {
            (b'|', Some(b'|')) => (2, 0, Or),
            (b'&', Some(b'&')) => (2, 1, And),
            (b'=', Some(b'=')) => (2, 2, Equal),
            (b'!', Some(b'=')) => (2, 2, NotEqual),
            (b'<', Some(b'=')) => (2, 3, LessOrEqual),
            (b'>', Some(b'=')) => (2, 3, GreaterOrEqual),
            (b'<', _) => (1, 3, Less),
            (b'>', _) => (1, 3, Greater),
            (b'+', _) => (1, 4, Add),
            (b'-', _) => (1, 4, Subtract),
            (b'*', _) => (1, 5, Multiply),
            (b'/', _) => (1, 5, Divide),
            (b'%', _) => (1, 5, Modulo),
            _ => return None,
        })
    }

    fn unary(&mut self) -> Parsed<Expression> {
        self.blank();
        let start = self.at;
        let operator = match self.rest().as_bytes() {
            [b'-', ..] => UnaryOperator::Negate,
            [b'!', next, ..] if *next != b'=' => UnaryOperator::Not,
            _ => return self.postfix(),
        };
        self.at += 1;
        let lines = self.lines;
        let operand = self.nested(lines, Self::unary)?;
        self.make(start, Kind::Unary(operator, Box::new(operand)))
    }

    fn postfix(&mut self) -> Parsed<Expression> {
        let start = self.at;
        let operand = self.operand()?;
        self.steps(start, operand, true)
    }

    /// The steps behind an operand; in `.*` no brackets.
    fn steps(&mut self, start: usize, mut value: Expression, brackets: bool) -> Parsed<Expression> {
        loop {
            let before = self.at;
            self.blank();
            let rest = self.rest();
            if rest.starts_with('.') && !rest.starts_with("...") {
                self.at += 1;
                self.blank();
                if self.rest().starts_with('*') {
                    if !brackets {
                        return Err(self.fault("Nested splat expression not allowed"));
                    }
                    self.at += 1;
                    value = self.splat(start, value, false)?;
                } else if self.rest().starts_with(|c: char| c.is_ascii_digit()) {
                    let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
                    let from = self.at;
                    self.at += digits;
                    let number = Number::parse(&self.text[from..self.at])
                        .map_err(|_| self.fault("Invalid legacy index syntax"))?;
                    let key = self.make(from, Kind::Literal(Value::number(number)))?;
                    value = self.make(start, Kind::Index(Box::new(value), Box::new(key)))?;
                } else {
                    let name = self.name().ok_or_else(|| self.fault("Invalid attribute name"))?;
                    value = self.make(start, Kind::Attribute(Box::new(value), name))?;
                }
            } else if brackets && rest.starts_with('[') {
                self.at += 1;
                if self.nested(false, |parser| Ok(parser.eat("*")))? {
                    self.nested(false, |parser| parser.want("]"))?;
                    value = self.splat(start, value, true)?;
                } else {
                    let key = self.nested(false, |parser| {
                        let key = parser.expression()?;
                        parser.want("]")?;
                        Ok(key)
                    })?;
                    value = self.make(start, Kind::Index(Box::new(value), Box::new(key)))?;
                }
            } else {
                self.at = before;
                return Ok(value);
            }
        }
    }

    fn splat(&mut self, start: usize, source: Expression, full: bool) -> Parsed<Expression> {
        let slot = self.slots.len();
        self.slots.push(None);
        let lines = self.lines;
        let each = self.nested(lines, |parser| {
            let item = parser.make(parser.at, Kind::Slot(slot))?;
            parser.steps(parser.at, item, full)
        });
        self.slots.pop();
        self.make(start, Kind::Splat(Box::new(source), slot, Box::new(each?)))
    }

    fn operand(&mut self) -> Parsed<Expression> {
        let start = self.at;
        match self.rest().as_bytes().first() {
            None => Err(self.fault("Missing expression")),
            Some(b'(') => {
                self.at += 1;
                let inner = self.nested(false, |parser| {
                    let inner = parser.expression()?;
                    parser.want(")")?;
                    Ok(inner)
                })?;
                self.make(start, Kind::Parentheses(Box::new(inner)))
            }
            Some(b'[') => {
                self.at += 1;
                self.nested(false, |parser| parser.tuple(start))
            }
            Some(b'{') => {
                self.at += 1;
                self.nested(false, |parser| parser.object(start))
            }
            Some(b'"') => {
                self.at += 1;
                self.nested(false, |parser| parser.template(End::Quote))
            }
            Some(b'<') if self.rest().starts_with("<<") => self.heredoc(),
            Some(b'0'..=b'9') => self.number(),
            Some(_) => self.named(),
        }
    }

    fn number(&mut self) -> Parsed<Expression> {
        let (start, bytes) = (self.at, self.text.as_bytes());
        let digits = |mut at: usize| {
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            at
        };
        let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
        let mut end = digits(start);
        if bytes.get(end) == Some(&b'.') && is_digit(end + 1) {
            end = digits(end + 1);
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            if is_digit(end + 1 + sign) {
                end = digits(end + 1 + sign);
            }
        }
        self.at = end;
        let number = Number::parse(&self.text[start..end]).map_err(|_| self.fault("Invalid number literal"))?;
        self.make(start, Kind::Literal(Value::number(number)))
    }

    fn named(&mut self) -> Parsed<Expression> {
        let start = self.at;
        let Some(name) = self.name() else { return Err(self.fault("Invalid expression")) };
        let mut whole = name.as_str().to_owned();
        while self.rest().starts_with("::") {
            self.at += 2;
            whole.push_str("::");
            whole.push_str(self.name().ok_or_else(|| self.fault("Missing function name"))?.as_str());
        }
        let after = self.at;
        self.blank();
        if self.rest().starts_with('(') {
            self.at += 1;
            return self.nested(false, |parser| parser.call(start, &whole));
        }
        self.at = after;
        let kind = match name.as_str() {
            "true" => Kind::Literal(Value::bool(true)),
            "false" => Kind::Literal(Value::bool(false)),
            "null" => Kind::Literal(Value::null(Type::Dynamic)),
            _ => match self.slots.iter().rposition(|slot| slot.as_ref() == Some(&name)) {
                Some(slot) => Kind::Slot(slot),
                None => Kind::Root(name),
            },
        };
        self.make(start, kind)
    }

    fn call(&mut self, start: usize, name: &str) -> Parsed<Expression> {
        let (mut arguments, mut spread) = (Vec::new(), false);
        while !self.eat(")") {
            arguments.push(self.expression()?);
            if self.eat("...") {
                spread = true;
                self.eat(",");
                self.want(")")?;
                break;
            }
            if !self.eat(",") {
                self.want(")").map_err(|fault| Diagnostic { summary: "Missing argument separator".into(), ..fault })?;
                break;
            }
        }
        let name = name.strip_prefix("core::").unwrap_or(name);
        self.make(start, Kind::Call(Text::new(name), arguments, spread))
    }

    fn tuple(&mut self, start: usize) -> Parsed<Expression> {
        if self.word("for") {
            return self.for_expression(start, "]");
        }
        let mut elements = Vec::new();
        while !self.eat("]") {
            elements.push(self.expression()?);
            if !self.eat(",") {
                self.want("]").map_err(|fault| Diagnostic { summary: "Missing item separator".into(), ..fault })?;
                break;
            }
        }
        self.make(start, Kind::Tuple(elements))
    }

    fn object(&mut self, start: usize) -> Parsed<Expression> {
        let before = self.at;
        if self.word("for") {
            self.blank();
            if scan::identifier(self.text, self.at) > self.at {
                return self.for_expression(start, "}");
            }
            self.at = before;
        }
        let mut items = Vec::new();
        while !self.eat("}") {
            let key = self.key()?;
            if !self.eat("=") && !self.eat(":") {
                return Err(self.fault("Missing key/value separator"));
            }
            let value = self.nested(true, Self::expression)?;
            items.push(Item { key, value });
            let line_end = self.nested(true, |parser| {
                parser.blank();
                Ok(parser.rest().starts_with(['\n', '#']) || parser.rest().starts_with("//"))
            })?;
            if !self.eat(",") && !line_end {
                self.want("}")
                    .map_err(|fault| Diagnostic { summary: "Missing attribute separator".into(), ..fault })?;
                break;
            }
        }
        self.make(start, Kind::Object(items))
    }

    /// A bare name stands for itself; `true`, `null` and numbers for their text (E81).
    fn key(&mut self) -> Parsed<Expression> {
        self.blank();
        let start = self.at;
        if let Some(name) = self.name() {
            let after = self.at;
            self.blank();
            if self.rest().starts_with(['=', ':']) && !self.rest().starts_with("==") && !self.rest().starts_with("::") {
                self.at = after;
                let key = Value::from_parts(Type::String, planfuzz_core::value::Node::String(name));
                return self.make(start, Kind::Literal(key));
            }
            if self.rest().starts_with('.') {
                return Err(self.fault("Ambiguous attribute key"));
            }
        }
        self.at = start;
        self.expression()
    }

    pub(super) fn for_intro(&mut self) -> Parsed<(Option<usize>, usize, Expression)> {
        let missing = "Invalid 'for' expression";
        let first = self.name().ok_or_else(|| self.fault(missing))?;
        let second = if self.eat(",") { Some(self.name().ok_or_else(|| self.fault(missing))?) } else { None };
        if !self.word("in") {
            return Err(self.fault(missing));
        }
        let collection = self.expression()?;
        let slot = self.slots.len();
        self.slots.push(Some(first));
        Ok(match second {
            None => (None, slot, collection),
            Some(second) => {
                self.slots.push(Some(second));
                (Some(slot), slot + 1, collection)
            }
        })
    }

    fn for_expression(&mut self, start: usize, close: &str) -> Parsed<Expression> {
        let outer = self.slots.len();
        let (key_slot, value_slot, collection) = self.for_intro()?;
        self.want(":")?;
        let mut value = self.expression()?;
        let mut key = None;
        if close == "}" {
            self.want("=>")?;
            key = Some(std::mem::replace(&mut value, self.expression()?));
        }
        let grouped = key.is_some() && self.eat("...");
        let condition = if self.word("if") { Some(self.expression()?) } else { None };
        self.want(close)?;
        self.slots.truncate(outer);
        self.make(start, Kind::For(Box::new(For { collection, key_slot, value_slot, key, value, condition, grouped })))
    }
}
