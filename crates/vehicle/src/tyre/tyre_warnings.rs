//! Warnings about a tyre file and about requests outside its ranges, each with key and line.

use super::{Characteristics, Friction, Point, Tyre, Tyres};
use ballesta::tyre::Formula;
use ballesta_files::words::short;
use serde::Serialize;

/// Cornering stiffness, as a fraction of the nominal load, below which a tyre has none; the law keeps 1e-6.
const STIFFNESS_TOLERANCE: f64 = 1e-5;

/// A warning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// Path of the file as given.
    pub file: String,
    /// 1-based line of the key; 0 if the file does not have the key.
    pub line: usize,
    /// Key as in the file.
    pub key: &'static str,
    /// The fault, with its value.
    pub text: String,
}

impl std::fmt::Display for Warning {
    /// `file:line: KEY: text`
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}: {}", self.file, self.key, self.text),
            line => write!(f, "{}:{line}: {}: {}", self.file, self.key, self.text),
        }
    }
}

/// Warnings about one file; each key is reported once, for the first load that shows the fault.
struct WarningList<'a> {
    tyre: &'a Tyre,
    found: Vec<Warning>,
}

impl WarningList<'_> {
    fn add(&mut self, key: &'static str, text: String) {
        if self.found.iter().any(|known| known.key == key) {
            return;
        }
        let line = self.tyre.properties.written(&key.to_lowercase()).map_or(0, |written| written.line);
        self.found.push(Warning { file: self.tyre.file.clone(), line, key, text });
    }

    /// Warning about a value outside a range; `effect` describes the behaviour of the law.
    fn range(&mut self, (what, unit): (&str, &str), value: f64, keys: [&'static str; 2], [least, most]: [f64; 2]) {
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        let (key, bound, word) = match value {
            value if value > most => (keys[1], most, "above"),
            value if value < least => (keys[0], least, "below"),
            _ => return,
        };
        let effect = match what {
            "load" => "forces are extrapolated in proportion to the load",
            _ => "the bound is used instead",
        };
        let (value, bound) = (short(value, 6), short(bound, 6));
        self.add(key, format!("{what} {value}{unit} is {word} the limit of the file, {bound}{unit}: {effect}"));
    }

    /// Checks a requested point.
    fn point(&mut self, point: &Point) {
        let tyre = self.tyre;
        let (c, input) = (&tyre.properties.coefficients, tyre.input(point));
        self.range(("load", "N"), input.load, ["FZMIN", "FZMAX"], [c.fzmin, c.fzmax]);
        let turned = |range: [f64; 2], keys: [&'static str; 2]| {
            // For the other side of the vehicle the bounds are mirrored.
            if tyre.mirror < 0.0 { (range, [keys[1], keys[0]]) } else { (range, keys) }
        };
        let (range, keys) = turned(tyre.camber_range(), ["CAMMIN", "CAMMAX"]);
        self.range(("camber", "rad"), input.gamma, keys, range);
        let (range, keys) = turned(tyre.alpha_range(), ["ALPMIN", "ALPMAX"]);
        self.range(("slip angle", "rad"), input.alpha, keys, range);
        self.range(("longitudinal slip", ""), input.kappa, ["KPUMIN", "KPUMAX"], [c.kpumin, c.kpumax]);
        if c.nompres > 0.0 {
            self.range(("pressure", "Pa"), input.pressure, ["PRESMIN", "PRESMAX"], [c.presmin, c.presmax]);
        } else if point.pressure.is_some() {
            self.add("NOMPRES", "the file has no pressure dependence: the given pressure has no effect".to_string());
        }
    }

    /// Warns about curvature factors above 1, which the law limits to 1.
    fn curvature(&mut self, load: f64) {
        let c = &self.tyre.properties.coefficients;
        let dfz = load / (c.fnomin * c.lfzo) - 1.0;
        let larger = |base: f64, asymmetry: f64| base * (1.0 + asymmetry.abs() * base.signum());
        let along = larger((c.pex1 + (c.pex2 + c.pex3 * dfz) * dfz) * c.lex, c.pex4);
        let across = larger((c.pey1 + c.pey2 * dfz) * c.ley, c.pey3);
        for (key, name, e) in [("PEX1", "Ex", along), ("PEY1", "Ey", across)] {
            if e > 1.0 {
                let (e, load) = (short(e, 4), short(load, 6));
                self.add(key, format!("the curvature {name} is {e} at a load of {load} N: limited to 1"));
            }
        }
    }

    fn friction(&mut self, found: &Characteristics) {
        let c = &self.tyre.properties.coefficients;
        let load = short(found.load_n, 6);
        let along = ("Fx", "κ", ["PCX1", "PDX1"], c.pcx1 * c.lcx);
        let across = ("Fy", "α", ["PCY1", "PDY1"], c.pcy1 * c.lcy);
        let turned = self.tyre.mirror < 0.0;
        let alpha = if turned { ["ALPMIN", "ALPMAX"] } else { ["ALPMAX", "ALPMIN"] };
        for (of, (force, slip, [shape_key, size_key], shape), (end_key, word)) in [
            (found.driving, along, ("KPUMAX", "> 0")),
            (found.braking, along, ("KPUMIN", "< 0")),
            (found.alpha_positive, across, (alpha[0], "> 0")),
            (found.alpha_negative, across, (alpha[1], "< 0")),
        ] {
            let Some(Friction { peak, falls, sliding_slip, .. }) = of else { continue };
            if !(peak > 0.0) {
                self.add(size_key, format!("no friction at {slip} {word} and a load of {load} N"));
            } else if !falls && shape <= 1.0 {
                let shape = short(shape, 4);
                let text = format!("{force} has no peak: with a shape factor of {shape} it increases without limit");
                self.add(shape_key, text);
            } else if !falls {
                let end = short(sliding_slip, 4);
                let text = format!("{force} at {slip} {word} increases up to the end of the range, {slip} = {end}");
                self.add(end_key, format!("{text}, at a load of {load} N: no peak in the range"));
            }
        }
    }

    /// Warns about the tyre at one load.
    fn characteristics(&mut self, found: &Characteristics) {
        let (properties, load) = (&self.tyre.properties, short(found.load_n, 6));
        let (c, six) = (&properties.coefficients, properties.formula == Formula::Mf61);
        let value = |value: f64| short(value, 4);
        // The vertical force and the rolling resistance.
        if !(found.vertical_stiffness_n_per_m > 0.0) {
            let stiffness = value(found.vertical_stiffness_n_per_m);
            let text = format!("the vertical stiffness is {stiffness} N/m at a load of {load} N");
            self.add("Q_FZ2", format!("{text}: the load does not increase with the deflection"));
        }
        if let Some((key, speed, resistance)) = self.tyre.law.self_driving(found.load_n) {
            let text = format!(
                "the rolling resistance is {} at a load of {load} N and a speed of {speed} m/s",
                value(resistance)
            );
            self.add(key, format!("{text}: it drives the wheel"));
        }
        // Slip stiffnesses. The law keeps a minimum, so the forces remain finite.
        if !(found.longitudinal_stiffness_n > 0.0) {
            let key = if c.pkx2 == 0.0 { "PKX1" } else { "PKX2" };
            self.add(key, format!("no longitudinal slip stiffness at a load of {load} N"));
        }
        if !(found.cornering_stiffness_n_per_rad > STIFFNESS_TOLERANCE * c.fnomin) {
            let key = if c.pky4 == 2.0 { "PKY2" } else { "PKY4" };
            self.add(key, format!("no cornering stiffness at a load of {load} N"));
        }
        // Signs of the camber stiffness and of the pneumatic trail.
        if properties.mode.acts[1] {
            let (stiffness, size) = (found.camber_stiffness_n_per_rad, found.cornering_stiffness_n_per_rad);
            if stiffness < -1e-3 * size {
                let key = if six { "PKY6" } else { "PVY3" };
                let text = format!("the camber stiffness is {} N/rad at a load of {load} N", value(stiffness));
                self.add(key, format!("{text}: a tyre that leans to the right is pushed to the left"));
            }
            if let Some(trail) = found.pneumatic_trail_m.filter(|trail| *trail < 0.0) {
                let text = format!("the pneumatic trail is {} m at a load of {load} N", value(trail));
                self.add("QDZ1", format!("{text}: the aligning moment increases the slip angle"));
            }
        }
        // Relaxation lengths.
        if properties.mode.relaxes {
            let carcass = |stiffness: f64| six && stiffness > 0.0;
            let along = if carcass(c.longitudinal_stiffness) { "LONGITUDINAL_STIFFNESS" } else { "PTX1" };
            let across = if carcass(c.lateral_stiffness) { "LATERAL_STIFFNESS" } else { "PTY1" };
            for (key, name, length) in
                [(along, "σκ", found.relaxation_length_kappa_m), (across, "σα", found.relaxation_length_alpha_m)]
            {
                if !(length > 0.0) {
                    let text = format!("the relaxation length {name} is 0 at a load of {load} N");
                    self.add(key, format!("{text}; simulations use 2 cm"));
                }
            }
        }
    }
}

impl Tyres {
    /// Warnings, file by file: ranges of the requested points first, then loads in ascending order.
    pub fn warnings(&self) -> Vec<Warning> {
        self.tyres.iter().flat_map(|tyre| self.remarks(tyre)).collect()
    }

    fn remarks(&self, tyre: &Tyre) -> Vec<Warning> {
        let mut remarks = WarningList { tyre, found: Vec::new() };
        if let Some(note) = tyre.properties.notes.iter().find(|note| note.key == "TYRESIDE") {
            remarks.add("TYRESIDE", note.text.clone());
        }
        for point in self.points() {
            remarks.point(point);
        }
        for load in &self.loads {
            for camber in &self.cambers {
                remarks.point(&self.point(*load, *camber, 0.0, 0.0));
            }
        }
        // Without given ends, the ends are the limits of the files.
        let (kappa, alpha) = (self.options.kappa.unwrap_or(0.0), self.options.alpha.unwrap_or(0.0));
        for sign in [-1.0, 1.0] {
            remarks.point(&self.point(self.middle_load(), 0.0, sign * kappa, sign * alpha));
        }
        for load in &self.loads {
            let found = tyre.characteristics(&self.point(*load, 0.0, 0.0, 0.0));
            remarks.characteristics(&found);
            remarks.curvature(*load);
            remarks.friction(&found);
        }
        remarks.found
    }
}
