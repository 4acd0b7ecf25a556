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

/// Every unit a model file may name; all are coherent SI, so no value of a model is ever converted.
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

/// The unit of the rate of a quantity with this unit; `None` if the table has none. (Hz counts turns; it is not the
/// rate of a number.)
pub fn rate(symbol: &str) -> Option<&'static Unit> {
    let of = find(symbol)?;
    let fits = |unit: &&Unit| (unit.kg, unit.m, unit.s, unit.rad) == (of.kg, of.m, of.s - 1, of.rad);
    UNITS.iter().filter(|unit| unit.symbol != "Hz").find(fits)
}

/// Symbol of the unit of the rate of a quantity with this unit: from the table, otherwise the unit followed by `/s`;
/// empty for a quantity without unit.
pub fn rate_symbol(symbol: &str) -> String {
    match (symbol, rate(symbol)) {
        ("", _) => String::new(),
        (_, Some(unit)) => unit.symbol.to_string(),
        (symbol, None) => format!("{symbol}/s"),
    }
}

/// Exponents of kg, m, s and rad, and the meaning, of a unit of the table or of a rate that [`rate_symbol`] names.
pub fn dimension(symbol: &str) -> Option<([i8; 4], String)> {
    if let Some(unit) = find(symbol) {
        return Some(([unit.kg, unit.m, unit.s, unit.rad], unit.meaning.to_string()));
    }
    let ([kg, m, s, rad], meaning) = dimension(symbol.strip_suffix("/s")?)?;
    Some(([kg, m, s - 1, rad], format!("rate of {meaning}")))
}

/// A unit in which plots may show a quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShownUnit {
    /// Symbol as written in model files.
    pub symbol: &'static str,
    /// The unit of [`UNITS`] with the same meaning.
    pub of: &'static str,
    /// Value in this unit / value in the other.
    pub factor: f64,
}

const fn shown(symbol: &'static str, of: &'static str, factor: f64) -> ShownUnit {
    ShownUnit { symbol, of, factor }
}

/// Units that plots and tables of inputs may use in addition to [`UNITS`]; the solver never uses them.
pub const SHOWN_UNITS: &[ShownUnit] = &[
    shown("%", "1", 100.0),
    shown("mm", "m", 1e3),
    shown("km", "m", 1e-3),
    shown("mm/s", "m/s", 1e3),
    shown("km/h", "m/s", 3.6),
    shown("g", "m/s2", 1.0 / 9.80665),
    shown("deg", "rad", 180.0 / std::f64::consts::PI),
    shown("deg/s", "rad/s", 180.0 / std::f64::consts::PI),
    shown("rpm", "rad/s", 30.0 / std::f64::consts::PI),
    shown("deg/s2", "rad/s2", 180.0 / std::f64::consts::PI),
    shown("ms", "s", 1e3),
    shown("kN", "N", 1e-3),
    shown("kN.m", "N.m", 1e-3),
    shown("MPa", "Pa", 1e-6),
    shown("N/mm", "N/m", 1e-3),
    shown("kJ", "J", 1e-3),
    shown("kW", "W", 1e-3),
];

/// Factor that converts values from the unit `of` to `symbol` for display; `None` if they cannot be converted.
pub fn shown_factor(symbol: &str, of: &str) -> Option<f64> {
    let other = || SHOWN_UNITS.iter().find(|unit| unit.symbol == symbol && unit.of == of);
    if symbol == of { Some(1.0) } else { other().map(|unit| unit.factor) }
}

/// Other spellings of units in tables of other programs, after [`read`] has unified products and powers.
const SPELLINGS: &[(&str, &str)] = &[
    ("", "1"),
    ("-", "1"),
    ("sec", "s"),
    ("degree", "deg"),
    ("degrees", "deg"),
    ("m/s/s", "m/s2"),
    ("kph", "km/h"),
    ("1/min", "rpm"),
    ("kgm2", "kg.m2"),
    ("Nm", "N.m"),
    ("kNm", "kN.m"),
    ("Ns/m", "N.s/m"),
    ("Nm/rad", "N.m/rad"),
    ("Nms/rad", "N.m.s/rad"),
];

/// The unit of [`UNITS`] with the same meaning as a written one (`mm`, `N m`, `m/s²`, `°`), and the number by which
/// values are divided to convert them; `None` if it is unknown.
pub fn read(written: &str) -> Option<(&'static str, f64)> {
    let plain = written.trim().replace(['·', '*', '⋅', ' '], ".").replace('²', "2").replace('³', "3");
    let plain = plain.replace('^', "").replace('°', "deg");
    let plain = SPELLINGS.iter().find(|(other, _)| *other == plain).map_or(plain.as_str(), |(_, symbol)| symbol);
    let shown = || SHOWN_UNITS.iter().find(|unit| unit.symbol == plain).map(|unit| (unit.of, unit.factor));
    find(plain).map(|unit| (unit.symbol, 1.0)).or_else(shown)
}

/// Every unit that values in the unit `of` can be shown in, itself first.
pub fn shown_units(of: &str) -> Vec<&str> {
    std::iter::once(of).chain(SHOWN_UNITS.iter().filter(|unit| unit.of == of).map(|unit| unit.symbol)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_units_are_those_of_known_quantities() {
        assert!(SHOWN_UNITS.iter().all(|unit| find(unit.of).is_some() && find(unit.symbol).is_none()));
        assert_eq!(shown_factor("km/h", "m/s"), Some(3.6));
        assert_eq!((shown_factor("m", "m"), shown_factor("deg", "m")), (Some(1.0), None));
        assert_eq!(shown_units("m"), ["m", "mm", "km"]);
    }

    #[test]
    fn units_are_read_in_the_spellings_of_other_programs() {
        for (written, expected) in [
            ("N m", "N.m"),
            ("Nm", "N.m"),
            ("N·m", "N.m"),
            ("m/s^2", "m/s2"),
            ("m/s²", "m/s2"),
            ("", "1"),
            ("-", "1"),
            ("kg*m2", "kg.m2"),
        ] {
            assert_eq!(read(written), Some((expected, 1.0)), "{written}");
        }
        assert_eq!((read("mm"), read("ms"), read("kN")), (Some(("m", 1e3)), Some(("s", 1e3)), Some(("N", 1e-3))));
        assert_eq!((read("°"), read("1/min")), (read("deg"), read("rpm")));
        assert_eq!((read("furlong"), read("0.5")), (None, None));
        assert!(SPELLINGS.iter().all(|(other, symbol)| find(other).is_none() && read(symbol).is_some()));
    }

    #[test]
    fn rates_have_the_units_of_the_table() {
        let rates = [("m", "m/s"), ("m/s", "m/s2"), ("rad", "rad/s"), ("J", "W"), ("1", ""), ("N", ""), ("", "")];
        for (unit, expected) in rates {
            assert_eq!(rate(unit).map_or("", |unit| unit.symbol), expected, "{unit}");
        }
    }
}
