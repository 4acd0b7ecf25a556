//! Overwriting of scratch memory, used by a test to prove that no step depends on old scratch values.

use crate::force::tyre::Patch;
use crate::joint::RowState;
use crate::math::linear::Candidate;
use crate::math::matching::Graph;
use crate::math::scalar::{Dual, Scalar};
use crate::math::skyline::Skyline;
use crate::math::sparse_least_change::{LeastChange, Metric};
use crate::math::spatial::{Articulated, BodyMotion, Inertia, Motion, Wrench};
use crate::math::{Mat3, POISON, Vec3};
use alloc::{vec, vec::Vec};

/// Memory that can be overwritten.
pub trait Poison {
    /// Overwrites every number with `value`, integers with [`POISON`] or the largest of their type, and inverts every
    /// boolean.
    fn poison(&mut self, value: f64);
}

/// One number, vector, … made of `value` alone.
pub trait Blank: Clone {
    /// Made of `value`.
    fn of(value: f64) -> Self;
}

/// A number that scratch memory is made of.
pub trait Number: Scalar + Blank + Poison {}

impl<S: Scalar + Blank + Poison> Number for S {}

/// `count` entries of NaN.
#[expect(clippy::disallowed_macros, reason = "scratch memory, before the first step")]
pub(super) fn blank<T: Blank>(count: usize) -> Vec<T> {
    vec![T::of(f64::NAN); count]
}

macro_rules! blanks {
    ($([$($parameter:tt)*] $kind:ty: $value:ident => $whole:expr;)*) => {$(
        impl<$($parameter)*> Blank for $kind {
            fn of($value: f64) -> Self {
                $whole
            }
        }
        impl<$($parameter)*> Poison for $kind {
            fn poison(&mut self, value: f64) {
                *self = Self::of(value);
            }
        }
    )*};
}

blanks! {
    [] f64: value => value;
    [const N: usize] Dual<N>: value => Dual::new(value, [value; N]);
    [S: Scalar] Vec3<S>: value => Vec3::repeat(S::from_f64(value));
    [S: Scalar] Mat3<S>: value => Mat3::repeat(S::from_f64(value));
    [S: Scalar] Motion<S>: value => Motion { lin: Blank::of(value), ang: Blank::of(value) };
    [S: Scalar] Wrench<S>: value => Wrench { force: Blank::of(value), moment: Blank::of(value) };
    [S: Scalar] Inertia<S>: value => Inertia {
        mass: S::from_f64(value),
        first: Blank::of(value),
        second: Blank::of(value),
    };
    [] Articulated: value => Articulated::repeat(value);
    [S: Scalar] BodyMotion<S>: value => BodyMotion {
        rotation: Blank::of(value),
        position: Blank::of(value),
        reference: Blank::of(value),
        velocity: Blank::of(value),
    };
    [S: Scalar] RowState<S>: value => RowState {
        gap: S::from_f64(value),
        ends: Blank::of(value),
        on_first: Blank::of(value),
        on_second: Blank::of(value),
        laws: [Blank::of(value); 2],
    };
    [S: Scalar] Option<Patch<S>>: value => Some(Patch::repeat(S::from_f64(value)));
    [S: Scalar] [S; 2]: value => [S::from_f64(value); 2];
    [S: Scalar] [S; 3]: value => [S::from_f64(value); 3];
    [S: Scalar] [S; 6]: value => [S::from_f64(value); 6];
    [S: Scalar] [Vec3<S>; 2]: value => [Blank::of(value), Blank::of(value)];
}

impl Poison for usize {
    fn poison(&mut self, _: f64) {
        *self = POISON;
    }
}

impl Poison for u32 {
    fn poison(&mut self, _: f64) {
        *self = u32::MAX;
    }
}

impl Poison for bool {
    fn poison(&mut self, _: f64) {
        *self = !*self;
    }
}

impl<T: Poison> Poison for Vec<T> {
    fn poison(&mut self, value: f64) {
        self.iter_mut().for_each(|item| item.poison(value));
    }
}

impl<T: Poison, const N: usize> Poison for [Vec<T>; N] {
    fn poison(&mut self, value: f64) {
        self.iter_mut().for_each(|item| item.poison(value));
    }
}

impl Poison for Candidate {
    fn poison(&mut self, value: f64) {
        self.fill(value);
    }
}

impl Poison for Skyline {
    fn poison(&mut self, value: f64) {
        self.fill(value);
    }
}

impl Poison for Graph {
    fn poison(&mut self, _: f64) {
        self.fill();
    }
}

impl Poison for Metric {
    fn poison(&mut self, value: f64) {
        self.fill(value);
    }
}

impl Poison for LeastChange {
    fn poison(&mut self, value: f64) {
        self.fill(value);
    }
}

/// Makes [`Poison`] reach every field of a struct. All fields are named, so that a missing field does not compile.
macro_rules! poisoned {
    ($kind:ident $(<$scalar:ident>)? { $($field:ident),* $(,)? }) => {
        impl$(<$scalar: $crate::system::workspace::Number>)? $crate::system::workspace::poison::Poison
            for $kind$(<$scalar>)?
        {
            fn poison(&mut self, value: f64) {
                let $kind { $($field),* } = self;
                $($crate::system::workspace::poison::Poison::poison($field, value);)*
            }
        }
    };
}
pub(super) use poisoned;
