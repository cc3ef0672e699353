//! Operands: brackets, quotes, numbers, names, calls, tuples, objects and `for` (E80, E81, E91).

use planfuzz_core::value::{Node, Number, Text, Type, Value};

use super::ast::{Expression, For, Item, Kind};
use super::parse::{AMBIGUOUS, MISSING, Parsed, Parser};
use super::template::End;
use crate::native::scan;

const FOR: &str = "Invalid 'for' expression";

impl Parser<'_> {
    pub(super) fn operand(&mut self) -> Parsed<Expression> {
        let start = self.at;
        match self.rest().as_bytes().first() {
            None => Err(self.fault(MISSING)),
            Some(b'(') => {
                self.at += 1;
                let inner = self.nested(false, |parser| {
                    let inner = parser.expression()?;
                    parser.want(")", "Unbalanced parentheses")?;
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
                self.nested(false, |parser| parser.template(start, End::Quote))
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
        if bytes.get(end) == Some(&b'.') && is_digit(end + 1) {
            // `1.2.3` is read as one number.
            return Err(self.fault("Invalid number literal"));
        }
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
        if whole.len() != name.len() {
            return Err(self.fault("Missing open parenthesis"));
        }
        self.at = after;
        let kind = match name.as_str() {
            "true" => Kind::Literal(Value::bool(true)),
            "false" => Kind::Literal(Value::bool(false)),
            "null" => Kind::Literal(Value::null(Type::Dynamic)),
            _ => match self.slot_of(&name) {
                Some(slot) => Kind::Slot(slot),
                None => Kind::Root(name),
            },
        };
        self.make(start, kind)
    }

    /// The slot of the innermost variable with a name.
    fn slot_of(&self, name: &Text) -> Option<usize> {
        let mut slots = self.slots.iter();
        let is_named = |slot: &Option<Text>| slot.as_ref() == Some(name);
        if fault!(OuterVariable) { slots.position(is_named) } else { slots.rposition(is_named) }
    }

    fn call(&mut self, start: usize, name: &str) -> Parsed<Expression> {
        let (mut arguments, mut spread) = (Vec::new(), false);
        while !self.eat(")") {
            arguments.push(self.expression()?);
            if self.eat("...") {
                spread = true;
                self.eat(",");
                self.want(")", "Missing closing parenthesis")?;
                break;
            }
            if !self.eat(",") {
                self.want(")", "Missing argument separator")?;
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
                self.want("]", "Missing item separator")?;
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
                self.want("}", "Missing attribute separator")?;
                break;
            }
        }
        self.make(start, Kind::Object(items))
    }

    /// A bare name is its own text; `true`, `null` and numbers are their texts (E81).
    fn key(&mut self) -> Parsed<Expression> {
        self.blank();
        let start = self.at;
        if let Some(name) = self.name() {
            let after = self.at;
            self.blank();
            if self.rest().starts_with(['=', ':']) && !self.rest().starts_with("==") && !self.rest().starts_with("::") {
                self.at = after;
                let key = Value::from_parts(Type::String, Node::String(name));
                return self.make(start, Kind::Literal(key));
            }
            if self.rest().starts_with('.') {
                return Err(self.fault(AMBIGUOUS));
            }
        }
        self.at = start;
        self.expression()
    }

    pub(super) fn for_intro(&mut self) -> Parsed<(Option<usize>, usize, Expression)> {
        let first = self.name().ok_or_else(|| self.fault(FOR))?;
        let second = if self.eat(",") { Some(self.name().ok_or_else(|| self.fault(FOR))?) } else { None };
        if !self.word("in") {
            return Err(self.fault(FOR));
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
        self.want(":", FOR)?;
        let mut value = self.expression()?;
        let mut key = None;
        if close == "}" {
            self.want("=>", FOR)?;
            key = Some(std::mem::replace(&mut value, self.expression()?));
        }
        let grouped = key.is_some() && self.eat("...");
        let condition = if self.word("if") { Some(self.expression()?) } else { None };
        self.want(close, FOR)?;
        self.slots.truncate(outer);
        self.make(start, Kind::For(Box::new(For { collection, key_slot, value_slot, key, value, condition, grouped })))
    }
}
