//! Small bodies, assembled and reduced densely, independent of the finite elements of the library.

use ballesta::rom::elastic_modes::{elastic_modes, pack};
use ballesta::rom::rom_schema::*;
use nalgebra::{DMatrix, Matrix3, Matrix6, SMatrix, Vector3};

/// A free structure of bars or beams with its interface nodes.
pub struct Body {
    pub nodes: Vec<[f64; 3]>,
    pub members: Vec<[usize; 2]>,
    /// Beams (Euler-Bernoulli) or bars without bending.
    pub beams: bool,
    /// Directions 0..6 that every node has.
    pub directions: Vec<usize>,
    pub interfaces: Vec<usize>,
    pub modes: usize,
}

/// Steel with a square section of 20 mm.
const YOUNG: f64 = 2.1e11;
const DENSITY: f64 = 7850.0;
const SIDE: f64 = 0.02;

/// Modal damping of every body.
pub const DAMPING_RATIO: f64 = 0.02;

impl Body {
    /// A bent beam in space with two interfaces.
    pub fn frame(elements: usize, modes: usize) -> Body {
        let node = |i: usize| {
            let s = i as f64 / elements as f64;
            [1.2 * s + 0.3, 0.4 * s * s, 0.1 - 0.2 * s * (1.0 - s)]
        };
        Body {
            nodes: (0..=elements).map(node).collect(),
            members: (0..elements).map(|i| [i, i + 1]).collect(),
            beams: true,
            directions: (0..6).collect(),
            interfaces: vec![0, elements],
            modes,
        }
    }

    /// The same in the plane.
    pub fn plane_frame(elements: usize, modes: usize) -> Body {
        let mut body = Body::frame(elements, modes);
        body.nodes.iter_mut().for_each(|node| node[2] = 0.0);
        body.directions = vec![0, 1, 5];
        body
    }

    /// A plane truss of `bays` squares with interfaces at both lower corners.
    pub fn plane_truss(bays: usize, modes: usize) -> Body {
        let nodes = (0..=bays).flat_map(|i| [[2.0 * i as f64, 0.0, 0.0], [2.0 * i as f64, 2.0, 0.0]]).collect();
        let mut members: Vec<[usize; 2]> = (0..=bays).map(|i| [2 * i, 2 * i + 1]).collect();
        members.extend((0..bays).flat_map(|i| [[2 * i, 2 * i + 2], [2 * i + 1, 2 * i + 3], [2 * i + 1, 2 * i + 2]]));
        Body { nodes, members, beams: false, directions: vec![0, 1], interfaces: vec![0, 2 * bays], modes }
    }

    /// A mast of tetrahedral cells with three interfaces at its foot and one at its top: translations only.
    pub fn mast(cells: usize, modes: usize) -> Body {
        let nodes: Vec<[f64; 3]> = (0..3 + cells)
            .map(|i| {
                let angle = 2.0 * std::f64::consts::PI * (i % 3) as f64 / 3.0;
                [angle.cos(), angle.sin(), 0.6 * i as f64]
            })
            .collect();
        let mut members = vec![[0, 1], [1, 2], [0, 2]];
        members.extend((3..nodes.len()).flat_map(|i| [[i - 3, i], [i - 2, i], [i - 1, i]]));
        let last = nodes.len() - 1;
        Body { nodes, members, beams: false, directions: vec![0, 1, 2], interfaces: vec![0, 1, 2, last], modes }
    }

    /// K, M (all directions given, nodes in order) and rigid motions.
    fn assemble(&self, directions: &[usize]) -> [DMatrix<f64>; 3] {
        let (n, width) = (self.nodes.len(), directions.len());
        let mut k = DMatrix::zeros(n * width, n * width);
        let mut m = k.clone();
        for member in &self.members {
            let (stiffness, mass) = element(&self.nodes[member[0]], &self.nodes[member[1]], self.beams);
            for (i, j) in (0..2 * width).flat_map(|i| (0..2 * width).map(move |j| (i, j))) {
                let at = |i: usize| (member[i / width] * width + i % width, 6 * (i / width) + directions[i % width]);
                let ((row, local_row), (column, local_column)) = (at(i), at(j));
                k[(row, column)] += stiffness[(local_row, local_column)];
                m[(row, column)] += mass[(local_row, local_column)];
            }
        }
        let rigid =
            DMatrix::from_fn(n * width, 6, |i, j| rigid_motion(&self.nodes[i / width])[(directions[i % width], j)]);
        [k, m, rigid]
    }

    /// Craig-Bampton reduction, the integrals with half the mass of each member at its ends. What it does not compute
    /// (stiffening, sections) is filled with numbers of some pattern.
    pub fn reduce(&self, with_stiffening: bool) -> Rom {
        let width = self.directions.len();
        let [k, m, rigid] = self.assemble(&self.directions);
        let boundary: Vec<usize> =
            self.interfaces.iter().flat_map(|node| (0..width).map(move |d| node * width + d)).collect();
        let interior: Vec<usize> = (0..k.nrows()).filter(|i| !boundary.contains(i)).collect();
        let part = |a: &DMatrix<f64>, rows: &[usize], columns: &[usize]| a.select_rows(rows).select_columns(columns);
        let (k_ii, m_ii) = (part(&k, &interior, &interior), part(&m, &interior, &interior));
        let fixed = elastic_modes(&k_ii, &m_ii, &DMatrix::zeros(interior.len(), 0)).expect("a held body");
        let psi = -k_ii.cholesky().expect("held").solve(&part(&k, &interior, &boundary));
        let (b, n) = (boundary.len(), boundary.len() + self.modes);
        let mut basis = DMatrix::zeros(k.nrows(), n);
        boundary.iter().enumerate().for_each(|(j, i)| basis[(*i, j)] = 1.0);
        for (row, i) in interior.iter().enumerate() {
            (0..b).for_each(|j| basis[(*i, j)] = psi[(row, j)]);
            (0..self.modes).for_each(|j| basis[(*i, b + j)] = fixed.shapes[(row, j)]);
        }
        let mut stiffness = basis.tr_mul(&(&k * &basis));
        for i in 0..n {
            (0..n).filter(|j| i.max(*j) >= b && i != *j).for_each(|j| stiffness[(i, j)] = 0.0);
        }
        let mass = basis.tr_mul(&(&m * &basis));
        let (stiffness, mass) = (0.5 * (&stiffness + stiffness.transpose()), 0.5 * (&mass + mass.transpose()));
        // Of the columns of R only those of motions inside the span of the directions.
        let plane = self.directions.iter().all(|d| [0, 1, 5].contains(d));
        let known = |j: usize| !plane || [0, 1, 5].contains(&j);
        let motion = |i: usize, j: usize| if i < b && known(j) { rigid[(boundary[i], j)] } else { 0.0 };
        let motions: Vec<[f64; 6]> = (0..n).map(|i| std::array::from_fn(|j| motion(i, j))).collect();
        let columns: Vec<usize> = (0..6).filter(|j| known(*j)).collect();
        let independent = DMatrix::from_fn(n, columns.len(), |i, j| motion(i, columns[j]));
        let free = elastic_modes(&stiffness, &mass, &independent).expect("a free body");
        let rate = DMatrix::from_diagonal(&nalgebra::DVector::from_iterator(
            free.omega.len(),
            free.omega.iter().map(|omega| 2.0 * DAMPING_RATIO * omega),
        ));
        let momentum = &mass * &free.shapes;
        let damping = &momentum * rate * momentum.transpose();
        let hertz = |omega: &f64| omega / (2.0 * std::f64::consts::PI);
        let block = |seed: usize, length: usize| (0..length).map(|i| pattern(seed + i)).collect::<Vec<f64>>();
        let blocks = |seed: usize, count: usize, length: usize| {
            (0..count).map(|i| block(seed + 31 * i, length)).collect::<Vec<_>>()
        };
        let packed = n * (n + 1) / 2;
        let names = |i: usize| format!("end_{i}");
        let middle = self.nodes.len() / 2;
        let rigid_part = self.mass_properties(motions);
        // What M R says about the modes, with the rotations about the centre of mass.
        let centre = Vector3::from(rigid_part.centre);
        let motions = DMatrix::from_fn(n, 6, |i, j| rigid_part.motions[i][j]);
        let effective = |mode: usize| {
            let row = mass.row(b + mode) * &motions;
            let about = |c: usize| match c {
                0..3 => row[c],
                _ => row[c] - (row.columns(0, 3) * Vector3::ith(c - 3, 1.0).cross(&centre))[0],
            };
            std::array::from_fn(|c| if known(c) { about(c).powi(2) } else { 0.0 })
        };
        // No rigid motion causes internal forces.
        let gram = independent.tr_mul(&independent).try_inverse().expect("independent motions");
        let strain = DMatrix::identity(n, n) - &independent * gram * independent.transpose();
        let forces = |seed: usize| -> Vec<Vec<f64>> {
            let rows = DMatrix::from_fn(6, n, |i, j| pattern(seed + 31 * i + j)) * &strain;
            rows.row_iter().map(|row| row.iter().copied().collect()).collect()
        };
        let displacement = |node: usize| {
            let row = |d: usize| match self.directions.iter().position(|direction| *direction == d) {
                Some(at) => basis.row(node * width + at).iter().copied().collect(),
                None => vec![0.0; n],
            };
            (0..6).map(row).collect::<Vec<Vec<f64>>>()
        };
        Rom {
            format: FORMAT.to_string(),
            version: VERSION,
            name: "sample".to_string(),
            source: Source {
                program: "ballesta".to_string(),
                file: "sample.toml".to_string(),
                sha256: "0".repeat(64),
                dimension: if plane { 2 } else { 3 },
                nodes: self.nodes.len(),
                elements: self.members.len(),
                dofs: k.nrows(),
            },
            interfaces: self
                .interfaces
                .iter()
                .enumerate()
                .map(|(i, node)| Interface {
                    name: names(i),
                    node: format!("n{node}"),
                    position: self.nodes[*node],
                    quaternion: [1.0, 0.0, 0.0, 0.0],
                    coupling: Coupling::Node,
                    active: std::array::from_fn(|d| self.directions.contains(&d)),
                    first_column: i * width,
                })
                .collect(),
            modes: Modes {
                frequencies_hz: fixed.omega.iter().take(self.modes).map(hertz).collect(),
                residual: 0,
                effective_mass: (0..self.modes).map(effective).collect(),
                load_cases: Vec::new(),
            },
            matrices: Matrices {
                size: n,
                stiffness: pack(&stiffness),
                mass: pack(&mass),
                damping: pack(&(0.5 * (&damping + damping.transpose()))),
            },
            rigid: rigid_part,
            inertia: self.integrals(&basis),
            stiffening: with_stiffening.then(|| Stiffening {
                missing: Vec::new(),
                support: names(0),
                translation: blocks(5, 3, packed),
                rotation: blocks(6, 3, packed),
                angular_velocity: blocks(7, 6, packed),
                loads: (0..2)
                    .flat_map(|i| self.directions.iter().map(move |d| (i, *d)))
                    .map(|(i, d)| StiffeningLoad {
                        interface: names(i),
                        direction: ["x", "y", "z", "rx", "ry", "rz"][d].to_string(),
                        stiffness: block(8 + d, packed),
                    })
                    .collect(),
                axial: vec![AxialStiffening {
                    // Of the last mode: nothing in rigid motions.
                    force: (0..n).map(|q| if q + 1 == n { 0.7 } else { 0.0 }).collect(),
                    stiffness: block(15, packed),
                }],
                foreshortening: Some(Foreshortening {
                    translation: blocks(16, 3, packed),
                    rotation: blocks(17, 3, packed),
                    angular_velocity: blocks(18, 6, packed),
                    loads: vec![StiffeningLoad {
                        interface: names(1),
                        direction: "x".to_string(),
                        stiffness: block(19, packed),
                    }],
                }),
            }),
            nodes: [middle, 1, middle + 1]
                .iter()
                .take(if with_stiffening { 3 } else { 1 })
                .enumerate()
                .map(|(i, node)| Node {
                    name: format!("out_{i}"),
                    position: self.nodes[*node],
                    displacement: displacement(*node),
                    recovered: false,
                })
                .collect(),
            sections: (0..if with_stiffening { 3 } else { 0 })
                .map(|i| Section {
                    name: format!("cut_{i}"),
                    element: format!("e{i}"),
                    position: [0.1; 3],
                    axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
                    displacement: forces(9),
                    acceleration: blocks(10, 6, n),
                    geometric: Vec::new(),
                    centrifugal: (0..6).map(|row| std::array::from_fn(|k| pattern(6 * row + k))).collect(),
                    points: (0..i)
                        .map(|k| StressPoint {
                            shear: (k > 0).then(|| [0, 1].map(|i| std::array::from_fn(|j| pattern(j + k + 7 * i)))),
                            ..StressPoint::normal(format!("p{k}"), std::array::from_fn(|j| pattern(j + k)))
                        })
                        .collect(),
                })
                .collect(),
            checks: Checks {
                full_rigid_stiffness: 1e-13,
                rigid_stiffness: 1e-13,
                rigid_modes: columns.len(),
                modes_counted: self.modes,
                modes_found: self.modes,
                free_frequencies_hz: free.omega.iter().map(hertz).collect(),
                mass_condition: free.mass_condition,
            },
        }
    }

    /// Integrals of the basis, half the mass of each member at each of its ends.
    fn integrals(&self, basis: &DMatrix<f64>) -> Inertia {
        let place = |node: usize| Vector3::from(self.nodes[node]);
        let mut masses = vec![0.0; self.nodes.len()];
        for [start, end] in &self.members {
            let half = 0.5 * DENSITY * SIDE * SIDE * (place(*end) - place(*start)).norm();
            masses[*start] += half;
            masses[*end] += half;
        }
        let (nodes, width) = (self.nodes.len(), self.directions.len());
        let weight = DMatrix::from_fn(nodes, nodes, |i, j| if i == j { masses[i] } else { 0.0 });
        let field: [DMatrix<f64>; 3] = std::array::from_fn(|a| {
            let at = self.directions.iter().position(|direction| *direction == a);
            DMatrix::from_fn(nodes, basis.ncols(), |node, q| at.map_or(0.0, |at| basis[(node * width + at, q)]))
        });
        let places = DMatrix::from_fn(nodes, 3, |node, a| self.nodes[node][a]);
        let first = (0..nodes).fold(Vector3::zeros(), |sum, node| sum + masses[node] * place(node));
        let second = places.tr_mul(&(&weight * &places));
        let row = |factor: &DMatrix<f64>, b: usize| (factor.tr_mul(&(&weight * &field[b]))).iter().copied().collect();
        let one = DMatrix::from_element(nodes, 1, 1.0);
        let between = |a: usize, b: usize| field[a].tr_mul(&(&weight * &field[b]));
        Inertia {
            mass_model: MassModel::Lumped,
            covariance: 0.0,
            first: first.into(),
            second: [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)].map(|(a, b)| second[(a, b)]),
            translation: (0..3).map(|b| row(&one, b)).collect(),
            position: (0..9).map(|ab| row(&places.columns(ab / 3, 1).into_owned(), ab % 3)).collect(),
            square: (0..3).map(|a| pack(&between(a, a))).collect(),
            product: [(0, 1), (1, 2), (2, 0)]
                .map(|(a, b)| between(a, b).transpose().iter().copied().collect())
                .to_vec(),
            rotary: None,
        }
    }

    /// Mass, centre and inertia of all directions that the members have in space.
    fn mass_properties(&self, motions: Vec<[f64; 6]>) -> Rigid {
        let all: Vec<usize> = if self.beams { (0..6).collect() } else { (0..3).collect() };
        let [_, m, rigid] = self.assemble(&all);
        let total: Matrix6<f64> = Matrix6::from_fn(|i, j| rigid.column(i).dot(&(&m * rigid.column(j))));
        let mass = total[(0, 0)];
        // The block of translations and rotations is −m c̃.
        let centre = Vector3::new(total[(1, 5)], total[(2, 3)], total[(0, 4)]) / mass;
        let skew = centre.cross_matrix();
        let j: Matrix3<f64> = total.fixed_view::<3, 3>(3, 3) + mass * skew * skew;
        Rigid {
            mass,
            centre: centre.into(),
            inertia: [j[(0, 0)], j[(1, 1)], j[(2, 2)], j[(0, 1)], j[(1, 2)], j[(0, 2)]],
            motions,
        }
    }
}

/// Numbers of any size with all their digits.
fn pattern(i: usize) -> f64 {
    let x = (i as f64 * 0.754_877_666_246_692_7).fract() - 0.5;
    x * 10f64.powi((i % 13) as i32 - 6)
}

/// Displacements of a node in the six unit rigid motions.
pub fn rigid_motion(position: &[f64; 3]) -> Matrix6<f64> {
    let mut motion = Matrix6::identity();
    motion.fixed_view_mut::<3, 3>(0, 3).copy_from(&-Vector3::from(*position).cross_matrix());
    motion
}

/// Stiffness and consistent mass of a member in common axes.
fn element(start: &[f64; 3], end: &[f64; 3], beam: bool) -> (SMatrix<f64, 12, 12>, SMatrix<f64, 12, 12>) {
    let along = Vector3::from(*end) - Vector3::from(*start);
    let l = along.norm();
    let x = along / l;
    let aside = if x.z.abs() < 0.9 { Vector3::z() } else { Vector3::x() };
    let y = aside.cross(&x).normalize();
    let axes = Matrix3::from_rows(&[x.transpose(), y.transpose(), x.cross(&y).transpose()]);
    let mut turn = SMatrix::<f64, 12, 12>::zeros();
    (0..4).for_each(|i| turn.fixed_view_mut::<3, 3>(3 * i, 3 * i).copy_from(&axes));
    let (area, inertia) = (SIDE * SIDE, SIDE.powi(4) / 12.0);
    let mut k = SMatrix::<f64, 12, 12>::zeros();
    let mut m = k;
    let mut pair = |i: usize, stiffness: f64, mass: f64| {
        for (a, b) in [(i, i), (i + 6, i + 6), (i, i + 6), (i + 6, i)] {
            k[(a, b)] += if a == b { stiffness } else { -stiffness };
            m[(a, b)] += if a == b { mass / 3.0 } else { mass / 6.0 };
        }
    };
    let line = DENSITY * area * l;
    pair(0, YOUNG * area / l, line);
    if !beam {
        pair(1, 0.0, line);
        pair(2, 0.0, line);
    } else {
        pair(3, YOUNG / 2.6 * 1.69 * inertia / l, DENSITY * 2.0 * inertia * l);
        // Bending in xy with rotation about z, and in xz with rotation about −y.
        for (v, r, s) in [(1, 5, 1.0), (2, 4, -1.0)] {
            let at = [v, r, v + 6, r + 6];
            let h = l * s;
            let bending = [
                [12.0, 6.0 * h, -12.0, 6.0 * h],
                [6.0 * h, 4.0 * l * l, -6.0 * h, 2.0 * l * l],
                [-12.0, -6.0 * h, 12.0, -6.0 * h],
                [6.0 * h, 2.0 * l * l, -6.0 * h, 4.0 * l * l],
            ];
            let inertial = [
                [156.0, 22.0 * h, 54.0, -13.0 * h],
                [22.0 * h, 4.0 * l * l, 13.0 * h, -3.0 * l * l],
                [54.0, 13.0 * h, 156.0, -22.0 * h],
                [-13.0 * h, -3.0 * l * l, -22.0 * h, 4.0 * l * l],
            ];
            for (i, j) in (0..4).flat_map(|i| (0..4).map(move |j| (i, j))) {
                k[(at[i], at[j])] += YOUNG * inertia / l.powi(3) * bending[i][j];
                m[(at[i], at[j])] += line / 420.0 * inertial[i][j];
            }
        }
    }
    (turn.transpose() * k * turn, turn.transpose() * m * turn)
}
