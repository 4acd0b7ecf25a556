//! Overwriting scratch memory: how a test proves that nothing of it survives a step.

use crate::force::tyre::Patch;
use crate::joint::RowState;
use crate::math::graph::Graph;
use crate::math::least_change::{LeastChange, Metric};
use crate::math::linear::Candidate;
use crate::math::skyline::Skyline;
use crate::math::spatial::{Articulated, BodyMotion, Inertia, Motion, Wrench};
use crate::math::{Mat3, POISON, Vec3};

/// Memory that can be overwritten.
pub(super) trait Poison {
    /// Overwrites every number with `value`, whole ones with [`POISON`] or the largest of their type, and turns every
    /// truth over.
    fn poison(&mut self, value: f64);
}

/// One number, vector, … made of `value` alone.
pub(super) trait Blank: Clone {
    fn of(value: f64) -> Self;
}

/// `count` entries of NaN.
pub(super) fn blank<T: Blank>(count: usize) -> Vec<T> {
    vec![T::of(f64::NAN); count]
}

macro_rules! blanks {
    ($($kind:ty: $value:ident => $whole:expr;)*) => {$(
        impl Blank for $kind {
            fn of($value: f64) -> Self {
                $whole
            }
        }
        impl Poison for $kind {
            fn poison(&mut self, value: f64) {
                *self = Self::of(value);
            }
        }
    )*};
}

blanks! {
    f64: value => value;
    Vec3: value => Vec3::repeat(value);
    Mat3: value => Mat3::repeat(value);
    Motion: value => Motion { lin: Blank::of(value), ang: Blank::of(value) };
    Wrench: value => Wrench { force: Blank::of(value), moment: Blank::of(value) };
    Inertia: value => Inertia { mass: value, first: Blank::of(value), second: Blank::of(value) };
    Articulated: value => Articulated::repeat(value);
    BodyMotion: value => BodyMotion {
        rotation: Blank::of(value),
        position: Blank::of(value),
        reference: Blank::of(value),
        velocity: Blank::of(value),
    };
    RowState: value => RowState {
        gap: value,
        ends: Blank::of(value),
        on_first: Blank::of(value),
        on_second: Blank::of(value),
    };
    Option<Patch>: value => Some(Patch::repeat(value));
    [f64; 2]: value => [value; 2];
    [f64; 3]: value => [value; 3];
    [f64; 6]: value => [value; 6];
    [Vec3; 2]: value => [Blank::of(value), Blank::of(value)];
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

/// Makes [`Poison`] reach every field of a struct. The fields are all named, so that one that is forgotten does not
/// compile.
macro_rules! poisoned {
    ($kind:ident { $($field:ident),* $(,)? }) => {
        impl crate::system::workspace::poison::Poison for $kind {
            fn poison(&mut self, value: f64) {
                let $kind { $($field),* } = self;
                $(crate::system::workspace::poison::Poison::poison($field, value);)*
            }
        }
    };
}
pub(super) use poisoned;
