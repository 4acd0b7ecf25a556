//! Operating point of a tyre, as entered by the user.

use super::Tyre;
use ballesta::tyre::Input;
use ballesta_files::words::nearest;
use std::str::FromStr;

/// One point. Missing values come from the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Vertical load, N; `None`: nominal load.
    pub load: Option<f64>,
    /// Longitudinal slip κ.
    pub kappa: f64,
    /// Slip angle α, rad.
    pub alpha: f64,
    /// Inclination angle γ, rad.
    pub camber: f64,
    /// Inflation pressure, Pa; `None`: the pressure of the file.
    pub pressure: Option<f64>,
    /// Forward speed, m/s, < 0 backward; `None`: `LONGVL`.
    pub speed: Option<f64>,
    /// Friction of the road relative to the friction of the measurements.
    pub friction: f64,
}

/// Keys of a point.
const KEYS: [&str; 9] =
    ["kappa", "alpha", "alpha_deg", "camber", "camber_deg", "load", "pressure", "speed", "friction"];

impl Default for Point {
    fn default() -> Self {
        Point { load: None, kappa: 0.0, alpha: 0.0, camber: 0.0, pressure: None, speed: None, friction: 1.0 }
    }
}

impl Point {
    /// Sets the value of a key.
    ///
    /// # Errors
    /// An unknown key; a number that is not finite; an invalid load, pressure or friction.
    pub fn set(&mut self, key: &str, value: f64) -> Result<(), String> {
        let positive = matches!(key, "pressure" | "friction");
        if !value.is_finite() || positive && value <= 0.0 || key == "load" && value < 0.0 {
            let sign = if positive { "a positive one" } else { "a finite number, and a load of 0 or more" };
            return Err(format!("{key}: invalid value {value}; write {sign}"));
        }
        match key {
            "kappa" => self.kappa = value,
            "alpha" => self.alpha = value,
            "alpha_deg" => self.alpha = value.to_radians(),
            "camber" => self.camber = value,
            "camber_deg" => self.camber = value.to_radians(),
            "load" => self.load = Some(value),
            "pressure" => self.pressure = Some(value),
            "speed" => self.speed = Some(value),
            "friction" => self.friction = value,
            _ => {
                let meant = nearest(key, KEYS.into_iter()).map(|key| format!("; did you mean `{key}`?"));
                return Err(format!(
                    "unknown `{key}`; expected one of {}{}",
                    KEYS.join(", "),
                    meant.unwrap_or_default()
                ));
            }
        }
        Ok(())
    }
}

/// Parses a point such as `kappa=0.05,alpha_deg=3,load=4000`.
impl FromStr for Point {
    type Err = String;

    fn from_str(text: &str) -> Result<Point, String> {
        let mut point = Point::default();
        let mut given: Vec<&str> = Vec::new();
        for part in text.split(',').map(str::trim) {
            let (key, value) = part.split_once('=').ok_or_else(|| {
                format!("`{part}` is not of the form KEY=VALUE, such as kappa=0.05; keys: {}", KEYS.join(", "))
            })?;
            let (key, value) = (key.trim(), value.trim());
            let quantity = key.trim_end_matches("_deg");
            if given.contains(&quantity) {
                return Err(format!("`{quantity}` is given twice"));
            }
            given.push(quantity);
            let number = value.parse().map_err(|_| format!("{key}: `{value}` is not a number"))?;
            point.set(key, number)?;
        }
        Ok(point)
    }
}

impl Tyre {
    /// The point as arguments of the tyre law.
    pub fn input(&self, point: &Point) -> Input {
        let straight = self.law.straight_ahead(point.load.unwrap_or(self.law.nominal_load()));
        let speed = point.speed.unwrap_or(straight.speed);
        Input {
            kappa: point.kappa,
            alpha: point.alpha,
            gamma: point.camber,
            speed,
            pressure: point.pressure.unwrap_or(straight.pressure),
            friction: point.friction,
            rolling: self.law.rolling(speed),
            ..straight
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_read_in_any_order_with_angles_in_degrees() {
        let point: Point = "load = 4000, alpha_deg=-180,kappa=0.1".parse().unwrap();
        assert_eq!((point.load, point.kappa, point.alpha), (Some(4000.0), 0.1, -std::f64::consts::PI));
        assert_eq!((point.camber, point.pressure, point.speed, point.friction), (0.0, None, None, 1.0));
        for (text, told) in [
            ("kapa=0.1", "did you mean `kappa`?"),
            ("kappa", "is not of the form KEY=VALUE"),
            ("", "is not of the form KEY=VALUE"),
            ("kappa=x", "`x` is not a number"),
            ("kappa=1e999", "invalid value"),
            ("load=-1", "invalid value"),
            ("friction=0", "write a positive one"),
            ("alpha=0.1,alpha_deg=2", "`alpha` is given twice"),
        ] {
            let error = text.parse::<Point>().unwrap_err();
            assert!(error.contains(told), "{text}: {error}");
        }
    }
}
