//! From a reduced-order model to the constant blocks of a flexible body in the subspace of its floating frame.

use nalgebra::{DMatrix, RowDVector};

use crate::math::{Mat3, Vec3};
use crate::model::flexible::{FlexibleDesign, FloatingFrame};
use crate::model::schema::{Deformation, FlexibleBody, Integrator, Model, StiffeningModel};
use crate::model::{Diagnostic, Diagnostics, Document};
use crate::rom::Rom;
use crate::rom::modes::{elastic_modes, unpack};
use crate::rom::schema::{Packed, StiffeningLoad};
use crate::system::flexible::{Flexible, LinkShape, NodeShape, SectionShape, Stiffening};

/// Blocks with entries below this part of what they are compared with are left out.
const NOTHING: f64 = 1e-13;
/// Names of the directions of interface loads.
const DIRECTIONS: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];

/// A flexible body and where it is, before bodies and coordinates are numbered.
pub(crate) struct Draft {
    /// Blocks; body and coordinates not yet numbered.
    pub flexible: Flexible,
    /// Interface of every link: those that something is attached to or looks at.
    pub interfaces: Vec<usize>,
    /// Undeformed centre of mass in W, m.
    pub centre: Vec3,
    /// Nodes of the links in W, m.
    pub places: Vec<Vec3>,
}

/// All flexible bodies of a validated document.
pub(crate) fn build(document: &Document, parameters: &[f64]) -> Result<Vec<Draft>, Diagnostics> {
    let mut drafts = Vec::new();
    let mut diagnostics = Diagnostics::default();
    for (index, (body, rom)) in document.model.flexible_bodies.iter().zip(&document.roms).enumerate() {
        match build_one(&document.model, body, rom, parameters) {
            Ok(draft) => drafts.push(draft),
            Err(refusal) => diagnostics.0.push(refusal.at(document, index)),
        }
    }
    diagnostics.into_result(drafts)
}

/// Why a reduced-order model is no flexible body.
struct Refusal(String);

impl Refusal {
    fn at(self, document: &Document, index: usize) -> Diagnostic {
        document.source.at(
            format!("flexible_body[{index}].rom"),
            format!("no elastic modes in the subspace of the floating frame: {}", self.0),
            "reduce the structure again, with fewer or with independent modes",
        )
    }
}

fn build_one(model: &Model, body: &FlexibleBody, rom: &Rom, parameters: &[f64]) -> Result<Draft, Refusal> {
    let tangent = match body.floating_frame(rom) {
        Some(FloatingFrame::Interface(index)) => Some(index),
        Some(FloatingFrame::MeanAxis) | None => None,
    };
    let (omega, basis) = elastic_basis(rom, tangent, body.modes)?;
    let resolution = match model.general.integrator {
        Integrator::GeneralizedAlpha => model.general.resolution.unwrap_or(f64::INFINITY),
        _ => f64::INFINITY,
    };
    let FlexibleDesign { rotation: axes, origin } = model.flexible_design(body, parameters);
    let centre = Vec3::from(rom.rigid.centre);
    let blocks = Blocks { rom, basis: &basis, centre };
    let damping = match &body.damping_ratio {
        Some(ratio) => {
            let ratio = model.resolve(ratio, parameters);
            DMatrix::from_diagonal(&omega.iter().map(|omega| 2.0 * ratio * omega).collect::<Vec<_>>().into())
        }
        None => blocks.project(&rom.damping()),
    };
    let (stiffening, axial, loads) = blocks.stiffening(body.stiffening_model(rom));
    let used = |index: &usize| model.mentions(&format!("{}.{}", body.name, rom.interfaces[*index].name));
    let interfaces: Vec<usize> =
        (0..rom.interfaces.len()).filter(|&index| Some(index) != tangent).filter(used).collect();
    let links = interfaces.iter().map(|&index| blocks.link(&body.name, index, loads)).collect();
    let places = interfaces.iter().map(|&index| origin + axes * Vec3::from(rom.interfaces[index].position)).collect();
    let flexible = Flexible {
        name: body.name.clone(),
        body: 0,
        q: 0..omega.len(),
        v: 0..omega.len(),
        residual: omega.iter().filter(|omega| **omega * model.general.step > resolution).count(),
        linear: model.general.integrator == Integrator::Exponential,
        starts_static: body.deformation == Deformation::Static,
        model: body.stiffening_model(rom),
        axes,
        centre,
        mass: rom.rigid.mass,
        inertia: symmetric(&rom.rigid.inertia),
        translation: blocks.momentum().0,
        rotation: blocks.momentum().1,
        position: blocks.positions(),
        product: blocks.products(),
        stiffness: omega.iter().map(|omega| omega * omega).collect(),
        damping: rows(&damping),
        stiffening,
        axial,
        links,
        nodes: blocks.nodes(),
        sections: blocks.sections(),
    };
    Ok(Draft { flexible, interfaces, centre: origin + axes * centre, places })
}

/// ω (rad/s, ascending) and mass-normalised modes (N × n) in the subspace of the frame.
fn elastic_basis(rom: &Rom, tangent: Option<usize>, kept: Option<usize>) -> Result<(Vec<f64>, DMatrix<f64>), Refusal> {
    let (mut omega, mut basis) = match tangent {
        None => {
            let modes = rom.elastic_modes().map_err(|error| Refusal(error.to_string()))?;
            (modes.omega, modes.shapes)
        }
        Some(index) => {
            let interface = &rom.interfaces[index];
            let held = interface.first_column..interface.first_column + interface.width();
            let free: Vec<usize> = (0..rom.size()).filter(|column| !held.contains(column)).collect();
            let block = |matrix: DMatrix<f64>| matrix.select_rows(&free).select_columns(&free);
            let modes = elastic_modes(&block(rom.stiffness()), &block(rom.mass()), &DMatrix::zeros(free.len(), 0))
                .map_err(|error| Refusal(error.to_string()))?;
            let mut basis = DMatrix::zeros(rom.size(), free.len());
            for (row, &column) in free.iter().enumerate() {
                basis.row_mut(column).copy_from(&modes.shapes.row(row));
            }
            (modes.omega, basis)
        }
    };
    if let Some(kept) = kept.filter(|&kept| kept < omega.len()) {
        omega.truncate(kept);
        basis = basis.columns(0, kept).into_owned();
    }
    Ok((omega, basis))
}

/// xx, yy, zz, xy, yz, xz.
fn symmetric(values: &[f64; 6]) -> Mat3 {
    let [xx, yy, zz, xy, yz, xz] = *values;
    Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
}

/// Row-major entries; empty when all are zero to rounding, compared with `scale`.
fn rows_or_nothing(matrix: &DMatrix<f64>, scale: f64) -> Vec<f64> {
    if matrix.amax() <= NOTHING * scale { Vec::new() } else { rows(matrix) }
}

fn rows(matrix: &DMatrix<f64>) -> Vec<f64> {
    matrix.transpose().as_slice().to_vec()
}

/// Projects what a reduced-order model stores.
struct Blocks<'a> {
    rom: &'a Rom,
    /// T: q = T η, N × n.
    basis: &'a DMatrix<f64>,
    /// Origin of B from the origin of C.
    centre: Vec3,
}

impl Blocks<'_> {
    /// Tᵀ A T.
    fn project(&self, matrix: &DMatrix<f64>) -> DMatrix<f64> {
        self.basis.tr_mul(&(matrix * self.basis))
    }

    fn project_packed(&self, packed: &Packed) -> DMatrix<f64> {
        self.project(&unpack(packed, self.rom.size()))
    }

    /// A row of N as a row of n.
    fn row(&self, row: &[f64]) -> Vec<f64> {
        (RowDVector::from_row_slice(row) * self.basis).as_slice().to_vec()
    }

    fn six(&self, matrix: &[Vec<f64>]) -> [Vec<f64>; 6] {
        std::array::from_fn(|i| self.row(&matrix[i]))
    }

    /// Momentum and angular momentum about the origin of B per unit of η̇.
    fn momentum(&self) -> ([Vec<f64>; 3], [Vec<f64>; 3]) {
        let all = self.rom.rigid_motions().tr_mul(&self.rom.mass()) * self.basis;
        let translation: [Vec<f64>; 3] = std::array::from_fn(|a| all.row(a).iter().copied().collect());
        let rotation = std::array::from_fn(|a| {
            let (b, c) = ((a + 1) % 3, (a + 2) % 3);
            let shift = |k: usize| self.centre[b] * translation[c][k] - self.centre[c] * translation[b][k];
            all.row(3 + a).iter().enumerate().map(|(k, value)| value - shift(k)).collect()
        });
        (translation, rotation)
    }

    fn positions(&self) -> [Vec<f64>; 9] {
        let inertia = &self.rom.inertia;
        std::array::from_fn(|ab| {
            let (moment, flow) = (self.row(&inertia.position[ab]), self.row(&inertia.translation[ab % 3]));
            moment.iter().zip(&flow).map(|(moment, flow)| moment - self.centre[ab / 3] * flow).collect()
        })
    }

    /// ∫ Φ_a,l Φ_b,k dm at (k, l).
    fn products(&self) -> [Vec<f64>; 9] {
        let inertia = &self.rom.inertia;
        let size = self.rom.size();
        let squares: Vec<DMatrix<f64>> = inertia.square.iter().map(|packed| self.project_packed(packed)).collect();
        // (x, y), (y, z), (z, x): row index belongs to the first.
        let mixed: Vec<DMatrix<f64>> =
            inertia.product.iter().map(|rows| self.project(&DMatrix::from_row_slice(size, size, rows))).collect();
        let scale = squares.iter().map(|square| square.amax()).fold(0.0, f64::max);
        std::array::from_fn(|ab| {
            let matrix = match (ab / 3, ab % 3) {
                (a, b) if a == b => squares[a].clone(),
                (0, 1) => mixed[0].transpose(),
                (1, 2) => mixed[1].transpose(),
                (2, 0) => mixed[2].transpose(),
                (1, 0) => mixed[0].clone(),
                (2, 1) => mixed[1].clone(),
                _ => mixed[2].clone(),
            };
            rows_or_nothing(&matrix, scale)
        })
    }

    /// Stiffening by the motion of the frame, by axial modes, and the loads at interfaces that stiffen.
    #[allow(clippy::type_complexity)]
    fn stiffening(&self, wanted: StiffeningModel) -> (Stiffening, Vec<(Vec<f64>, Vec<f64>)>, &[StiffeningLoad]) {
        let nothing = (Stiffening::default(), Vec::new(), &[][..]);
        let Some(all) = &self.rom.stiffening else { return nothing };
        let axial = |count: usize| {
            let part = |axial: &crate::rom::schema::AxialStiffening| {
                (self.row(&axial.force), rows(&self.project_packed(&axial.stiffness)))
            };
            (Stiffening::default(), all.axial.iter().take(count).map(part).collect(), &[][..])
        };
        match (wanted, &all.foreshortening) {
            (StiffeningModel::None, _) | (StiffeningModel::Foreshortening, None) => nothing,
            (StiffeningModel::AxialMode, _) => axial(1),
            (StiffeningModel::AxialModes, _) => axial(usize::MAX),
            (StiffeningModel::Foreshortening, Some(short)) => {
                (self.motions(&short.translation, &short.rotation, &short.angular_velocity), Vec::new(), &short.loads)
            }
            (StiffeningModel::General, _) => {
                (self.motions(&all.translation, &all.rotation, &all.angular_velocity), Vec::new(), &all.loads)
            }
        }
    }

    /// The blocks of the motion of C, turned into those of the motion of B's origin: with c from C's origin to B's,
    /// a_C = a_B − α × c − ω × (ω × c).
    fn motions(&self, translation: &[Packed], rotation: &[Packed], products: &[Packed]) -> Stiffening {
        let part = |list: &[Packed]| list.iter().map(|packed| self.project_packed(packed)).collect::<Vec<_>>();
        let (moved, mut turned, mut spun) = (part(translation), part(rotation), part(products));
        let c = self.centre;
        for a in 0..3 {
            // −(α × c) along b: −ε(b, a, d) c_d α_a.
            let (b, d) = ((a + 1) % 3, (a + 2) % 3);
            turned[a] += &moved[b] * c[d] - &moved[d] * c[b];
        }
        // −ω × (ω × c) = c ω² − ω (ω · c).
        for (p, (a, b)) in [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)].into_iter().enumerate() {
            if a == b {
                for d in (0..3).filter(|&d| d != a) {
                    spun[p] += &moved[d] * c[d];
                }
            } else {
                spun[p] -= &moved[a] * c[b] + &moved[b] * c[a];
            }
        }
        let scale = |list: &[DMatrix<f64>]| list.iter().map(|matrix| matrix.amax()).fold(0.0, f64::max);
        let kept = |list: &[DMatrix<f64>], index: usize| rows_or_nothing(&list[index], scale(list));
        Stiffening {
            translation: std::array::from_fn(|a| kept(&moved, a)),
            rotation: std::array::from_fn(|a| kept(&turned, a)),
            products: std::array::from_fn(|p| kept(&spun, p)),
        }
    }

    fn link(&self, body: &str, index: usize, loads: &[StiffeningLoad]) -> LinkShape {
        let interface = &self.rom.interfaces[index];
        let n = self.basis.ncols();
        let mut column = interface.first_column;
        let shape = std::array::from_fn(|direction| {
            if !interface.active[direction] {
                return vec![0.0; n];
            }
            column += 1;
            self.basis.row(column - 1).iter().copied().collect()
        });
        let second = std::array::from_fn(|direction| {
            let is_it =
                |load: &&StiffeningLoad| load.interface == interface.name && load.direction == DIRECTIONS[direction];
            loads
                .iter()
                .find(is_it)
                .map_or(Vec::new(), |load| rows_or_nothing(&self.project_packed(&load.stiffness), 1.0))
        });
        LinkShape {
            name: format!("{body}.{}", interface.name),
            body: 0,
            position: Vec3::from(interface.position) - self.centre,
            shape,
            second,
        }
    }

    fn nodes(&self) -> Vec<NodeShape> {
        let node = |node: &crate::rom::schema::Node| NodeShape {
            name: node.name.clone(),
            position: Vec3::from(node.position) - self.centre,
            shape: self.six(&node.displacement),
        };
        self.rom.nodes.iter().map(node).collect()
    }

    fn sections(&self) -> Vec<SectionShape> {
        let motions = self.rom.rigid_motions();
        let section = |section: &crate::rom::schema::Section| SectionShape {
            name: section.name.clone(),
            displacement: self.six(&section.displacement),
            acceleration: self.six(&section.acceleration),
            rigid: std::array::from_fn(|i| {
                let row = RowDVector::from_row_slice(&section.acceleration[i]) * &motions;
                std::array::from_fn(|k| row[k])
            }),
            centrifugal: std::array::from_fn(|i| section.centrifugal.get(i).copied().unwrap_or_default()),
            points: section.points.iter().map(|point| (point.name.clone(), point.normal)).collect(),
        };
        self.rom.sections.iter().map(section).collect()
    }
}
