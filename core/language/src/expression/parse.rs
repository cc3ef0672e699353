//! The parser: precedence climbing over the text itself, without a list of tokens (E80a).
//!
//! Variables of `for` and elements of splats become slots here, so that evaluation never looks up a name. Nesting is bounded by
//! [`MAX_NATIVE_DEPTH`], the depth of the tree (long chains of operators) by [`MAX_EXPRESSION_DEPTH`].

use planfuzz_core::value::{Number, Text, Value};

use super::ast::{BinaryOperator, Expression, Kind, MAX_EXPRESSION_DEPTH, UnaryOperator};
use super::heredoc::Heredoc;
use super::template::End;
use crate::diagnostic::Diagnostic;
use crate::native::{MAX_NATIVE_DEPTH, scan};
use crate::place::SourcePlace;

pub(super) type Parsed<T> = Result<T, Diagnostic>;

/// Parses an expression of the native syntax.
///
/// # Errors
/// The text is not an expression: the engine's diagnostics.
pub fn parse(text: &str, place: SourcePlace) -> Result<Expression, Vec<Diagnostic>> {
    let mut parser = Parser::new(text, place);
    if text.starts_with(scan::BYTE_ORDER_MARK) {
        parser.at = scan::BYTE_ORDER_MARK.len_utf8();
    }
    let parsed = parser.expression().and_then(|expression| {
        parser.blank();
        if parser.at == text.len() { Ok(expression) } else { Err(parser.fault(EXTRA)) }
    });
    parsed.map_err(|fault| vec![fault])
}

/// Parses the value of an argument for its fault only. Some faults of object keys are reported later, on evaluation (E81).
pub(crate) fn argument_fault(text: &str, place: SourcePlace) -> Option<Diagnostic> {
    let fault = parse(text, place).err()?.pop().filter(|fault| fault.summary != AMBIGUOUS)?;
    // The body parser reports the end of the line, not of the text.
    Some(match fault.summary.as_str() {
        EXTRA => Diagnostic { summary: "Missing newline after argument".into(), ..fault },
        MISSING => Diagnostic { summary: "Invalid expression".into(), ..fault },
        _ => fault,
    })
}

const INDEX: &str = "Missing close bracket on index";
const EXTRA: &str = "Extra characters after expression";
pub(super) const MISSING: &str = "Missing expression";
pub(super) const AMBIGUOUS: &str = "Ambiguous attribute key";

/// Parses a template, as in a JSON string.
///
/// # Errors
/// As [`parse`].
pub fn parse_template(text: &str, place: SourcePlace) -> Result<Expression, Vec<Diagnostic>> {
    let mut parser = Parser::new(text, place);
    if !text.is_empty() && !text.contains("${") && !text.contains("%{") {
        // Most texts have no sequences, and nothing in them is escaped.
        parser.at = text.len();
        return parser.make(0, Kind::Literal(Value::string(text))).map_err(|fault| vec![fault]);
    }
    parser.template(0, End::Text).map_err(|fault| vec![fault])
}

pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    pub(super) place: SourcePlace,
    /// The names of the slots in scope; `None` for the element of a splat.
    pub(super) slots: Vec<Option<Text>>,
    /// The surrounding heredocs.
    pub(super) heredocs: Vec<Heredoc>,
    depth: usize,
    /// Whether a line end ends an expression here.
    lines: bool,
}

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str, place: SourcePlace) -> Self {
        Self { text, at: 0, place, slots: Vec::new(), heredocs: Vec::new(), depth: 0, lines: false }
    }

    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub(super) fn fault(&self, summary: &str) -> Diagnostic {
        let at = self.at.min(self.text.len());
        let name = scan::identifier(self.text, at);
        let end = if name > at { name } else { at + self.text[at..].chars().next().map_or(1, char::len_utf8) };
        Diagnostic::error(summary, "", self.place.part(at, end))
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

    /// Consumes `sign` if it is next.
    pub(super) fn eat(&mut self, sign: &str) -> bool {
        self.blank();
        let there = self.rest().starts_with(sign);
        if there {
            self.at += sign.len();
        }
        there
    }

    pub(super) fn want(&mut self, sign: &str, summary: &str) -> Parsed<()> {
        if self.eat(sign) { Ok(()) } else { Err(self.fault(summary)) }
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

    /// Parses something in brackets; `lines`: whether line ends end an expression.
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
        self.want(":", "Missing false expression in conditional")?;
        let no = self.expression()?;
        self.make(start, Kind::Conditional(Box::new([condition, yes, no])))
    }

    fn binary(&mut self, least: u8) -> Parsed<Expression> {
        self.blank();
        let start = self.at;
        let mut left = self.unary()?;
        while let Some((sign, strength, operator)) = self.operator().filter(|found| found.1 >= least) {
            self.at += sign;
            let right = self.binary(if fault!(GroupedToTheRight) { strength } else { strength + 1 })?;
            left = self.make(start, Kind::Binary(operator, Box::new(left), Box::new(right)))?;
        }
        Ok(left)
    }

    fn operator(&mut self) -> Option<(usize, u8, BinaryOperator)> {
        use BinaryOperator::*;
        self.blank();
        let rest = self.rest().as_bytes();
        let equality = if fault!(EqualityAsComparison) { 3 } else { 2 };
        Some(match (rest.first()?, rest.get(1)) {
            (b'|', Some(b'|')) => (2, 0, Or),
            (b'&', Some(b'&')) => (2, 1, And),
            (b'=', Some(b'=')) => (2, equality, Equal),
            (b'!', Some(b'=')) => (2, equality, NotEqual),
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
            [b'!', next @ ..] if next.first() != Some(&b'=') => UnaryOperator::Not,
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

    /// The steps after an operand; after `.*` no brackets.
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
                    let behind = &self.rest().as_bytes()[..self.rest().len().min(2)];
                    if matches!(behind, [b'.', digit] if digit.is_ascii_digit()) {
                        // `.0.0` is read as one number.
                        return Err(self.fault("Invalid legacy index syntax"));
                    }
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
                    self.nested(false, |parser| parser.want("]", INDEX))?;
                    value = self.splat(start, value, true)?;
                } else {
                    let key = self.nested(false, |parser| {
                        let key = parser.expression()?;
                        parser.want("]", INDEX)?;
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
            parser.steps(parser.at, item, full || fault!(AttributeSplatTakesIndex))
        });
        self.slots.pop();
        self.make(start, Kind::Splat(Box::new(source), slot, Box::new(each?)))
    }
}
