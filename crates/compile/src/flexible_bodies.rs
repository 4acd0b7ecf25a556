//! From a reduced-order model to the constant blocks of a flexible body in the subspace of its floating frame.

use nalgebra::{DMatrix, RowDVector};

use ballesta_model::flexible_names::{FlexibleDesign, FloatingFrame};
use ballesta_model::rom::Rom;
use ballesta_model::rom::elastic_modes::{ElasticModes, ModesError, elastic_modes, unpack};
use ballesta_model::rom::rom_schema::{DerivedStress, MassModel, Packed, Section, StiffeningLoad, StressPoint};
use ballesta_model::schema::{Deformation, FlexibleBody, Model, SectionForces, StiffeningModel};
use ballesta_model::{Diagnostic, Diagnostics, Document};
use ballesta_solver::math::{Mat3, Vec3, larger};
use ballesta_solver::mechanism;
use ballesta_solver::system::flexible::{Flexible, LinkShape, NodeShape, SectionShape, Stiffening};
use ballesta_solver::system::stress::{StressLaw, TensorInvariant};

/// Blocks with relative entries below this value are left out.
const BLOCK_TOLERANCE: f64 = 1e-13;
/// Fraction of the inertia of a body above which a warning reports that the integrals lack it.
const MISSING_INERTIA: f64 = 1e-3;
/// Names of the directions of interface loads.
const DIRECTIONS: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];

/// All flexible bodies of a validated document.
pub fn build(document: &Document, parameters: &[f64]) -> Result<Vec<mechanism::FlexibleBody>, Diagnostics> {
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

/// The reason why a reduced-order model is no valid flexible body.
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

fn build_one(
    model: &Model,
    body: &FlexibleBody,
    rom: &Rom,
    parameters: &[f64],
) -> Result<mechanism::FlexibleBody, Refusal> {
    // The modes are those of the body in its floating frame; the slowest ones are kept.
    let tangent = match body.floating_frame(rom) {
        Some(FloatingFrame::Interface(index)) => Some(index),
        Some(FloatingFrame::MeanAxis) | None => None,
    };
    let (mut omega, mut basis) = elastic_basis(rom, tangent)?;
    let free = omega.first().copied().unwrap_or(f64::INFINITY);
    let kept = body.modes.unwrap_or(usize::MAX).min(omega.len());
    let left_out = LeftOut { shapes: basis.columns_range(kept..).into_owned(), omega: omega.split_off(kept) };
    basis = basis.columns_range(..kept).into_owned();
    // Only linearly implicit schemes may treat fast modes as quasi-static.
    let integrator = model.general.integrator;
    let resolution = model.general.resolution.filter(|_| integrator.is_linearly_implicit()).unwrap_or(f64::INFINITY);
    let FlexibleDesign { rotation: axes, origin } = model.flexible_design(body, parameters);
    let centre = Vec3::from(rom.rigid.centre);
    let blocks = Blocks { rom, basis: &basis, centre };
    // A damping ratio of the model replaces the damping of the file.
    let damping = match &body.damping_ratio {
        Some(ratio) => {
            let ratio = model.resolve(ratio, parameters);
            DMatrix::from_diagonal(&omega.iter().map(|omega| 2.0 * ratio * omega).collect::<Vec<_>>().into())
        }
        None => blocks.project(&rom.damping()),
    };
    // Matrices of the kept modes, and a link for every interface that the model uses.
    let (mut stiffening, axial, loads) = blocks.stiffening(body.stiffening_model(rom));
    blocks.add_rotary(&mut stiffening);
    let used = |index: &usize| model.mentions(&format!("{}.{}", body.name, rom.interfaces[*index].name));
    let interfaces: Vec<usize> =
        (0..rom.interfaces.len()).filter(|&index| Some(index) != tangent).filter(used).collect();
    let unstiffened = unstiffened(body.stiffening_model(rom), rom);
    let lowest = if unstiffened.contains(&true) { lowest_held(rom, free, &interfaces) } else { f64::INFINITY };
    let links = interfaces.iter().map(|&index| blocks.link(&body.name, index, loads)).collect();
    let places = interfaces.iter().map(|&index| origin + axes * Vec3::from(rom.interfaces[index].position)).collect();
    // Indices are preliminary; the mechanism numbers the body later.
    let flexible = Flexible {
        name: body.name.clone(),
        body: 0,
        q: 0..omega.len(),
        v: 0..omega.len(),
        residual: omega.iter().filter(|omega| **omega * model.general.step > resolution).count(),
        tangent: tangent.map(|index| rom.interfaces[index].name.clone()),
        linear: integrator.scheme().linear_bodies,
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
        lowest,
        unstiffened,
        damping: rows(&damping),
        stiffening,
        axial,
        links,
        nodes: blocks.nodes(),
        sections: match body.section_forces {
            SectionForces::ModeAcceleration => blocks.sections_by_loads(&left_out, &interfaces),
            SectionForces::Displacement => {
                blocks.sections_by_displacement(body.stiffening_model(rom) != StiffeningModel::None)
            }
        },
        places: blocks.places(),
    };
    Ok(mechanism::FlexibleBody {
        matrices: flexible,
        interfaces: rom.interfaces.len(),
        links: interfaces,
        centre: origin + axes * centre,
        places,
    })
}

/// Stresses of a section by name.
fn stresses(section: &Section) -> Vec<(String, StressLaw)> {
    let law = |point: &StressPoint| {
        let shear = point.shear.unwrap_or_default();
        match point.derived {
            DerivedStress::None => StressLaw::Normal(point.normal),
            DerivedStress::Shear => StressLaw::Shear(shear),
            DerivedStress::VonMises => StressLaw::Beam(point.normal, shear),
            DerivedStress::TensorVonMises => StressLaw::Tensor(TensorInvariant::VonMises),
            DerivedStress::TensorMaxShear => StressLaw::Tensor(TensorInvariant::MaxShear),
            DerivedStress::TensorPrincipal(k) => StressLaw::Tensor(TensorInvariant::Principal(k)),
        }
    };
    section.points.iter().map(|point| (point.name.clone(), law(point))).collect()
}

/// A warning for every body whose section forces must include geometric stiffness, and whose reduced-order model does
/// not have the rows for it: files older than `geometric` of `[[section]]`.
pub(super) fn unknown_geometric_forces(document: &Document) -> Vec<String> {
    let bodies = document.model.flexible_bodies.iter().zip(&document.roms);
    let wanted = |body: &FlexibleBody, rom: &Rom| {
        body.section_forces == SectionForces::Displacement && body.stiffening_model(rom) != StiffeningModel::None
    };
    let older = bodies.filter(|(body, rom)| {
        // Stresses of a recovery file are sections without these rows.
        wanted(body, rom) && !rom.sections.is_empty() && rom.sections.iter().all(|section| section.geometric.is_empty())
    });
    let words = |(body, _): (&FlexibleBody, &Rom)| {
        format!(
            "the reduced-order model of `{}` has no `geometric` rows, so its section forces use only the linear \
             stiffness; reduce the structure again",
            body.name
        )
    };
    older.map(words).collect()
}

/// A warning for every reduced-order model whose mass matrix has rotary inertia that its integrals do not have: files
/// that are older than `[inertia.rotary]`.
pub(super) fn unknown_inertia(document: &Document) -> Vec<String> {
    let bodies = document.model.flexible_bodies.iter().zip(&document.roms);
    let missing = bodies.filter_map(|(body, rom)| Some((body, missing_inertia(rom)?)));
    missing
        .map(|(body, missing)| {
            format!(
                "the reduced-order model of `{}` does not locate {missing:.3} kg m² of rotary inertia, so gyroscopic \
                 moments of masses and sections are missing; reduce the structure again",
                body.name
            )
        })
        .collect()
}

/// Rotary inertia (kg m²) that is in the mass matrix and missing in the integrals, if it is large enough to matter.
fn missing_inertia(rom: &Rom) -> Option<f64> {
    let inertia = &rom.inertia;
    if inertia.rotary.is_some() || !matches!(inertia.mass_model, MassModel::Linear | MassModel::Lumped) {
        return None;
    }
    let second = symmetric(&inertia.second);
    let skew = Vec3::from(rom.rigid.centre).cross_matrix();
    let whole = symmetric(&rom.rigid.inertia) - skew * skew * rom.rigid.mass;
    let missing = whole - (Mat3::identity() * second.trace() - second);
    let axes = if rom.source.dimension == 2 { 2..3 } else { 0..3 };
    let largest = axes.clone().map(|a| whole[(a, a)]).fold(0.0, larger);
    let most = axes.map(|a| missing[(a, a)]).fold(0.0, larger);
    (most > MISSING_INERTIA * largest).then_some(most)
}

/// ω (rad/s, ascending) and mass-normalised modes (N × n) in the subspace of the frame.
fn elastic_basis(rom: &Rom, tangent: Option<usize>) -> Result<(Vec<f64>, DMatrix<f64>), Refusal> {
    match tangent {
        None => {
            let modes = rom.elastic_modes().map_err(|error| Refusal(error.to_string()))?;
            Ok((modes.omega, modes.shapes))
        }
        Some(index) => {
            let (free, modes) = held_modes(rom, index).map_err(|error| Refusal(error.to_string()))?;
            let mut basis = DMatrix::zeros(rom.size(), free.len());
            for (row, &column) in free.iter().enumerate() {
                basis.row_mut(column).copy_from(&modes.shapes.row(row));
            }
            Ok((modes.omega, basis))
        }
    }
}

/// The remaining coordinates when an interface is held, and the modes in them.
fn held_modes(rom: &Rom, index: usize) -> Result<(Vec<usize>, ElasticModes), ModesError> {
    let held = rom.interfaces[index].columns();
    let free: Vec<usize> = (0..rom.size()).filter(|column| !held.contains(column)).collect();
    let block = |matrix: DMatrix<f64>| matrix.select_rows(&free).select_columns(&free);
    let modes = elastic_modes(&block(rom.stiffness()), &block(rom.mass()), &DMatrix::zeros(free.len(), 0))?;
    Ok((free, modes))
}

/// Axes of C about which rotation does not stiffen the body, according to the reduced-order model.
fn unstiffened(model: StiffeningModel, rom: &Rom) -> [bool; 3] {
    match (model, &rom.stiffening) {
        (StiffeningModel::None, _) => [true; 3],
        (_, Some(known)) => ["xx", "yy", "zz"].map(|axis| {
            let word = known.missing.iter().filter_map(|word| word.strip_prefix("angular_velocity."));
            word.into_iter().any(|word| word == axis)
        }),
        (_, None) => [false; 3],
    }
}

/// The lowest ω² (rad²/s²) of the body: `free` (rad/s) in the subspace of its frame, or with one interface held, if
/// that removes all rigid motions.
fn lowest_held(rom: &Rom, free: f64, interfaces: &[usize]) -> f64 {
    let motions = rom.independent_rigid_motions();
    let holds_all = |index: usize| {
        let held: Vec<usize> = rom.interfaces[index].columns().collect();
        // Angles and lengths are mixed, so only round-off counts as zero.
        held.len() >= motions.ncols() && motions.select_rows(&held).rank(1e-9) == motions.ncols()
    };
    let held = interfaces.iter().filter(|index| holds_all(**index));
    let lowest = held.filter_map(|index| held_modes(rom, *index).ok()?.1.omega.first().copied()).fold(free, f64::min);
    lowest * lowest
}

/// The modes that the model does not keep. They respond statically to their load in the section forces, and nowhere
/// else.
struct LeftOut {
    /// ω in rad/s.
    omega: Vec<f64>,
    /// N × l.
    shapes: DMatrix<f64>,
}

impl LeftOut {
    /// Section forces per load on the coordinates of the reduced-order model: D Φ ω⁻² Φᵀ, 6 × N.
    fn section_forces(&self, displacement: &[Vec<f64>]) -> DMatrix<f64> {
        let columns = self.shapes.nrows();
        let mut forces = DMatrix::from_fn(6, columns, |i, q| displacement[i][q]) * &self.shapes;
        for (mut column, omega) in forces.column_iter_mut().zip(&self.omega) {
            column /= omega * omega;
        }
        forces * self.shapes.transpose()
    }
}

/// ∫ Φ · (ω × (ω × x)) dm per product of ω, N × 6, by the integrals ∫ x_a Φ_b dm of the reduced-order model.
fn centrifugal_loads(rom: &Rom) -> DMatrix<f64> {
    let position = |a: usize, b: usize, q: usize| rom.inertia.position[3 * a + b][q];
    DMatrix::from_fn(rom.size(), 6, |q, p| {
        let (a, b) = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)][p];
        if a == b {
            -(0..3).filter(|&d| d != a).map(|d| position(d, d, q)).sum::<f64>()
        } else {
            position(a, b, q) + position(b, a, q)
        }
    })
}

/// xx, yy, zz, xy, yz, xz.
fn symmetric(values: &[f64; 6]) -> Mat3 {
    let [xx, yy, zz, xy, yz, xz] = *values;
    Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
}

/// Row-major entries; empty when all are zero to rounding, compared with `scale`.
fn rows_or_nothing(matrix: &DMatrix<f64>, scale: f64) -> Vec<f64> {
    if matrix.amax() <= BLOCK_TOLERANCE * scale { Vec::new() } else { rows(matrix) }
}

fn rows(matrix: &DMatrix<f64>) -> Vec<f64> {
    matrix.transpose().as_slice().to_vec()
}

/// Projects the stored data of a reduced-order model.
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
        let scale = squares.iter().map(|square| square.amax()).fold(0.0, larger);
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

    /// Stiffening by the motion of the frame, by axial modes, and by loads at interfaces.
    #[allow(clippy::type_complexity)]
    fn stiffening(&self, wanted: StiffeningModel) -> (Stiffening, Vec<(Vec<f64>, Vec<f64>)>, &[StiffeningLoad]) {
        let nothing = (Stiffening::default(), Vec::new(), &[][..]);
        let Some(all) = &self.rom.stiffening else { return nothing };
        let axial = |count: usize| {
            let part = |axial: &ballesta_model::rom::rom_schema::AxialStiffening| {
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

    /// The blocks of the motion of C, transformed to the motion of B's origin: with c from C's origin to B's, a_C = a_B
    /// − α × c − ω × (ω × c).
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
        let scale = |list: &[DMatrix<f64>]| list.iter().map(|matrix| matrix.amax()).fold(0.0, larger);
        let kept = |list: &[DMatrix<f64>], index: usize| rows_or_nothing(&list[index], scale(list));
        Stiffening {
            translation: std::array::from_fn(|a| kept(&moved, a)),
            rotation: std::array::from_fn(|a| kept(&turned, a)),
            products: std::array::from_fn(|p| kept(&spun, p)),
        }
    }

    /// Adds the finite rotation of sections and masses, which has no part in translations: any origin will do.
    fn add_rotary(&self, stiffening: &mut Stiffening) {
        let Some(rotary) = &self.rom.inertia.rotary else { return };
        let rotation = rotary.rotation.iter().zip(&mut stiffening.rotation);
        for (packed, block) in rotation.chain(rotary.angular_velocity.iter().zip(&mut stiffening.products)) {
            let own = self.project_packed(packed);
            if block.is_empty() {
                *block = rows_or_nothing(&own, 1.0);
            } else {
                block.iter_mut().zip(rows(&own)).for_each(|(entry, own)| *entry += own);
            }
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
        self.rom.nodes.iter().map(|node| self.node(node)).collect()
    }

    fn node(&self, node: &ballesta_model::rom::rom_schema::Node) -> NodeShape {
        NodeShape {
            name: node.name.clone(),
            position: Vec3::from(node.position) - self.centre,
            shape: self.six(&node.displacement),
        }
    }

    /// Interfaces and output nodes. An interface without rotations has none in its rows.
    fn places(&self) -> Vec<NodeShape> {
        let interface = |interface: &ballesta_model::rom::rom_schema::Interface| {
            let mut column = interface.first_column;
            let shape = std::array::from_fn(|direction| {
                column += usize::from(interface.active[direction]);
                let row = || self.basis.row(column - 1).iter().copied().collect();
                if interface.active[direction] { row() } else { vec![0.0; self.basis.ncols()] }
            });
            let position = Vec3::from(interface.position) - self.centre;
            NodeShape { name: interface.name.clone(), position, shape }
        };
        let nodes = self.rom.nodes.iter().filter(|node| !node.recovered).map(|node| self.node(node));
        self.rom.interfaces.iter().map(interface).chain(nodes).collect()
    }

    /// Internal forces D T η of the displacements alone; `stiffened`: including the geometric stiffness.
    fn sections_by_displacement(&self, stiffened: bool) -> Vec<SectionShape> {
        let section = |section: &Section| SectionShape {
            name: section.name.clone(),
            displacement: self.six(&section.displacement),
            geometric: (stiffened && !section.geometric.is_empty()).then(|| self.six(&section.geometric)),
            acceleration: std::array::from_fn(|_| vec![0.0; self.basis.ncols()]),
            rigid: [[0.0; 6]; 6],
            centrifugal: [[0.0; 6]; 6],
            loads: Vec::new(),
            points: stresses(section),
        };
        self.rom.sections.iter().map(section).collect()
    }

    /// Internal forces with the static response of the modes left out to loads and inertia forces. `links`: the
    /// interfaces in use.
    fn sections_by_loads(&self, left_out: &LeftOut, links: &[usize]) -> Vec<SectionShape> {
        // Inertia forces of rigid motions and centrifugal loads of the body.
        let motions = self.rom.rigid_motions();
        let inertia = self.rom.mass() * &motions;
        let turning = centrifugal_loads(self.rom);
        let section = |section: &Section| {
            // Section forces by the acceleration of the frame.
            let mut rigid: [[f64; 6]; 6] = std::array::from_fn(|i| {
                let row = RowDVector::from_row_slice(&section.acceleration[i]) * &motions;
                std::array::from_fn(|k| row[k])
            });
            let mut centrifugal = std::array::from_fn(|i| section.centrifugal.get(i).copied().unwrap_or_default());
            let mut loads = Vec::new();
            // Modes that were truncated respond statically to the same loads; their part is subtracted.
            if !left_out.omega.is_empty() {
                let answer = left_out.section_forces(&section.displacement);
                let (by_frame, by_turning) = (&answer * &inertia, &answer * &turning);
                for (i, k) in (0..6).flat_map(|i| (0..6).map(move |k| (i, k))) {
                    rigid[i][k] -= by_frame[(i, k)];
                    centrifugal[i][k] -= by_turning[(i, k)];
                }
                loads = links.iter().map(|&index| self.at_interface(index, &answer)).collect();
            }
            // Elastic part in the retained coordinates.
            SectionShape {
                name: section.name.clone(),
                displacement: self.six(&section.displacement),
                geometric: None,
                acceleration: self.six(&section.acceleration),
                rigid,
                centrifugal,
                loads,
                points: stresses(section),
            }
        };
        self.rom.sections.iter().map(section).collect()
    }

    /// The columns of the directions of an interface; zero for missing directions.
    fn at_interface(&self, index: usize, rows: &DMatrix<f64>) -> [[f64; 6]; 6] {
        let interface = &self.rom.interfaces[index];
        let mut columns = [None; 6];
        let mut next = interface.first_column;
        for (column, active) in columns.iter_mut().zip(interface.active) {
            if active {
                *column = Some(next);
                next += 1;
            }
        }
        std::array::from_fn(|i| columns.map(|column| column.map_or(0.0, |column| rows[(i, column)])))
    }
}
