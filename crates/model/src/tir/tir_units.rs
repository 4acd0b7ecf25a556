//! The section `[UNITS]`: factors to SI.

use ballesta_solver::tyre::keys::Dimension;

/// Factors from the units of the file to SI.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Units {
    pub length: f64,
    pub force: f64,
    pub angle: f64,
    pub mass: f64,
    pub time: f64,
    pub pressure: f64,
    /// Whether any was given.
    given: bool,
}

impl Default for Units {
    fn default() -> Self {
        Units { length: 1.0, force: 1.0, angle: 1.0, mass: 1.0, time: 1.0, pressure: 1.0, given: false }
    }
}

/// Names of a unit and its factor.
type Names = (&'static [&'static str], f64);

const LENGTH: &[Names] = &[
    (&["meter", "metre", "meters", "m"], 1.0),
    (&["mm", "millimeter", "millimetre"], 1e-3),
    (&["cm", "centimeter", "centimetre"], 1e-2),
    (&["km", "kilometer", "kilometre"], 1e3),
    (&["inch", "in"], 0.0254),
    (&["foot", "feet", "ft"], 0.3048),
    (&["mile"], 1609.344),
];
const FORCE: &[Names] = &[
    (&["newton", "n"], 1.0),
    (&["kn", "knewton", "kilonewton"], 1e3),
    (&["pound_force", "lbf", "pound"], 4.4482216152605),
    (&["kg_force", "kgf", "kilogram_force", "kpond"], 9.80665),
    (&["dyne"], 1e-5),
];
const ANGLE: &[Names] =
    &[(&["radian", "radians", "rad"], 1.0), (&["degree", "degrees", "deg"], std::f64::consts::PI / 180.0)];
const MASS: &[Names] = &[
    (&["kg", "kilogram"], 1.0),
    (&["gram", "g"], 1e-3),
    (&["tonne", "ton"], 1e3),
    (&["pound_mass", "lbm", "lb"], 0.45359237),
    (&["slug"], 14.593902937206364),
];
const TIME: &[Names] = &[
    (&["second", "sec", "s"], 1.0),
    (&["millisecond", "ms"], 1e-3),
    (&["minute", "min"], 60.0),
    (&["hour", "h"], 3600.0),
];
const PRESSURE: &[Names] = &[
    (&["pascal", "pa"], 1.0),
    (&["kpa", "kilopascal"], 1e3),
    (&["mpa", "megapascal"], 1e6),
    (&["bar"], 1e5),
    (&["psi"], 6894.757293168361),
];

impl Units {
    /// Reads a line of the section: `Ok(false)` for a key that is none of the six; for an unknown unit, the list of
    /// known units.
    pub(super) fn set(&mut self, key: &str, unit: &str) -> Result<bool, Vec<&'static str>> {
        let (field, known) = match key {
            "LENGTH" => (&mut self.length, LENGTH),
            "FORCE" => (&mut self.force, FORCE),
            "ANGLE" => (&mut self.angle, ANGLE),
            "MASS" => (&mut self.mass, MASS),
            "TIME" => (&mut self.time, TIME),
            "PRESSURE" => (&mut self.pressure, PRESSURE),
            _ => return Ok(false),
        };
        let wanted = unit.to_lowercase();
        match known.iter().find(|(names, _)| names.contains(&wanted.as_str())) {
            Some((_, factor)) => {
                *field = *factor;
                self.given = true;
                Ok(true)
            }
            None => Err(known.iter().filter_map(|(names, _)| names.first().copied()).collect()),
        }
    }

    /// Whether the file gives no units.
    pub(super) fn unset(&self) -> bool {
        !self.given
    }

    /// Factor of a value of this dimension.
    pub(super) fn factor(&self, dimension: Dimension) -> f64 {
        match dimension {
            Dimension::One => 1.0,
            Dimension::Length => self.length,
            Dimension::Force => self.force,
            Dimension::Angle => self.angle,
            Dimension::Mass => self.mass,
            Dimension::Speed => self.length / self.time,
            Dimension::Stiffness => self.force / self.length,
            Dimension::Damping => self.force * self.time / self.length,
            Dimension::Pressure => self.pressure,
        }
    }
}
