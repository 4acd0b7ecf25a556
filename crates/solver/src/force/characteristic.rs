//! Characteristics of springs and dampers: linear or from a table.

use super::{Coefficient, Surroundings};
use crate::math::interpolation::Table;
use crate::math::scalar::Scalar;

/// Force as a function of elongation or of speed: linear with a coefficient, or a table.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum Characteristic {
    /// y = coefficient · x.
    Linear(Coefficient),
    /// y from rows.
    Table(Table),
}

impl Characteristic {
    /// The table if given, otherwise the coefficient.
    pub fn new(coefficient: Coefficient, rows: Option<&[[f64; 2]]>) -> Self {
        match rows {
            Some(rows) => Characteristic::Table(Table::new(rows)),
            None => Characteristic::Linear(coefficient),
        }
    }

    /// y(x).
    pub(crate) fn value<S: Scalar>(&self, s: &Surroundings<S>, x: S) -> S {
        match self {
            Characteristic::Linear(coefficient) => s.value(coefficient) * x,
            Characteristic::Table(table) => table.value(x),
        }
    }

    /// dy/dx.
    pub(crate) fn slope<S: Scalar>(&self, s: &Surroundings<S>, x: S) -> S {
        match self {
            Characteristic::Linear(coefficient) => s.value(coefficient),
            Characteristic::Table(table) => S::from_f64(table.slope(x.value())),
        }
    }

    /// ∫₀ˣ y dx.
    pub(crate) fn integral<S: Scalar>(&self, s: &Surroundings<S>, x: S) -> S {
        match self {
            Characteristic::Linear(coefficient) => s.value(coefficient) * 0.5 * x * x,
            Characteristic::Table(table) => table.integral(x),
        }
    }

    /// The coefficient, if given.
    pub(crate) fn coefficient(&self) -> Option<Coefficient> {
        match self {
            Characteristic::Linear(coefficient) => Some(*coefficient),
            Characteristic::Table(_) => None,
        }
    }
}
