//! Coordinate systems of Nastran: CORD1R, CORD1C, CORD1S (by three grid points) and CORD2R, CORD2C, CORD2S (by three
//! points in another system).
//!
//! The first point is the origin, the second lies on the z axis, the third in the xz plane. Coordinates are x, y, z
//! (rectangular), r, θ, z (cylindrical) or r, θ from the z axis, φ about it (spherical), with angles in degrees.
//! Source: MSC Nastran Quick Reference Guide, CORD1C, CORD2S, GRID.

use super::data_lines::{Field, complaint};
use ballesta::document::Diagnostic;
use ballesta::math::elementary::{cos, sin};
use ballesta::math::{Mat3, Vec3};
use std::collections::BTreeMap;

/// Longest chain of systems that refer to each other.
const MAX_CHAIN: usize = 100;

/// Sine of the angle of the defining points, or distance from an axis relative to the distance from the origin, below
/// which a direction is undefined.
const DIRECTION_TOLERANCE: f64 = 1e-9;

/// Coordinates of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Rectangular,
    Cylindrical,
    Spherical,
}

/// The points of a card.
#[derive(Clone, Debug, PartialEq)]
enum Points {
    /// Numbers of grid points.
    Grids([usize; 3]),
    /// Points in the reference system.
    Places(usize, [[f64; 3]; 3]),
}

/// A card.
#[derive(Clone, Debug)]
struct Definition {
    kind: Kind,
    points: Points,
    /// 1-based line and column of the number.
    place: (usize, usize),
}

/// A system in basic coordinates.
#[derive(Clone, Copy, Debug)]
struct System {
    kind: Kind,
    origin: Vec3,
    /// Columns: x, y, z axes.
    axes: Mat3,
}

/// Reason why a system cannot be used.
pub struct SystemError {
    /// The fault.
    pub found: String,
    /// The correction.
    pub expected: &'static str,
}

/// Position of a grid point before it is resolved: number of its system, coordinates.
pub type GridPlace = (usize, [f64; 3]);

/// The coordinate systems of a file.
#[derive(Default)]
pub struct CoordinateSystems {
    cards: BTreeMap<usize, Definition>,
    resolved: BTreeMap<usize, System>,
}

pub const EXPORT: &str = "export nodes and matrices in the basic system (0)";

impl CoordinateSystems {
    /// Whether a card defines a coordinate system.
    pub fn is_card(name: &str) -> bool {
        kind(name).is_some()
    }

    /// Reads the data fields of a card.
    ///
    /// # Errors
    /// Missing or invalid fields; a second system of the same number.
    pub fn add(&mut self, name: &str, fields: &[Field<'_>]) -> Result<(), Diagnostic> {
        let Some((kind, by_grids)) = kind(name) else { return Ok(()) };
        let Some(first) = fields.first() else { return Ok(()) };
        let empty = Field { text: "", ..*fields.last().unwrap_or(first) };
        let at = |i: usize| fields.get(i).copied().unwrap_or(empty);
        if by_grids {
            // One card can define two systems.
            for from in [0, 4].into_iter().filter(|from| *from == 0 || !at(*from).text.is_empty()) {
                let grids = [at(from + 1).node()?, at(from + 2).node()?, at(from + 3).node()?];
                self.insert(at(from), kind, Points::Grids(grids))?;
            }
            return Ok(());
        }
        let reference = if at(1).text.is_empty() { 0 } else { number(at(1))? };
        let mut places = [[0.0; 3]; 3];
        for (k, entry) in places.iter_mut().flatten().enumerate() {
            if fields.len() <= 2 + k {
                let found = format!("the card has {} of 9 coordinates", fields.len().saturating_sub(2));
                return Err(first.complain(found, "add its continuation with the coordinates of three points"));
            }
            *entry = if at(2 + k).text.is_empty() { 0.0 } else { at(2 + k).number()? };
        }
        self.insert(*first, kind, Points::Places(reference, places))
    }

    fn insert(&mut self, at: Field<'_>, kind: Kind, points: Points) -> Result<(), Diagnostic> {
        let place = (at.line.number, at.line.text[..at.offset].chars().count() + 1);
        let system = at.positive("the number of a coordinate system")?;
        if let Some(first) = self.cards.insert(system, Definition { kind, points, place }) {
            let found = format!("duplicate coordinate system {system}, first in line {}", first.place.0);
            return Err(complaint(at.line.file, place, found, "define each coordinate system once"));
        }
        Ok(())
    }

    /// Basic coordinates of a point in system `system`; `grids` are the grid points of the file.
    ///
    /// # Errors
    /// A system that is missing, refers to itself, or has no axes.
    pub fn position(
        &mut self,
        (system, at): GridPlace,
        grids: &BTreeMap<usize, GridPlace>,
    ) -> Result<Vec3, SystemError> {
        self.place((system, at), grids, &mut Vec::new())
    }

    /// Axes of the displacements of a point in system `system`, one per column, in the basic system.
    ///
    /// # Errors
    /// As [`CoordinateSystems::position`]; a point on the axis of a cylindrical or spherical system.
    pub fn axes(
        &mut self,
        system: usize,
        position: Vec3,
        grids: &BTreeMap<usize, GridPlace>,
    ) -> Result<Mat3, SystemError> {
        if system == 0 {
            return Ok(Mat3::identity());
        }
        let System { kind, origin, axes } = self.system(system, grids, &mut Vec::new())?;
        let local = axes.transpose() * (position - origin);
        let radial = Vec3::new(local.x, local.y, 0.0);
        if kind == Kind::Rectangular {
            return Ok(axes);
        }
        if !(radial.norm() > DIRECTION_TOLERANCE * position.norm().max(origin.norm())) {
            let found = format!(
                "its position is on the axis of the coordinate system {system}, where directions are undefined"
            );
            return Err(SystemError { found, expected: "use a rectangular system for the displacements of this node" });
        }
        let (z, radial) = (Vec3::z(), radial.normalize());
        let around = z.cross(&radial);
        let directions = match kind {
            Kind::Spherical => {
                let outward = local.normalize();
                [outward, around.cross(&outward), around]
            }
            _ => [radial, around, z],
        };
        Ok(axes * Mat3::from_columns(&directions))
    }

    /// `chain`: the systems that are being resolved.
    fn place(
        &mut self,
        (system, [a, b, c]): GridPlace,
        grids: &BTreeMap<usize, GridPlace>,
        chain: &mut Vec<usize>,
    ) -> Result<Vec3, SystemError> {
        if system == 0 {
            return Ok(Vec3::new(a, b, c));
        }
        let System { kind, origin, axes } = self.system(system, grids, chain)?;
        let circle = |radius: f64, degrees: f64| {
            let angle = degrees.to_radians();
            (radius * cos(angle), radius * sin(angle))
        };
        let local = match kind {
            Kind::Rectangular => Vec3::new(a, b, c),
            Kind::Cylindrical => {
                let (x, y) = circle(a, b);
                Vec3::new(x, y, c)
            }
            Kind::Spherical => {
                let (z, radius) = circle(a, b);
                let (x, y) = circle(radius, c);
                Vec3::new(x, y, z)
            }
        };
        Ok(origin + axes * local)
    }

    fn system(
        &mut self,
        system: usize,
        grids: &BTreeMap<usize, GridPlace>,
        chain: &mut Vec<usize>,
    ) -> Result<System, SystemError> {
        if let Some(known) = self.resolved.get(&system) {
            return Ok(*known);
        }
        let Some(definition) = self.cards.get(&system).cloned() else {
            let found = format!("the file does not define the coordinate system {system}");
            return Err(SystemError {
                found,
                expected: "add its CORD1 or CORD2 card, or export in the basic system (0)",
            });
        };
        let line = definition.place.0;
        if chain.contains(&system) || chain.len() >= MAX_CHAIN {
            let what = if chain.len() >= MAX_CHAIN { "has a longer chain than 100" } else { "refers to itself" };
            let found = format!("the coordinate system {system} in line {line} {what}");
            return Err(SystemError { found, expected: EXPORT });
        }
        chain.push(system);
        let mut points = [Vec3::zeros(); 3];
        for (k, point) in points.iter_mut().enumerate() {
            *point = match &definition.points {
                Points::Places(reference, places) => self.place((*reference, places[k]), grids, chain)?,
                Points::Grids(numbers) => {
                    let Some(grid) = grids.get(&numbers[k]) else {
                        let found = format!("the coordinate system {system} in line {line} uses node {}", numbers[k]);
                        return Err(SystemError {
                            found: found + ", which is not defined",
                            expected: "add its GRID card",
                        });
                    };
                    self.place(*grid, grids, chain)?
                }
            };
        }
        chain.pop();
        let [origin, on_axis, in_plane] = points;
        let (z, arm) = (on_axis - origin, in_plane - origin);
        let normal = z.cross(&arm);
        if !(normal.norm() > DIRECTION_TOLERANCE * z.norm() * arm.norm()) {
            let found = format!("the points of the coordinate system {system} in line {line} are collinear");
            return Err(SystemError {
                found,
                expected: "give an origin, a point on the z axis and one in the xz plane",
            });
        }
        let (z, y) = (z.normalize(), normal.normalize());
        let resolved = System { kind: definition.kind, origin, axes: Mat3::from_columns(&[y.cross(&z), y, z]) };
        self.resolved.insert(system, resolved);
        Ok(resolved)
    }
}

/// Kind of coordinates that a card defines, and whether grid points define it.
fn kind(name: &str) -> Option<(Kind, bool)> {
    let name = name.to_ascii_uppercase();
    let rest = name.strip_prefix("CORD")?;
    let kind = match rest.get(1..)? {
        "R" => Kind::Rectangular,
        "C" => Kind::Cylindrical,
        "S" => Kind::Spherical,
        _ => return None,
    };
    match rest.as_bytes()[0] {
        b'1' => Some((kind, true)),
        b'2' => Some((kind, false)),
        _ => None,
    }
}

/// Number of a coordinate system, 0 for the basic one.
fn number(field: Field<'_>) -> Result<usize, Diagnostic> {
    field.text.parse().map_err(|_| {
        field.complain(format!("found `{}`", field.text), "write the number of a coordinate system: 0 or more")
    })
}
