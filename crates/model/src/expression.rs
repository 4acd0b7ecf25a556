//! Formulas of `[[expression]]`: reading, with checks of names, numbers of arguments and units.
//!
//! ```text
//! comparison = sum [ ("<" | "<=" | ">" | ">=") sum ]
//! sum        = product { ("+" | "-") product }
//! product    = signed { ("*" | "/") signed }
//! signed     = { "-" | "+" } power
//! power      = atom [ "^" signed ]
//! atom       = number [ "[" unit "]" ] | name | name "(" comparison { "," comparison } ")" | "(" comparison ")"
//! ```
//!
//! A number without a unit, a parameter or input without a unit, and everything computed from them has any unit that
//! fits. All other sums, arguments and powers must agree in their units; angles are pure numbers.

use crate::document::nearest::nearest;
use crate::units::{self, UNITS};
use ballesta_solver::force::expression::{Function, Instruction, MAX_DEPTH, depth};

/// Largest number of characters of a formula.
const MAX_TEXT: usize = 4000;
/// Largest number of nested brackets and functions.
const MAX_NESTING: usize = 50;
/// Whole exponents up to this one are products.
const MAX_WHOLE: f64 = 64.0;

/// Exponents of kg, m and s; `None` fits any unit.
pub type Dimension = Option<[f64; 3]>;

/// A pure number.
const PURE: Dimension = Some([0.0; 3]);

/// A formula.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    /// Its instructions; variables by their index among the names.
    pub instructions: Vec<Instruction>,
    /// Its unit.
    pub dimension: Dimension,
}

/// A fault of a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What was found, with the number of the character.
    pub found: String,
    /// The correction.
    pub expected: String,
}

/// Dimension of a unit of the model file; `None` for an unknown one.
pub fn dimension(unit: &str) -> Dimension {
    units::dimension(unit).map(|([kg, m, s, _], _)| [f64::from(kg), f64::from(m), f64::from(s)])
}

/// The symbol of a dimension.
pub fn symbol(dimension: [f64; 3]) -> String {
    if dimension == [0.0; 3] {
        return "no unit".into();
    }
    let same = |unit: &&units::Unit| unit.rad == 0 && [unit.kg, unit.m, unit.s].map(f64::from) == dimension;
    if let Some(unit) = UNITS.iter().filter(|unit| unit.symbol != "Hz").find(same) {
        return format!("`{}`", unit.symbol);
    }
    let part = |(name, power): (&str, f64)| match power {
        0.0 => None,
        1.0 => Some(name.to_string()),
        _ => Some(format!("{name}^{power}")),
    };
    let parts: Vec<String> = ["kg", "m", "s"].into_iter().zip(dimension).filter_map(part).collect();
    format!("`{}`", parts.join(" "))
}

/// Reads a formula with the variables `names`, each with its dimension.
pub fn parse(text: &str, names: &[(&str, Dimension)]) -> Result<Formula, Fault> {
    let fault = |found: String, expected: &str| Fault { found, expected: expected.into() };
    if text.trim().is_empty() {
        return Err(fault("the formula is empty".into(), "write a formula, like `-k * x`"));
    }
    let letters: Vec<char> = text.chars().collect();
    if letters.len() > MAX_TEXT {
        let found = format!("the formula has {} characters", letters.len());
        return Err(fault(found, &format!("write at most {MAX_TEXT}")));
    }
    let mut reader = Reader { letters, at: 0, names, instructions: Vec::new(), nesting: 0 };
    let whole = reader.comparison()?;
    reader.skip();
    if reader.at < reader.letters.len() {
        let wrong = reader.letters[reader.at];
        return Err(reader.fault(reader.at, format!("`{wrong}`"), "write an operator, or end the formula here"));
    }
    match depth(&reader.instructions) {
        Some(depth) if depth <= MAX_DEPTH => {
            Ok(Formula { instructions: reader.instructions, dimension: whole.dimension })
        }
        _ => Err(fault("the formula is too deep".into(), "divide it into several expressions")),
    }
}

/// A part of the formula that was read.
#[derive(Clone, Copy)]
struct Part {
    /// First character and first instruction.
    from: (usize, usize),
    dimension: Dimension,
    /// Value of a number.
    constant: Option<f64>,
}

struct Reader<'a> {
    letters: Vec<char>,
    at: usize,
    names: &'a [(&'a str, Dimension)],
    instructions: Vec<Instruction>,
    nesting: usize,
}

impl Reader<'_> {
    fn fault(&self, at: usize, what: String, expected: impl Into<String>) -> Fault {
        Fault { found: format!("found {what} at character {}", at + 1), expected: expected.into() }
    }

    fn skip(&mut self) {
        while self.letters.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
    }

    /// Takes one of the words at this place.
    fn take<'w>(&mut self, words: &[&'w str]) -> Option<&'w str> {
        self.skip();
        let here = &self.letters[self.at..];
        let word = words.iter().find(|word| word.chars().enumerate().all(|(i, c)| here.get(i) == Some(&c)))?;
        self.at += word.chars().count();
        Some(word)
    }

    /// Both dimensions must agree.
    fn agree(&self, first: &Part, second: &Part, what: &str) -> Result<Dimension, Fault> {
        match (first.dimension, second.dimension) {
            (Some(a), Some(b)) if a != b => {
                let found = format!("{what} {} and {}", symbol(a), symbol(b));
                Err(self.fault(first.from.0, found, "write parts of the same unit; numbers may have one, `2[N/m]`"))
            }
            (a, b) => Ok(a.or(b)),
        }
    }

    fn comparison(&mut self) -> Result<Part, Fault> {
        let first = self.sum()?;
        let Some(operator) = self.take(&["<=", ">=", "<", ">"]) else { return Ok(first) };
        // x > y is y < x: the operands are exchanged by their negatives.
        let second = self.sum()?;
        self.agree(&first, &second, "a comparison of")?;
        if operator.starts_with('>') {
            self.instructions.insert(second.from.1, Instruction::Negate);
            self.instructions.push(Instruction::Negate);
        }
        let equal = operator.ends_with('=');
        self.instructions.push(if equal { Instruction::AtMost } else { Instruction::Less });
        Ok(Part { dimension: PURE, constant: None, ..first })
    }

    fn sum(&mut self) -> Result<Part, Fault> {
        let mut first = self.product()?;
        while let Some(operator) = self.take(&["+", "-"]) {
            let second = self.product()?;
            let what = if operator == "+" { "a sum of" } else { "a difference of" };
            first.dimension = self.agree(&first, &second, what)?;
            first.constant = None;
            self.instructions.push(if operator == "+" { Instruction::Add } else { Instruction::Subtract });
        }
        Ok(first)
    }

    fn product(&mut self) -> Result<Part, Fault> {
        let mut first = self.signed()?;
        loop {
            // `**` is a power.
            self.skip();
            if self.letters[self.at..].starts_with(&['*', '*']) {
                return Ok(first);
            }
            let Some(operator) = self.take(&["*", "/"]) else { return Ok(first) };
            let second = self.signed()?;
            let sense = if operator == "*" { 1.0 } else { -1.0 };
            let both = first.dimension.zip(second.dimension);
            first.dimension = both.map(|(a, b)| [0, 1, 2].map(|i| a[i] + sense * b[i]));
            let values = first.constant.zip(second.constant);
            first.constant = values.map(|(a, b)| if operator == "*" { a * b } else { a / b });
            self.instructions.push(if operator == "*" { Instruction::Multiply } else { Instruction::Divide });
        }
    }

    fn signed(&mut self) -> Result<Part, Fault> {
        let from = (self.at, self.instructions.len());
        let mut negative = false;
        while let Some(sign) = self.take(&["-", "+"]) {
            negative ^= sign == "-";
        }
        let part = self.power()?;
        if !negative {
            return Ok(part);
        }
        self.instructions.push(Instruction::Negate);
        Ok(Part { from, constant: part.constant.map(|value| -value), ..part })
    }

    fn power(&mut self) -> Result<Part, Fault> {
        let base = self.atom()?;
        if self.take(&["^", "**"]).is_none() {
            return Ok(base);
        }
        self.deeper()?;
        let exponent = self.signed()?;
        self.nesting -= 1;
        if exponent.dimension.is_some_and(|dimension| dimension != [0.0; 3]) {
            let found = format!("an exponent in {}", symbol(exponent.dimension.unwrap_or_default()));
            return Err(self.fault(exponent.from.0, found, "write a number without unit as the exponent"));
        }
        let Some(value) = exponent.constant else {
            if let Some(dimension) = base.dimension.filter(|dimension| *dimension != [0.0; 3]) {
                let found = format!("a variable power of {}", symbol(dimension));
                return Err(self.fault(base.from.0, found, "write a number as the exponent, or divide by a unit"));
            }
            self.instructions.push(Instruction::AnyPower);
            return Ok(Part { constant: None, ..base });
        };
        self.instructions.truncate(exponent.from.1);
        let whole = value.fract() == 0.0 && value.abs() <= MAX_WHOLE;
        // A whole number of at most two digits.
        self.instructions.push(if whole { Instruction::Whole(value as i32) } else { Instruction::Power(value) });
        let dimension = base.dimension.map(|dimension| dimension.map(|part| part * value));
        Ok(Part { dimension, constant: None, ..base })
    }

    fn deeper(&mut self) -> Result<(), Fault> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(self.fault(self.at, "too many brackets".into(), "divide the formula"));
        }
        Ok(())
    }

    fn atom(&mut self) -> Result<Part, Fault> {
        self.skip();
        let from = (self.at, self.instructions.len());
        let expected = "write a number, a variable, a function or an expression in brackets";
        match self.letters.get(self.at) {
            None => Err(Fault { found: "the formula ends early".into(), expected: expected.into() }),
            Some('(') => {
                self.at += 1;
                self.deeper()?;
                let inside = self.comparison()?;
                self.nesting -= 1;
                self.close()?;
                Ok(Part { from, ..inside })
            }
            Some(c) if c.is_ascii_digit() || *c == '.' => self.number(from),
            Some(c) if c.is_alphabetic() || *c == '_' => self.name(from),
            Some(other) => Err(self.fault(self.at, format!("`{other}`"), expected)),
        }
    }

    fn close(&mut self) -> Result<(), Fault> {
        match self.take(&[")"]) {
            Some(_) => Ok(()),
            None => Err(self.fault(self.at, "no closing bracket".into(), "write `)`")),
        }
    }

    fn number(&mut self, from: (usize, usize)) -> Result<Part, Fault> {
        let mut end = self.at;
        let mut seen_exponent = false;
        while let Some(c) = self.letters.get(end) {
            let sign = matches!(c, '+' | '-') && matches!(self.letters[end - 1], 'e' | 'E') && end > self.at;
            let exponent = matches!(c, 'e' | 'E') && !seen_exponent && end > self.at;
            if !(c.is_ascii_digit() || *c == '.' || sign || exponent) {
                break;
            }
            seen_exponent |= exponent;
            end += 1;
        }
        let text: String = self.letters[self.at..end].iter().collect();
        let Some(value) = text.parse::<f64>().ok().filter(|value| value.is_finite()) else {
            return Err(self.fault(self.at, format!("`{text}`"), "write a number like 0.5 or 1e-3"));
        };
        self.at = end;
        let (mut value, mut dimension) = (value, None);
        if self.take(&["["]).is_some() {
            let begin = self.at;
            let Some(length) = self.letters[begin..].iter().position(|c| *c == ']') else {
                return Err(self.fault(begin, "a unit without `]`".into(), "write `]` after the unit"));
            };
            let unit: String = self.letters[begin..begin + length].iter().collect();
            let Some((of, divisor)) = units::read(&unit) else {
                let known: Vec<&str> = UNITS.iter().map(|unit| unit.symbol).collect();
                let near = nearest(&unit, &known).map_or_else(
                    || format!("write one of {}", known.join(", ")),
                    |near| format!("did you mean `{near}`?"),
                );
                return Err(self.fault(begin, format!("the unit `{unit}`"), near));
            };
            (value, dimension) = (value / divisor, self::dimension(of));
            self.at = begin + length + 1;
        }
        self.instructions.push(Instruction::Number(value));
        Ok(Part { from, dimension, constant: Some(value) })
    }

    fn name(&mut self, from: (usize, usize)) -> Result<Part, Fault> {
        let is_part = |c: &char| c.is_alphanumeric() || *c == '_';
        let length = self.letters[self.at..].iter().take_while(|c| is_part(c)).count();
        let name: String = self.letters[self.at..self.at + length].iter().collect();
        let begin = self.at;
        self.at += length;
        if self.take(&["("]).is_some() {
            return self.call(from, &name);
        }
        if let Some(index) = self.names.iter().position(|known| known.0 == name) {
            self.instructions.push(Instruction::Variable(index));
            return Ok(Part { from, dimension: self.names[index].1, constant: None });
        }
        if name == "pi" {
            let value = core::f64::consts::PI;
            self.instructions.push(Instruction::Number(value));
            return Ok(Part { from, dimension: PURE, constant: Some(value) });
        }
        let known: Vec<&str> = self.names.iter().map(|known| known.0).collect();
        let expected = match nearest(&name, &known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("declare it in `variables`; the formula knows {}", known.join(", ")),
        };
        Err(self.fault(begin, format!("the unknown name `{name}`"), expected))
    }

    fn call(&mut self, from: (usize, usize), name: &str) -> Result<Part, Fault> {
        let Some((_, function, count)) = Function::ALL.iter().find(|row| row.0 == name) else {
            let known: Vec<&str> = Function::ALL.iter().map(|row| row.0).collect();
            let expected = match nearest(name, &known) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("write one of {}", known.join(", ")),
            };
            return Err(self.fault(from.0, format!("the unknown function `{name}`"), expected));
        };
        self.deeper()?;
        let mut arguments = vec![self.comparison()?];
        while self.take(&[","]).is_some() {
            arguments.push(self.comparison()?);
        }
        self.nesting -= 1;
        self.close()?;
        if arguments.len() != *count {
            let found = format!(
                "{} of `{name}`",
                if arguments.len() == 1 { "1 argument".into() } else { format!("{} arguments", arguments.len()) }
            );
            return Err(self.fault(from.0, found, format!("give it {count}")));
        }
        self.instructions.push(Instruction::Call(*function));
        Ok(Part { from, dimension: self.returned(*function, name, &arguments)?, constant: None })
    }

    /// Dimension of the value of a function.
    fn returned(&self, function: Function, name: &str, arguments: &[Part]) -> Result<Dimension, Fault> {
        let between = format!("`{name}` of");
        match (function, arguments) {
            (Function::Sqrt, [x]) => Ok(x.dimension.map(|dimension| dimension.map(|part| 0.5 * part))),
            (Function::Abs, [x]) => Ok(x.dimension),
            (Function::Sign, _) => Ok(PURE),
            (Function::Atan2, [y, x]) => self.agree(y, x, &between).map(|_| PURE),
            (Function::Min | Function::Max, [x, y]) => self.agree(x, y, &between),
            (Function::If, [_, x, y]) => self.agree(x, y, &between),
            (Function::Step, [x, x0, y0, x1, y1]) => {
                self.agree(x, x0, &between)?;
                self.agree(x, x1, &between)?;
                self.agree(y0, y1, &between)
            }
            (_, arguments) => {
                let wrong = arguments.iter().find(|part| part.dimension.is_some_and(|d| d != [0.0; 3]));
                match wrong {
                    Some(part) => {
                        let found = format!("`{name}` of {}", symbol(part.dimension.unwrap_or_default()));
                        Err(self.fault(
                            part.from.0,
                            found,
                            "the argument is an angle or a pure number: divide by a unit",
                        ))
                    }
                    None => Ok(PURE),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Instruction::*;

    const NAMES: &[(&str, Dimension)] = &[
        ("x", Some([0.0, 1.0, 0.0])),
        ("v", Some([0.0, 1.0, -1.0])),
        ("k", Some([1.0, 0.0, -2.0])),
        ("a", Some([0.0; 3])),
        ("any", None),
    ];

    fn code(text: &str) -> Vec<Instruction> {
        parse(text, NAMES).unwrap_or_else(|fault| panic!("{text}: {fault:?}")).instructions
    }

    #[test]
    fn operators_bind_as_in_mathematics() {
        assert_eq!(code("1 + 2 * a"), [Number(1.0), Number(2.0), Variable(3), Multiply, Add]);
        assert_eq!(code("-a^2"), [Variable(3), Whole(2), Negate]);
        assert_eq!(code("a - 1 - 2"), [Variable(3), Number(1.0), Subtract, Number(2.0), Subtract]);
        assert_eq!(code("a / 2 * 3"), [Variable(3), Number(2.0), Divide, Number(3.0), Multiply]);
        assert_eq!(code("2^a^2"), [Number(2.0), Variable(3), Whole(2), AnyPower]);
        assert_eq!(code("a**-1.5"), [Variable(3), Power(-1.5)]);
        assert_eq!(code("a^(3/2)"), [Variable(3), Power(1.5)]);
        assert_eq!(code("a > 1"), [Variable(3), Negate, Number(1.0), Negate, Less]);
        assert_eq!(code("min(a, .5e+1)"), [Variable(3), Number(5.0), Call(Function::Min)]);
        assert_eq!(code(" ( 30[deg] ) "), [Number(30.0 / (180.0 / std::f64::consts::PI))]);
    }

    #[test]
    fn greater_compares_the_same_numbers() {
        // −x < −y is x > y.
        assert_eq!(code("a >= 1"), [Variable(3), Negate, Number(1.0), Negate, AtMost]);
    }

    #[test]
    fn units_are_those_of_the_parts() {
        let unit = |text: &str| parse(text, NAMES).unwrap().dimension.map(symbol);
        for (text, expected) in [
            ("-k * x", Some("`N`")),
            ("k * x + 2[N]", Some("`N`")),
            ("120 * x", None),
            ("120[N/m] * x", Some("`N`")),
            ("sqrt(k / 2[kg])", Some("`s^-1`")),
            ("0.5[kg] * v^2", Some("`N.m`")),
            ("sin(x / 1[m]) * 3[kN]", Some("`N`")),
            ("if(x > 0.1, k, 2 * k) * max(x, any)", Some("`N`")),
            ("step(x, 0, 0, 10[mm], k) * x", Some("`N`")),
            ("a", Some("no unit")),
        ] {
            assert_eq!(unit(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn every_fault_is_explained_at_its_place() {
        let deep = "(".repeat(60);
        for (text, found, expected) in [
            ("", "empty", "-k * x"),
            ("x + v", "a sum of `m` and `m/s` at character 1", "same unit"),
            ("sin(x)", "`sin` of `m` at character 5", "divide by a unit"),
            ("x ^ v", "an exponent in `m/s` at character 5", "without unit"),
            ("x ^ a", "a variable power of `m`", "number as the exponent"),
            ("2 * y", "the unknown name `y` at character 5", "x, v, k, a, any"),
            ("kk * x", "the unknown name `kk`", "did you mean `k`?"),
            ("sinus(a)", "the unknown function `sinus`", "sin"),
            ("atan2(a)", "1 argument of `atan2`", "give it 2"),
            ("a +", "ends early", "a number"),
            ("a b", "`b` at character 3", "operator"),
            ("(a", "no closing bracket at character 3", "`)`"),
            ("1.2.3", "`1.2.3` at character 1", "0.5"),
            ("2[N", "a unit without `]`", "]"),
            ("2[furlong]", "the unit `furlong` at character 3", "N.m"),
            ("a; b", "`;` at character 2", "operator"),
            (deep.as_str(), "too many brackets", "divide"),
        ] {
            let fault = parse(text, NAMES).expect_err(text);
            assert!(fault.found.contains(found) && fault.expected.contains(expected), "{text}: {fault:?}");
        }
        assert!(parse(&"a+".repeat(3000), NAMES).unwrap_err().found.contains("6000 characters"));
        let nested = format!("{}a{}", "1+(".repeat(40), ")".repeat(40));
        assert!(parse(&nested, NAMES).unwrap_err().found.contains("too deep"));
    }
}
