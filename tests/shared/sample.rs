//! A small frame, computed here, and its matrices as other programs would write them: nothing of this knows the
//! readers.
//!
//! Three Euler-Bernoulli beams along x, y and z meet at node 11; free of supports; 4 nodes of 6 degrees of freedom.

use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Node numbers, ascending, and places in m.
pub const NODES: [(usize, [f64; 3]); 4] =
    [(3, [0.75, 0.1, -0.2]), (7, [0.25, 0.725, -0.2]), (11, [0.25, 0.1, -0.2]), (20, [0.25, 0.1, 0.3])];

const AXIAL: f64 = 2.1e11 * 4e-4;
const BENDING: f64 = 2.1e11 * 1.3e-8;
const TORSION: f64 = 8.1e10 * 2.2e-8;
const LINE_MASS: f64 = 7850.0 * 4e-4;
const POLAR_INERTIA: f64 = 7850.0 * 2.6e-8;

/// Stiffness and mass in SI, 24 × 24; row 6·i + d is direction d of the i-th node.
pub struct Sample {
    pub stiffness: Vec<Vec<f64>>,
    pub mass: Vec<Vec<f64>>,
}

impl Sample {
    pub fn new() -> Self {
        let mut sample = Sample { stiffness: vec![vec![0.0; 24]; 24], mass: vec![vec![0.0; 24]; 24] };
        for (axis, end) in [(0, 0), (1, 1), (2, 3)] {
            sample.add_beam(axis, 2, end);
        }
        sample
    }

    /// A beam from node index `from` to `to` in the positive direction of an axis of C.
    fn add_beam(&mut self, axis: usize, from: usize, to: usize) {
        let length = NODES[to].1[axis] - NODES[from].1[axis];
        let (y, z) = ((axis + 1) % 3, (axis + 2) % 3);
        let row = |end: usize, direction: usize| 6 * [from, to][end] + direction;
        let mut add = |rows: &[usize], stiffness: &[&[f64]], mass: &[&[f64]]| {
            for (i, row) in rows.iter().enumerate() {
                for (j, column) in rows.iter().enumerate() {
                    self.stiffness[*row][*column] += stiffness[i][j];
                    self.mass[*row][*column] += mass[i][j];
                }
            }
        };
        for (direction, stiffness, inertia) in [(axis, AXIAL, LINE_MASS), (3 + axis, TORSION, POLAR_INERTIA)] {
            let (k, m) = (stiffness / length, inertia * length / 6.0);
            add(&[row(0, direction), row(1, direction)], &[&[k, -k], &[-k, k]], &[&[2.0 * m, m], &[m, 2.0 * m]]);
        }
        // Deflection along y turns about +z, deflection along z about −y.
        for (deflection, rotation, sign) in [(y, 3 + z, 1.0), (z, 3 + y, -1.0)] {
            let rows = [row(0, deflection), row(0, rotation), row(1, deflection), row(1, rotation)];
            let (k, m, l, ll) = (BENDING / length.powi(3), LINE_MASS * length / 420.0, sign * length, length * length);
            add(
                &rows,
                &[
                    &[12.0 * k, 6.0 * k * l, -12.0 * k, 6.0 * k * l],
                    &[6.0 * k * l, 4.0 * k * ll, -6.0 * k * l, 2.0 * k * ll],
                    &[-12.0 * k, -6.0 * k * l, 12.0 * k, -6.0 * k * l],
                    &[6.0 * k * l, 2.0 * k * ll, -6.0 * k * l, 4.0 * k * ll],
                ],
                &[
                    &[156.0 * m, 22.0 * m * l, 54.0 * m, -13.0 * m * l],
                    &[22.0 * m * l, 4.0 * m * ll, 13.0 * m * l, -3.0 * m * ll],
                    &[54.0 * m, 13.0 * m * l, 156.0 * m, -22.0 * m * l],
                    &[-13.0 * m * l, -3.0 * m * ll, -22.0 * m * l, 4.0 * m * ll],
                ],
            );
        }
    }

    /// The matrices in other units: of `length` m, with factors for displacementᵀ·matrix·displacement.
    pub fn scaled(&self, length: f64, stiffness: f64, mass: f64) -> Sample {
        let factor = |row: usize| if row % 6 < 3 { length } else { 1.0 };
        let change = |matrix: &[Vec<f64>], energy: f64| -> Vec<Vec<f64>> {
            let row = |i: usize| (0..24).map(|j| matrix[i][j] * factor(i) * factor(j) * energy).collect();
            (0..24).map(row).collect()
        };
        Sample { stiffness: change(&self.stiffness, stiffness), mass: change(&self.mass, mass) }
    }
}

/// The order in which the files number the rows: not that of the nodes.
pub fn order() -> Vec<usize> {
    (0..24).map(|i| (7 * i + 5) % 24).collect()
}

fn label(row: usize) -> (usize, usize) {
    (NODES[row / 6].0, row % 6 + 1)
}

fn entries(matrix: &[Vec<f64>], rows: &[usize], keep: impl Fn(usize, usize) -> bool) -> Vec<(usize, usize, f64)> {
    let all = (0..24).flat_map(|i| (0..24).map(move |j| (i, j)));
    all.filter(|(i, j)| keep(*i, *j))
        .map(|(i, j)| (i, j, matrix[rows[i]][rows[j]]))
        .filter(|(_, _, v)| *v != 0.0)
        .collect()
}

pub fn matrix_market(matrix: &[Vec<f64>], array: bool, symmetric: bool) -> String {
    let (rows, half) = (order(), |i: usize, j: usize| !symmetric || i >= j);
    let symmetry = if symmetric { "symmetric" } else { "general" };
    if array {
        let mut text = format!("%%MatrixMarket matrix array real {symmetry}\n% by columns\n24 24\n");
        for j in 0..24 {
            for i in (0..24).filter(|i| half(*i, j)) {
                writeln!(text, "{:.16e}", matrix[rows[i]][rows[j]]).expect("text grows");
            }
        }
        return text;
    }
    let entries = entries(matrix, &rows, half);
    let mut text = format!("%%MatrixMarket matrix coordinate real {symmetry}\n%\n24 24 {}\n", entries.len());
    for (i, j, value) in entries {
        writeln!(text, "{} {} {value:.16e}", i + 1, j + 1).expect("text grows");
    }
    text
}

pub fn abaqus_labels(matrix: &[Vec<f64>]) -> String {
    let rows = order();
    let mut text = "** assembled by a test\n".to_string();
    for (i, j, value) in entries(matrix, &rows, |i, j| i >= j) {
        let ((node, direction), (other, other_direction)) = (label(rows[i]), label(rows[j]));
        writeln!(text, "{node},{direction}, {other},{other_direction}, {value:.16e}").expect("text grows");
    }
    text
}

pub fn abaqus_coordinate(matrix: &[Vec<f64>]) -> String {
    let line = |(i, j, value): (usize, usize, f64)| format!("{:10} {:10} {value:.16e}\n", i + 1, j + 1);
    entries(matrix, &order(), |_, _| true).into_iter().map(line).collect()
}

pub fn calculix(matrix: &[Vec<f64>]) -> String {
    let line = |(i, j, value): (usize, usize, f64)| format!("{} {}  {value:.16e}\n", i + 1, j + 1);
    entries(matrix, &order(), |i, j| i <= j).into_iter().map(line).collect()
}

/// `*`-cards of 16 columns with 10 digits, or cards with commas and all digits.
pub fn nastran(name: &str, matrix: &[Vec<f64>], long: bool) -> String {
    let rows = order();
    let mut text = format!("$ assembled by a test\nDMIG    {name:<8}       0       6       2       0\n");
    for j in 0..24 {
        let (node, direction) = label(rows[j]);
        let column = entries(matrix, &rows, |i, k| k == j && i >= j);
        match long {
            true => writeln!(text, "DMIG*   {name:<16}{node:>16}{direction:>16}"),
            false => write!(text, "DMIG,{name},{node},{direction},"),
        }
        .expect("text grows");
        for (i, _, value) in column {
            let (node, direction) = label(rows[i]);
            let number = format!("{value:.9e}").replace('e', "D");
            match long {
                true => writeln!(text, "*       {node:>16}{direction:>16}{number:>16}"),
                false => write!(text, ",{node},{direction},{value:.16e},\n+"),
            }
            .expect("text grows");
        }
        if !long {
            text.truncate(text.len() - 2);
            text.push('\n');
        }
    }
    text
}

pub fn row_map() -> String {
    // Lines in any order: the row is the first number.
    let line = |row: usize| {
        let (node, direction) = label(order()[row]);
        format!("{} {node} {}\n", row + 1, ["x", "y", "z", "rx", "ry", "rz"][direction - 1])
    };
    "# row node direction\n".to_string() + &(0..24).rev().map(line).collect::<String>()
}

/// The map of a body that is reduced already: the directions of node 11 are its modal coordinates.
pub fn modal_map() -> String {
    let directions = ["x", "y", "z", "rx", "ry", "rz"].iter().enumerate();
    directions.fold(row_map(), |map, (i, name)| map.replace(&format!(" 11 {name}\n"), &format!(" modal {}\n", i + 1)))
}

pub fn label_map() -> String {
    order().into_iter().map(label).map(|(node, direction)| format!("{node}.{direction}\n")).collect()
}

pub fn csv(length: f64) -> String {
    let line = |(node, [x, y, z]): &(usize, [f64; 3])| {
        let sets = if x > &0.5 { "TIPS ALONG_X" } else { "TIPS" };
        let sets = if *node == 11 { "" } else { sets };
        format!("{node}, {:.16e}, {:.16e}, {:.16e}, {sets}\n", x * length, y * length, z * length)
    };
    "node, x, y, z, sets\n".to_string() + &NODES.iter().rev().map(line).collect::<String>()
}

pub fn deck() -> String {
    let mut text = "*HEADING\n frame, of a test\n*Node, nset=Nall\n".to_string();
    for (node, [x, y, z]) in NODES {
        writeln!(text, "{node}, {x}, {y}, {z}").expect("text grows");
    }
    text + "*ELEMENT, TYPE=B31\n1, 11, 3\n2, 11, 7\n*Nset, nset=Ends, generate\n 3, 7, 4\n*NSET, NSET=TIPS\nends, 20,\n\
            *NSET, NSET=along_x\n3\n"
}

pub fn grids() -> String {
    let [a, b, c, d] = NODES.map(|(node, [x, y, z])| (node, x, y, z));
    format!(
        "BEGIN BULK\nGRID    {:>8}{:>8}{:>8}{:>8}{:>8}\nGRID*   {:>16}{:>16}{:>16}{:>16}\n*       {:>16}\n\
         GRID,{},,{:?},{:?},{:?}\nGRID    {:<8}        {:<8}{:<8}3.-1\nENDDATA\n",
        a.0, "", a.1, a.2, a.3, b.0, 0, b.1, b.2, b.3, c.0, c.1, c.2, c.3, d.0, d.1, d.2
    )
}

/// Writes a file of the sample.
pub fn put(folder: &Path, name: &str, text: &str) -> String {
    fs::write(folder.join(name), text).expect("writable");
    name.to_string()
}
