//! Force or torque given by a formula of time, coordinates, inputs and parameters.
//!
//! # Law
//!
//! effort = gain · formula. It acts on a joint coordinate (on the second body along positive coordinates), or as the
//! tension between two points.
//!
//! The formula is a list of instructions for a stack, without loops and jumps, so each evaluation takes the same time.
//! Functions and operators are those of IEEE 754 and of `libm`; all are differentiated exactly by dual numbers. At a
//! corner (`abs`, `min`, `if`) the derivative belongs to the branch of the value.
//!
//! # Energy
//!
//! The element stores nothing. Its whole power is input power, also if the formula is a spring.
//!
//! # Limits
//!
//! A division by zero, or the root or logarithm of a negative number, is not finite and stops the run with a fault.
//! Implicit schemes treat the dependence on the element's own coordinate (or length) and its speed implicitly.
//!
//! # Tests
//!
//! Below, with `check.rs`: balance of powers, action = reaction, invariances, all functions by hand, derivatives
//! against differences.

use super::bump_stop::On;
use super::line::Line;
use super::{
    Coefficient, Connections, CoordinateIx, Direction, ForceElement, ForceLaw, Loads, Quantity, SpringReadout,
    Surroundings, Tangent,
};
use crate::math::elementary::{atan2, exp, ln, pow, sin_cos, tanh};
use crate::math::scalar::{Dual, Scalar};
use crate::math::{maximum, minimum};
use alloc::{string::String, vec::Vec};

/// Largest number of values on the stack.
pub const MAX_DEPTH: usize = 32;

/// Effort by a formula.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Expression {
    /// Name in the model file.
    pub name: String,
    /// The coordinate, or the two points.
    pub on: On,
    /// Factor on the formula.
    pub gain: Coefficient,
    /// The quantities that the formula reads, each with a factor.
    pub variables: Vec<(Reading, f64)>,
    /// The formula; [`depth`] is between 1 and [`MAX_DEPTH`].
    pub formula: Vec<Instruction>,
}

/// A quantity that a formula reads.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum Reading {
    /// Time, s.
    Time,
    /// Distance of the two points, m; zero without points.
    Length,
    /// Its rate, m/s.
    LengthRate,
    /// A joint coordinate, rad or m.
    Position(CoordinateIx),
    /// Its rate, rad/s or m/s.
    Speed(CoordinateIx),
    /// A parameter, an input or a number.
    Signal(Coefficient),
}

/// An instruction: takes its arguments from the stack and puts its value there.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum Instruction {
    /// A number.
    Number(f64),
    /// The variable with this index.
    Variable(usize),
    /// −x.
    Negate,
    /// x + y.
    Add,
    /// x − y.
    Subtract,
    /// x y.
    Multiply,
    /// x / y.
    Divide,
    /// xⁿ for a whole number.
    Whole(i32),
    /// xʸ for another number.
    Power(f64),
    /// xʸ for any y, x > 0.
    AnyPower,
    /// 1 if x < y, otherwise 0.
    Less,
    /// 1 if x ≤ y, otherwise 0.
    AtMost,
    /// A function.
    Call(Function),
}

/// A function of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum Function {
    /// Sine.
    Sin,
    /// Cosine.
    Cos,
    /// Tangent.
    Tan,
    /// Inverse sine.
    Asin,
    /// Inverse cosine.
    Acos,
    /// Inverse tangent.
    Atan,
    /// Angle of the point (x, y), the arguments y and x.
    Atan2,
    /// Hyperbolic tangent.
    Tanh,
    /// Exponential.
    Exp,
    /// Natural logarithm.
    Log,
    /// Square root.
    Sqrt,
    /// Magnitude.
    Abs,
    /// −1, 0 or 1.
    Sign,
    /// Smaller of two.
    Min,
    /// Larger of two.
    Max,
    /// The second argument if the first is above 0, otherwise the third.
    If,
    /// A smooth step: from y0 at x0 to y1 at x1 by a cubic with zero slopes; arguments x, x0, y0, x1, y1.
    Step,
}

impl Function {
    /// All functions with their names in formulas and the number of arguments.
    pub const ALL: &'static [(&'static str, Function, usize)] = &[
        ("sin", Function::Sin, 1),
        ("cos", Function::Cos, 1),
        ("tan", Function::Tan, 1),
        ("asin", Function::Asin, 1),
        ("acos", Function::Acos, 1),
        ("atan", Function::Atan, 1),
        ("atan2", Function::Atan2, 2),
        ("tanh", Function::Tanh, 1),
        ("exp", Function::Exp, 1),
        ("log", Function::Log, 1),
        ("sqrt", Function::Sqrt, 1),
        ("abs", Function::Abs, 1),
        ("sign", Function::Sign, 1),
        ("min", Function::Min, 2),
        ("max", Function::Max, 2),
        ("if", Function::If, 3),
        ("step", Function::Step, 5),
    ];

    /// Number of arguments.
    pub fn arguments(self) -> usize {
        Function::ALL.iter().find(|row| row.1 == self).map_or(1, |row| row.2)
    }

    fn value<S: Scalar>(self, x: &[S]) -> S {
        let one = S::one();
        match (self, x) {
            (Function::Sin, [x]) => sin_cos(*x).0,
            (Function::Cos, [x]) => sin_cos(*x).1,
            (Function::Tan, [x]) => {
                let (sine, cosine) = sin_cos(*x);
                sine / cosine
            }
            (Function::Asin, [x]) => atan2(*x, (one - *x * *x).sqrt()),
            (Function::Acos, [x]) => atan2((one - *x * *x).sqrt(), *x),
            (Function::Atan, [x]) => atan2(*x, one),
            (Function::Atan2, [y, x]) => atan2(*y, *x),
            (Function::Tanh, [x]) => tanh(*x),
            (Function::Exp, [x]) => exp(*x),
            (Function::Log, [x]) => ln(*x),
            (Function::Sqrt, [x]) => x.sqrt(),
            (Function::Abs, [x]) => x.abs(),
            (Function::Sign, [x]) => S::from_f64(if *x > 0.0 {
                1.0
            } else if *x < 0.0 {
                -1.0
            } else {
                0.0
            }),
            (Function::Min, [x, y]) => minimum(*x, *y),
            (Function::Max, [x, y]) => maximum(*x, *y),
            (Function::If, [x, y, z]) => {
                if *x > 0.0 {
                    *y
                } else {
                    *z
                }
            }
            (Function::Step, [x, x0, y0, x1, y1]) => {
                if *x <= *x0 {
                    return *y0;
                }
                if *x >= *x1 {
                    return *y1;
                }
                let u = (*x - *x0) / (*x1 - *x0);
                *y0 + (*y1 - *y0) * u * u * (S::from_f64(3.0) - u * 2.0)
            }
            _ => S::from_f64(f64::NAN),
        }
    }
}

impl Instruction {
    /// Number of values taken from the stack.
    pub fn takes(self) -> usize {
        match self {
            Instruction::Number(_) | Instruction::Variable(_) => 0,
            Instruction::Negate | Instruction::Whole(_) | Instruction::Power(_) => 1,
            Instruction::Call(function) => function.arguments(),
            _ => 2,
        }
    }
}

/// Largest number of values on the stack of a formula; `None` if it does not leave exactly one value.
pub fn depth(formula: &[Instruction]) -> Option<usize> {
    let (mut now, mut most) = (0_usize, 0);
    for instruction in formula {
        now = now.checked_sub(instruction.takes())? + 1;
        most = most.max(now);
    }
    (now == 1).then_some(most)
}

/// Value of a formula; `variable` gives the variables by index. NaN for a formula that is too deep or not complete.
fn evaluate<S: Scalar>(formula: &[Instruction], variable: impl Fn(usize) -> S) -> S {
    let mut stack = [S::zero(); MAX_DEPTH];
    let mut top = 0;
    for instruction in formula {
        let takes = instruction.takes();
        if takes > top || top - takes >= MAX_DEPTH {
            return S::from_f64(f64::NAN);
        }
        let first = top - takes;
        let value = match (*instruction, &stack[first..top]) {
            (Instruction::Number(value), _) => S::from_f64(value),
            (Instruction::Variable(index), _) => variable(index),
            (Instruction::Negate, [x]) => -*x,
            (Instruction::Add, [x, y]) => *x + *y,
            (Instruction::Subtract, [x, y]) => *x - *y,
            (Instruction::Multiply, [x, y]) => *x * *y,
            (Instruction::Divide, [x, y]) => *x / *y,
            (Instruction::Whole(n), [x]) => whole_power(*x, n),
            (Instruction::Power(y), [x]) => pow(*x, y),
            (Instruction::AnyPower, [x, y]) => exp(ln(*x) * *y),
            (Instruction::Less, [x, y]) => S::from_f64(if *x < *y { 1.0 } else { 0.0 }),
            (Instruction::AtMost, [x, y]) => S::from_f64(if *x <= *y { 1.0 } else { 0.0 }),
            (Instruction::Call(function), arguments) => function.value(arguments),
            _ => S::from_f64(f64::NAN),
        };
        stack[first] = value;
        top = first + 1;
    }
    stack[0]
}

/// xⁿ by squaring.
fn whole_power<S: Scalar>(x: S, n: i32) -> S {
    let (mut base, mut left, mut product) = (x, n.unsigned_abs(), S::one());
    while left > 0 {
        if left % 2 == 1 {
            product *= base;
        }
        base *= base;
        left /= 2;
    }
    if n < 0 { S::one() / product } else { product }
}

impl Expression {
    /// Effort, and length and speed of its coordinate or line.
    fn law<S: Scalar>(&self, s: &Surroundings<S>, length: S, rate: S) -> S {
        let read = |index: usize| match self.variables.get(index) {
            Some((Reading::Time, factor)) => s.time * *factor,
            Some((Reading::Length, factor)) => length * *factor,
            Some((Reading::LengthRate, factor)) => rate * *factor,
            Some((Reading::Position(coordinate), factor)) => s.position(*coordinate) * *factor,
            Some((Reading::Speed(coordinate), factor)) => s.speed(*coordinate) * *factor,
            Some((Reading::Signal(coefficient), factor)) => s.value(coefficient) * *factor,
            None => S::from_f64(f64::NAN),
        };
        s.value(&self.gain) * evaluate(&self.formula, read)
    }

    /// Derivatives of the effort with respect to the element's own coordinate or length, and its rate.
    fn slopes(&self, s: &Surroundings, length: f64, rate: f64) -> [f64; 2] {
        let own = |coordinate: &CoordinateIx| matches!(&self.on, On::Coordinate(own) if own == coordinate);
        let constant = |value: f64, factor: f64| Dual::new(value * factor, [0.0; 2]);
        let read = |index: usize| match self.variables.get(index) {
            Some((Reading::Time, factor)) => constant(s.time, *factor),
            Some((Reading::Length, factor)) => Dual::new(length * *factor, [*factor, 0.0]),
            Some((Reading::LengthRate, factor)) => Dual::new(rate * *factor, [0.0, *factor]),
            Some((Reading::Position(coordinate), factor)) => {
                let slope = if own(coordinate) { *factor } else { 0.0 };
                Dual::new(s.position(*coordinate) * *factor, [slope, 0.0])
            }
            Some((Reading::Speed(coordinate), factor)) => {
                let slope = if own(coordinate) { *factor } else { 0.0 };
                Dual::new(s.speed(*coordinate) * *factor, [0.0, slope])
            }
            Some((Reading::Signal(coefficient), factor)) => constant(s.value(coefficient), *factor),
            None => constant(f64::NAN, 1.0),
        };
        let gain = s.value(&self.gain);
        evaluate(&self.formula, read).slopes.map(|slope| gain * slope)
    }
}

impl ForceLaw for Expression {
    fn add_loads<S: Scalar>(&self, s: &Surroundings<S>, loads: &mut Loads<S>) {
        match &self.on {
            On::Coordinate(coordinate) => {
                let effort = self.law(s, S::zero(), S::zero());
                loads.add_effort(*coordinate, effort);
                loads.input_power += effort * s.speed(*coordinate);
            }
            On::Points(ends) => {
                let line = Line::between(ends, s);
                let tension = self.law(s, line.length, line.speed);
                line.add_tension(ends, tension, loads);
                loads.input_power += -tension * line.speed;
            }
        }
    }

    /// Coordinate or length, its rate, and effort; the power of a tension is the one that it supplies.
    fn readout<S: Scalar>(&self, s: &Surroundings<S>) -> SpringReadout<S> {
        match &self.on {
            On::Coordinate(coordinate) => {
                let (length, speed) = (s.position(*coordinate), s.speed(*coordinate));
                SpringReadout { length, speed, force: self.law(s, S::zero(), S::zero()) }
            }
            On::Points(ends) => {
                let line = Line::between(ends, s);
                SpringReadout { length: line.length, speed: -line.speed, force: self.law(s, line.length, line.speed) }
            }
        }
    }
}

impl ForceElement for Expression {
    fn name(&self) -> &str {
        &self.name
    }

    fn quantities(&self) -> &'static [Quantity] {
        Quantity::OF_DRIVES
    }

    /// Derivatives of the effort along its own direction.
    fn visit_tangents(&self, s: &Surroundings, visit: &mut dyn FnMut(&Tangent)) {
        match &self.on {
            On::Coordinate(coordinate) => {
                let [stiffness, damping] = self.slopes(s, 0.0, 0.0).map(|slope| -slope);
                visit(&Tangent { direction: Direction::Coordinate(*coordinate), stiffness, damping });
            }
            On::Points(ends) => {
                let line = Line::between(ends, s);
                let [stiffness, damping] = self.slopes(s, line.length, line.speed);
                line.visit_tangents(ends, [stiffness, damping, self.law(s, line.length, line.speed)], visit);
            }
        }
    }

    fn connect(&self, list: &mut Connections) {
        match &self.on {
            On::Coordinate(coordinate) => list.add_coordinates([*coordinate]),
            On::Points(ends) => list.add_bodies(ends.map(|end| end.body)),
        }
        for (reading, _) in &self.variables {
            match reading {
                Reading::Position(coordinate) | Reading::Speed(coordinate) => list.add_coordinates([*coordinate]),
                Reading::Signal(coefficient) => list.add_coefficients([*coefficient]),
                Reading::Time | Reading::Length | Reading::LengthRate => {}
            }
        }
        list.add_coefficients([self.gain]);
    }
}

#[cfg(test)]
mod tests {
    use super::Instruction::*;
    use super::*;
    use crate::check::elements::{self, Scene};
    use crate::force::{BodyIx, Element, Marker};
    use crate::math::Vec3;

    const OWN: CoordinateIx = CoordinateIx { position: 2, velocity: 1 };

    /// −2 q³ + input · sin(3 time) − 0.5 v |v|.
    fn on_coordinate() -> Expression {
        let product = [Variable(1), Variable(1), Call(Function::Abs), Multiply, Number(-0.5), Multiply];
        let formula = [
            vec![Variable(0), Whole(3), Number(-2.0), Multiply],
            vec![Variable(2), Number(3.0), Variable(3), Multiply, Call(Function::Sin), Multiply, Add],
            product.to_vec(),
            vec![Add],
        ];
        Expression {
            name: "law".into(),
            on: On::Coordinate(OWN),
            gain: Coefficient::Value(-1.0),
            variables: vec![
                (Reading::Position(OWN), -1.0),
                (Reading::Speed(OWN), -1.0),
                (Reading::Signal(Coefficient::Input(1)), 1.0),
                (Reading::Time, 1.0),
            ],
            formula: formula.concat(),
        }
    }

    fn between_points() -> Expression {
        let ends = [
            Marker { body: BodyIx(1), point: Vec3::new(0.3, -0.2, 0.5) },
            Marker { body: BodyIx(2), point: Vec3::new(-0.4, 0.1, 0.2) },
        ];
        Expression {
            on: On::Points(ends),
            variables: vec![(Reading::Length, 1.0), (Reading::LengthRate, 1.0)],
            formula: vec![Variable(0), Power(-1.5), Variable(1), Add],
            ..on_coordinate()
        }
    }

    #[test]
    fn powers_balance_and_nothing_depends_on_frames() {
        elements::powers_balance(&Element::Expression(on_coordinate().into()));
        let line = Element::Expression(between_points().into());
        elements::powers_balance(&line);
        elements::action_equals_reaction(&line);
        elements::independent_of_world_frame(&line);
        elements::independent_of_common_motion(&line);
        elements::independent_of_reference_points(&line);
    }

    #[test]
    fn effort_is_the_formula_and_a_factor_turns_the_coordinate() {
        let mut scene = Scene::at_rest();
        (scene.q[2], scene.v[1], scene.inputs[1], scene.time) = (0.5, -2.0, 4.0, 0.25);
        let expected = -(-2.0 * (-0.5_f64).powi(3) + 4.0 * 0.75_f64.sin() - 0.5 * 2.0 * 2.0);
        let loads = scene.loads(&Element::Expression(on_coordinate().into()));
        elements::close(loads.efforts[1], expected, 1e-14);
    }

    #[test]
    fn every_function_has_its_value_and_derivative() {
        let value = |function: Function, x: &[f64]| {
            let formula: Vec<Instruction> = (0..x.len()).map(Variable).chain([Call(function)]).collect();
            assert_eq!(depth(&formula), Some(x.len().max(1)));
            let found = evaluate(&formula, |index| x[index]);
            // Each derivative against a difference.
            for k in 0..x.len() {
                let dual = evaluate(&formula, |index| Dual::new(x[index], [if index == k { 1.0 } else { 0.0 }]));
                let at = |change: f64| evaluate(&formula, |i| if i == k { x[i] + change } else { x[i] });
                let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
                elements::close(dual.slopes[0], difference, 1e-8 * (1.0 + difference.abs()));
            }
            found
        };
        for (function, x, expected) in [
            (Function::Sin, &[0.7][..], 0.7_f64.sin()),
            (Function::Cos, &[0.7], 0.7_f64.cos()),
            (Function::Tan, &[0.7], 0.7_f64.tan()),
            (Function::Asin, &[0.3], 0.3_f64.asin()),
            (Function::Acos, &[0.3], 0.3_f64.acos()),
            (Function::Atan, &[-2.0], (-2.0_f64).atan()),
            (Function::Atan2, &[1.0, -2.0], 1.0_f64.atan2(-2.0)),
            (Function::Tanh, &[0.4], 0.4_f64.tanh()),
            (Function::Exp, &[0.4], 0.4_f64.exp()),
            (Function::Log, &[0.4], 0.4_f64.ln()),
            (Function::Sqrt, &[0.4], 0.4_f64.sqrt()),
            (Function::Abs, &[-0.4], 0.4),
            (Function::Sign, &[-0.4], -1.0),
            (Function::Min, &[1.0, 2.0], 1.0),
            (Function::Max, &[1.0, 2.0], 2.0),
            (Function::If, &[0.5, 3.0, 4.0], 3.0),
            (Function::If, &[-0.5, 3.0, 4.0], 4.0),
            (Function::Step, &[0.25, 0.0, 1.0, 1.0, 3.0], 1.0 + 2.0 * (3.0 * 0.0625 - 2.0 * 0.015625)),
            (Function::Step, &[-0.25, 0.0, 1.0, 1.0, 3.0], 1.0),
            (Function::Step, &[1.25, 0.0, 1.0, 1.0, 3.0], 3.0),
        ] {
            elements::close(value(function, x), expected, 4e-16 * expected.abs());
            assert_eq!(function.arguments(), x.len());
        }
    }

    #[test]
    fn operators_and_powers_are_those_of_numbers() {
        let two = |last: Instruction| evaluate(&[Number(3.0), Number(2.0), last], |_| f64::NAN);
        assert_eq!([Add, Subtract, Multiply, Divide, Less, AtMost].map(two), [5.0, 1.0, 6.0, 1.5, 0.0, 0.0]);
        elements::close(two(AnyPower), 9.0, 1e-14);
        let one = |last: Instruction| evaluate(&[Number(3.0), last], |_| f64::NAN);
        assert_eq!([Negate, Whole(3), Whole(-2), Whole(0)].map(one), [-3.0, 27.0, 1.0 / 9.0, 1.0]);
        elements::close(one(Power(0.5)), 3.0_f64.sqrt(), 1e-15);
        // Not complete, too deep.
        assert_eq!((depth(&[Add]), depth(&[Number(1.0), Number(2.0)])), (None, None));
        assert!(evaluate(&[Add], |_| 0.0).is_nan());
        assert!(evaluate(&[Number(1.0); MAX_DEPTH + 1], |_| 0.0).is_nan());
    }

    #[test]
    fn tangents_are_the_derivatives() {
        for element in [on_coordinate(), between_points()] {
            for seed in 0..10 {
                let scene = Scene::random(seed);
                let force = |change: [f64; 2]| match &element.on {
                    On::Coordinate(_) => {
                        let mut moved = scene.clone();
                        (moved.q[2], moved.v[1]) = (scene.q[2] + change[0], scene.v[1] + change[1]);
                        -element.readout(&moved.surroundings()).force
                    }
                    On::Points(ends) => {
                        let s = scene.surroundings();
                        let line = Line::between(ends, &s);
                        element.law(&s, line.length + change[0], line.speed + change[1])
                    }
                };
                let mut shown = None;
                element.visit_tangents(&scene.surroundings(), &mut |tangent| {
                    shown.get_or_insert([tangent.stiffness, tangent.damping]);
                });
                let [stiffness, damping] = shown.unwrap();
                let slope = |a: [f64; 2], b: [f64; 2]| (force(a) - force(b)) / 2e-5;
                elements::close(stiffness, slope([1e-5, 0.0], [-1e-5, 0.0]), 1e-7 * (1.0 + stiffness.abs()));
                elements::close(damping, slope([0.0, 1e-5], [0.0, -1e-5]), 1e-7 * (1.0 + damping.abs()));
            }
        }
    }
}
