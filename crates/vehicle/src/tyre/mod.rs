//! Tyre files without a vehicle: values of the law at any point, curves, characteristics, and warnings about the file.
//! All values are in the axes W of ISO 8855 and in SI units, as in [`ballesta::tyre`].

mod characteristics;
mod point;
mod sweep;
pub mod tyre_curves;
mod tyre_results;
mod tyre_warnings;

pub use characteristics::{Characteristics, Friction};
pub use point::Point;
pub use sweep::{Sweep, Table};
pub use tyre_results::{AT, TyreReport, TyreSummary};
pub use tyre_warnings::Warning;

use ballesta::document::file;
use ballesta::tyre::{Law, Output, Properties, Side};
use ballesta_files::failure::Failure;
use ballesta_files::output_file;
use std::path::{Path, PathBuf};

/// Largest size of a tyre file, bytes.
const MAX_FILE_BYTES: u64 = 16 << 20;
/// Largest number of loads or cambers.
const MAX_VALUES: usize = 50;
/// Default loads of the curves, as fractions of the nominal load of the first file.
const LOADS: [f64; 3] = [0.5, 1.0, 1.5];
/// Default camber of the curves in addition to 0, rad: ±4°.
const CAMBER: f64 = 0.07;
/// Largest default ends of the curves: κ, and α in rad.
const SLIPS: [f64; 2] = [0.5, 0.3];

/// A force or moment: name, unit, and its value in the result of the law.
pub type Quantity = (&'static str, &'static str, fn(&Output) -> f64);

/// Columns of the table per tyre.
pub const QUANTITIES: [Quantity; 5] = [
    ("Fx", "N", |output| output.fx),
    ("Fy", "N", |output| output.fy),
    ("Mx", "N.m", |output| output.mx),
    ("My", "N.m", |output| output.my),
    ("Mz", "N.m", |output| output.mz),
];

/// An open tyre file.
#[derive(Debug)]
pub struct Tyre {
    /// Path as given.
    pub file: String,
    /// Name that distinguishes it from the other files: the file name without extension if that is unique.
    pub name: String,
    /// Content of the file.
    pub properties: Properties,
    /// The tyre on the evaluated side.
    pub law: Law,
    /// −1 for the side opposite to the measured side, otherwise 1.
    mirror: f64,
}

/// Options in addition to the files.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Side of the vehicle; `None`: the measured side of each file.
    pub side: Option<Side>,
    /// Loads of curves and characteristics, N; empty: 0.5, 1 and 1.5 of the nominal load of the first file.
    pub loads: Vec<f64>,
    /// Cambers of the curves, rad; empty: 0 and ±4°, within the ranges of the first file.
    pub cambers: Vec<f64>,
    /// Curves from −κ to κ; `None`: the widest range of the files, up to 0.5.
    pub kappa: Option<f64>,
    /// Curves from −α to α, rad; `None`: the widest range of the files, up to 0.3.
    pub alpha: Option<f64>,
    /// Inflation pressure, Pa; `None`: the pressure of each file.
    pub pressure: Option<f64>,
    /// Points to evaluate.
    pub at: Vec<Point>,
}

/// Files that are evaluated together.
#[derive(Debug)]
pub struct Tyres {
    /// The files, at least one.
    pub tyres: Vec<Tyre>,
    /// Loads, N, ascending.
    pub loads: Vec<f64>,
    /// Cambers, rad, ascending.
    pub cambers: Vec<f64>,
    /// Ends of the curves over κ.
    pub kappa: [f64; 2],
    /// Ends of the curves over α, rad.
    pub alpha: [f64; 2],
    options: Options,
}

impl Tyre {
    /// Reads a file.
    fn read(path: &Path, side: Option<Side>) -> Result<Tyre, Failure> {
        let bytes = file::read_within(path, MAX_FILE_BYTES).map_err(|error| Failure::file("read", path, error))?;
        let file = path.display().to_string();
        let properties = ballesta::model::tir::read(&ballesta::model::tir::decode(&bytes), &file)?;
        let side = side.unwrap_or(properties.side);
        let law = Law::new(&properties, side);
        let mirror = if side == properties.side { 1.0 } else { -1.0 };
        let name = path.file_stem().map_or_else(|| file.clone(), |stem| stem.to_string_lossy().into_owned());
        Ok(Tyre { file, name, properties, law, mirror })
    }

    /// Forces and moments at a point.
    pub fn output(&self, point: &Point) -> Output {
        self.law.forces(&self.input(point))
    }

    /// Range of α in the axes of the vehicle, rad.
    fn alpha_range(&self) -> [f64; 2] {
        let c = &self.properties.coefficients;
        if self.mirror < 0.0 { [-c.alpmax, -c.alpmin] } else { [c.alpmin, c.alpmax] }
    }

    /// Range of the camber in the axes of the vehicle, rad.
    fn camber_range(&self) -> [f64; 2] {
        let c = &self.properties.coefficients;
        if self.mirror < 0.0 { [-c.cammax, -c.cammin] } else { [c.cammin, c.cammax] }
    }
}

impl Tyres {
    /// Opens the files.
    ///
    /// # Errors
    /// A file that cannot be read or is invalid, with all faults; invalid loads, cambers, slips or pressures.
    pub fn open(paths: &[PathBuf], mut options: Options) -> Result<Tyres, Failure> {
        // Every file is read once; the side mirrors the tyre.
        let mut tyres = Vec::new();
        for (i, path) in paths.iter().enumerate() {
            if paths[..i].contains(path) {
                return Err(Failure::Usage(format!("{} is given twice", path.display())));
            }
            tyres.push(Tyre::read(path, options.side)?);
        }
        let Some(first) = tyres.first() else { return Err(Failure::Usage("no tyre file given".to_string())) };
        // Default loads are fractions of the nominal load of the first tyre.
        let nominal = first.law.nominal_load();
        if options.loads.is_empty() {
            options.loads = LOADS.map(|part| part * nominal).to_vec();
        }
        // Default cambers are within its range of validity.
        let [least, most] = first.camber_range();
        if options.cambers.is_empty() {
            options.cambers = [-CAMBER, 0.0, CAMBER].map(|camber| camber.clamp(least.min(0.0), most.max(0.0))).to_vec();
        }
        let loads = ascending("load", &options.loads, |load| load > 0.0)?;
        let cambers = ascending("camber", &options.cambers, |camber| camber.abs() < 1.5)?;
        // The slip axis covers the ranges of all tyres, up to a limit.
        let widest = |given: Option<f64>, most: f64, range: &dyn Fn(&Tyre) -> [f64; 2]| match given {
            Some(end) => [-end, end],
            None => tyres
                .iter()
                .map(range)
                .fold([0.0_f64; 2], |[least, end], [low, high]| [least.min(low.max(-most)), end.max(high.min(most))]),
        };
        let kappa_range = |tyre: &Tyre| [tyre.properties.coefficients.kpumin, tyre.properties.coefficients.kpumax];
        let kappa = widest(options.kappa, SLIPS[0], &kappa_range);
        let alpha = widest(options.alpha, SLIPS[1], &Tyre::alpha_range);
        name_apart(&mut tyres);
        Ok(Tyres { tyres, loads, cambers, kappa, alpha, options })
    }

    /// The middle load of the curves, N.
    pub fn middle_load(&self) -> f64 {
        self.loads[self.loads.len() / 2]
    }

    /// Points to evaluate.
    pub fn points(&self) -> &[Point] {
        &self.options.at
    }

    /// A point of a curve.
    pub fn point(&self, load: f64, camber: f64, kappa: f64, alpha: f64) -> Point {
        Point { load: Some(load), camber, kappa, alpha, pressure: self.options.pressure, ..Point::default() }
    }

    /// Rejects outputs that would replace one of the files or each other. Each output has its option.
    pub fn keep_apart(&self, outputs: &[(&str, Option<&Path>)]) -> Result<(), Failure> {
        let files: Vec<PathBuf> = self.tyres.iter().map(|tyre| PathBuf::from(&tyre.file)).collect();
        output_file::keep_apart(outputs, &files)
    }
}

/// Values without repetitions; an error if one is not `right`.
fn ascending(what: &str, values: &[f64], right: impl Fn(f64) -> bool) -> Result<Vec<f64>, Failure> {
    if let Some(wrong) = values.iter().find(|value| !(value.is_finite() && right(**value))) {
        let expected = if what == "load" { "N, above 0" } else { "rad, within ±1.5" };
        return Err(Failure::Usage(format!("invalid {what} {wrong}: expected {expected}")));
    }
    if values.len() > MAX_VALUES {
        return Err(Failure::Usage(format!("{} {what}s; {MAX_VALUES} at most", values.len())));
    }
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values.dedup_by(|a, b| *a == *b);
    Ok(values)
}

/// Names files with equal stems by their whole paths.
fn name_apart(tyres: &mut [Tyre]) {
    let names: Vec<String> = tyres.iter().map(|tyre| tyre.name.clone()).collect();
    for tyre in tyres {
        if names.iter().filter(|name| **name == tyre.name).count() > 1 {
            tyre.name.clone_from(&tyre.file);
        }
    }
}
