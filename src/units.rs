//! One table of units for TOML, documentation, XML and plots.

/// A unit: symbol and exponents of kg, m, s, A, K, mol, cd, rad, with the factor to the SI base.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// Symbol as written in model files and in `modelDescription.xml`.
    pub symbol: &'static str,
    /// Exponents of kg, m, s and rad.
    pub kg: i8,
    /// Exponent of m.
    pub m: i8,
    /// Exponent of s.
    pub s: i8,
    /// Exponent of rad.
    pub rad: i8,
    /// For the documentation.
    pub meaning: &'static str,
}

const fn unit(symbol: &'static str, kg: i8, m: i8, s: i8, rad: i8, meaning: &'static str) -> Unit {
    Unit { symbol, kg, m, s, rad, meaning }
}

/// Every unit a model file may name; all are coherent SI, so no value is ever converted.
pub const UNITS: &[Unit] = &[
    unit("1", 0, 0, 0, 0, "number"),
    unit("m", 0, 1, 0, 0, "length"),
    unit("m/s", 0, 1, -1, 0, "speed"),
    unit("m/s2", 0, 1, -2, 0, "acceleration"),
    unit("rad", 0, 0, 0, 1, "angle"),
    unit("rad/s", 0, 0, -1, 1, "angular speed"),
    unit("rad/s2", 0, 0, -2, 1, "angular acceleration"),
    unit("s", 0, 0, 1, 0, "time"),
    unit("Hz", 0, 0, -1, 0, "frequency"),
    unit("kg", 1, 0, 0, 0, "mass"),
    unit("kg.m2", 1, 2, 0, 0, "moment of inertia"),
    unit("N", 1, 1, -2, 0, "force"),
    unit("N.m", 1, 2, -2, 0, "torque"),
    unit("Pa", 1, -1, -2, 0, "stress"),
    unit("N/m", 1, 0, -2, 0, "stiffness"),
    unit("N.s/m", 1, 0, -1, 0, "damping"),
    unit("N.m/rad", 1, 2, -2, -1, "rotational stiffness"),
    unit("N.m.s/rad", 1, 2, -1, -1, "rotational damping"),
    unit("J", 1, 2, -2, 0, "energy"),
    unit("W", 1, 2, -3, 0, "power"),
];

/// The unit with this symbol.
pub fn find(symbol: &str) -> Option<&'static Unit> {
    UNITS.iter().find(|unit| unit.symbol == symbol)
}
