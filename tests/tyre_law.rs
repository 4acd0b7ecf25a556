//! The Magic Formula against independent evaluations, symmetries and differences.

use ballesta::tyre::{self, Input, Law, Properties, Side};

fn properties(name: &str) -> Properties {
    let bytes = std::fs::read(format!("tests/tyres/{name}")).expect("the tyre is there");
    tyre::read(&tyre::decode(&bytes), name).unwrap_or_else(|diagnostics| panic!("{diagnostics}"))
}

fn law(name: &str) -> Law {
    Law::new(&properties(name), Side::Left)
}

/// Rows of numbers of a CSV file with a header.
fn rows(path: &str) -> Vec<Vec<f64>> {
    let text = std::fs::read_to_string(path).expect("the reference is there");
    text.lines().skip(1).map(|line| line.split(',').map(|cell| cell.parse().expect("a number")).collect()).collect()
}

/// The largest distance of results from the reference, column by column.
fn largest_difference(reference: &[Vec<f64>], first: usize, results: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let mut largest = vec![0.0; reference[0].len() - first];
    for row in reference {
        for ((largest, expected), result) in largest.iter_mut().zip(&row[first..]).zip(results(row)) {
            *largest = f64::max(*largest, if result.is_finite() { (result - expected).abs() } else { f64::INFINITY });
        }
    }
    largest
}

#[test]
fn mf52_agrees_with_an_independent_implementation() {
    let reference = rows("tests/reference/tyre_mf52_mf_185_80R14.csv");
    assert_eq!(reference.len(), 107);
    for file in ["mf_185_80R14.tir", "mf_185_80R14_mm.tir"] {
        let law = law(file);
        let largest = largest_difference(&reference, 4, |row| {
            let input = Input { kappa: row[1], alpha: row[2], gamma: row[3], ..law.straight_ahead(row[0]) };
            let (pure, all) = (law.pure(&input), law.forces(&input));
            vec![pure.fx, pure.fy, pure.mz, all.fx, all.fy, all.mz, all.mx]
        });
        println!("{file}: {largest:?}");
        assert!(largest.iter().all(|d| *d < 1e-6), "{file}: {largest:?}");
    }
}
