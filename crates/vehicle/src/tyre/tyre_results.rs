//! Results of `ballesta tyre --json` and of the Python package.

use super::{Characteristics, Point, Tyre, Tyres, Warning};
use ballesta::tyre::{Formula, Output, Side, TyreNote, VerticalInput};
use serde::Serialize;
use serde_json::{Map, Value};

/// Results for all files.
#[derive(Debug, Serialize)]
pub struct TyreReport {
    /// The files.
    pub tyres: Vec<TyreSummary>,
    /// Values at the requested points: all points of the first tyre, then all points of the next.
    pub at: Vec<Map<String, Value>>,
    /// The table, column by column.
    pub curves: Map<String, Value>,
    /// Units of its columns.
    pub units: Map<String, Value>,
    /// Warnings.
    pub warnings: Vec<Warning>,
}

/// One file.
#[derive(Debug, Serialize)]
pub struct TyreSummary {
    /// Path as given.
    pub file: String,
    /// Name that distinguishes it from the other files.
    pub name: String,
    /// `MF 5.2` or `MF 6.1`.
    pub formula: &'static str,
    /// `PROPERTY_FILE_FORMAT` as written in the file.
    pub format: Option<String>,
    /// `FITTYP` as written in the file.
    pub fittyp: Option<String>,
    /// `FILE_VERSION` as written in the file.
    pub version: Option<String>,
    /// Side of the measurement.
    pub measured_side: &'static str,
    /// `205/60 R16`, if the file has width, aspect ratio and rim radius.
    pub size: Option<String>,
    /// Fz0, N.
    pub nominal_load_n: f64,
    /// R0, m.
    pub unloaded_radius_m: f64,
    /// Section width, m.
    pub width_m: Option<f64>,
    /// Aspect ratio: section height over width.
    pub aspect_ratio: Option<f64>,
    /// Radius of the rim, m.
    pub rim_radius_m: Option<f64>,
    /// Mass, kg.
    pub mass_kg: Option<f64>,
    /// Vertical stiffness at the nominal load, N/m.
    pub vertical_stiffness_n_per_m: f64,
    /// N s/m.
    pub vertical_damping_n_s_per_m: f64,
    /// V0, m/s.
    pub reference_speed_m_per_s: f64,
    /// Inflation pressure, Pa.
    pub pressure_pa: Option<f64>,
    /// Nominal pressure, Pa.
    pub nominal_pressure_pa: Option<f64>,
    /// Ranges of validity.
    pub ranges: Ranges,
    /// Characteristics at every load.
    pub loads: Vec<Characteristics>,
    /// Remarks of the reader.
    pub notes: Vec<Remark>,
}

/// A remark of the reader.
#[derive(Debug, Serialize)]
pub struct Remark {
    /// 1-based line; 0: the whole file.
    pub line: usize,
    /// Key or section.
    pub key: String,
    /// Text of the remark.
    pub text: String,
}

/// Ranges of a file, smallest and largest value.
#[derive(Debug, Serialize)]
pub struct Ranges {
    /// N.
    pub load_n: [f64; 2],
    /// κ.
    pub kappa: [f64; 2],
    /// rad.
    pub alpha_rad: [f64; 2],
    /// rad.
    pub camber_rad: [f64; 2],
    /// Pa; `None` without a bound in the file.
    pub pressure_pa: Option<[f64; 2]>,
}

/// Columns of a point in addition to forces and moments, with units.
pub const AT: [(&str, &str); 23] = [
    ("load", "N"),
    ("kappa", "1"),
    ("alpha", "rad"),
    ("camber", "rad"),
    ("pressure", "Pa"),
    ("speed", "m/s"),
    ("friction", "1"),
    ("Fx", "N"),
    ("Fy", "N"),
    ("Fz", "N"),
    ("Mx", "N.m"),
    ("My", "N.m"),
    ("Mz", "N.m"),
    ("longitudinal_stiffness", "N"),
    ("cornering_stiffness", "N/rad"),
    ("relaxation_length_kappa", "m"),
    ("relaxation_length_alpha", "m"),
    ("mu_x", "1"),
    ("mu_y", "1"),
    ("deflection", "m"),
    ("loaded_radius", "m"),
    ("effective_radius", "m"),
    ("vertical_stiffness", "N/m"),
];

/// A value of a file; 0 means missing.
fn given(value: f64) -> Option<f64> {
    (value > 0.0).then_some(value)
}

impl Tyre {
    /// Values at a point, in the order of [`AT`].
    pub fn at(&self, point: &Point) -> [f64; AT.len()] {
        // Steady-state law at the point.
        let (input, output) = (self.input(point), self.output(point));
        let Output { fx, fy, mx, my, mz, kx, ky, sigma_kappa, sigma_alpha, mu_x, mu_y } = output;
        let deflection = self.law.static_deflection(input.load, input.pressure);
        let vertical = VerticalInput { pressure: input.pressure, ..VerticalInput::default() };
        let c = &self.properties.coefficients;
        // Values in the order of `AT`.
        [
            input.load,
            input.kappa,
            input.alpha,
            input.gamma,
            input.pressure,
            input.speed,
            input.friction,
            fx,
            fy,
            input.load,
            mx,
            my,
            mz,
            kx,
            ky,
            sigma_kappa,
            sigma_alpha,
            mu_x,
            mu_y,
            deflection,
            c.q_re0 * c.unloaded_radius - deflection,
            self.effective_radius(input.load, input.speed, input.pressure),
            self.law.vertical(deflection, 0.0, &vertical).stiffness,
        ]
    }

    /// `205/60 R16`: width in mm, ratio in percent, diameter of the rim in inches.
    fn size(&self) -> Option<String> {
        let c = &self.properties.coefficients;
        let (width, ratio, rim) = (given(c.width)?, given(c.aspect_ratio)?, given(c.rim_radius)?);
        let ratio = if ratio < 2.0 { 100.0 * ratio } else { ratio };
        let inches = 2.0 * rim / 0.0254;
        Some(format!("{:.0}/{ratio:.0} R{}", 1e3 * width, (2.0 * inches).round() / 2.0))
    }

    fn found(&self, tyres: &Tyres) -> TyreSummary {
        // Texts are taken as the file states them; numbers are in SI units.
        let (properties, c) = (&self.properties, &self.properties.coefficients);
        let text = |key| properties.written(key).map(|written| written.text.clone());
        let note = |note: &TyreNote| Remark { line: note.line, key: note.key.clone(), text: note.text.clone() };
        TyreSummary {
            file: self.file.clone(),
            name: self.name.clone(),
            formula: match properties.formula {
                Formula::Mf61 => "MF 6.1",
                _ => "MF 5.2",
            },
            format: text("property_file_format"),
            fittyp: text("fittyp"),
            version: text("file_version"),
            measured_side: if properties.side == Side::Left { "left" } else { "right" },
            size: self.size(),
            nominal_load_n: c.fnomin,
            unloaded_radius_m: c.unloaded_radius,
            width_m: given(c.width),
            aspect_ratio: given(c.aspect_ratio),
            rim_radius_m: given(c.rim_radius),
            mass_kg: given(c.mass),
            vertical_stiffness_n_per_m: c.vertical_stiffness,
            vertical_damping_n_s_per_m: c.vertical_damping,
            reference_speed_m_per_s: c.longvl,
            pressure_pa: given(c.inflpres),
            nominal_pressure_pa: given(c.nompres),
            // Ranges of validity; the pressure is unlimited if the file has no range.
            ranges: Ranges {
                load_n: [c.fzmin, c.fzmax],
                kappa: [c.kpumin, c.kpumax],
                alpha_rad: [c.alpmin, c.alpmax],
                camber_rad: [c.cammin, c.cammax],
                pressure_pa: (c.presmax < f64::MAX).then_some([c.presmin, c.presmax]),
            },
            loads: tyres.characteristics(self),
            notes: properties.notes.iter().map(note).collect(),
        }
    }
}

impl Tyres {
    /// Characteristics of a tyre at every load.
    pub fn characteristics(&self, tyre: &Tyre) -> Vec<Characteristics> {
        self.loads.iter().map(|load| tyre.characteristics(&self.point(*load, 0.0, 0.0, 0.0))).collect()
    }

    /// All results.
    pub fn findings(&self) -> TyreReport {
        let table = self.table();
        let mut at = Vec::new();
        for tyre in &self.tyres {
            for point in self.points() {
                let mut object = Map::from_iter([("tyre".to_string(), tyre.name.clone().into())]);
                object.extend(AT.iter().zip(tyre.at(point)).map(|((name, _), value)| (name.to_string(), value.into())));
                at.push(object);
            }
        }
        let curves = table.columns.iter().zip(&table.series);
        TyreReport {
            tyres: self.tyres.iter().map(|tyre| tyre.found(self)).collect(),
            at,
            curves: curves.map(|((name, _), series)| (name.clone(), series.as_slice().into())).collect(),
            units: table.columns.iter().map(|(name, unit)| (name.clone(), (*unit).into())).collect(),
            warnings: self.warnings(),
        }
    }
}
