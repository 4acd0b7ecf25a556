//! How far two files of reduced-order models are apart.

use crate::check::larger;
/// Largest difference of two files of the same form, relative to the largest number of the array or table.
pub fn difference(a: &toml::Value, b: &toml::Value) -> f64 {
    fn numbers(value: &toml::Value, into: &mut Vec<f64>) {
        match value {
            toml::Value::Float(number) => into.push(*number),
            toml::Value::Array(items) => items.iter().for_each(|item| numbers(item, into)),
            _ => {}
        }
    }
    match (a, b) {
        (toml::Value::Table(a), toml::Value::Table(b)) => {
            assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
            // What checks measure is round-off, and a file names the version that wrote it.
            let kept = a.iter().filter(|(key, _)| !["checks", "covariance", "program"].contains(&key.as_str()));
            kept.map(|(key, value)| difference(value, &b[key])).fold(0.0, larger)
        }
        (toml::Value::Array(a), toml::Value::Array(b)) if a.first().is_some_and(toml::Value::is_table) => {
            assert_eq!(a.len(), b.len());
            a.iter().zip(b).map(|(a, b)| difference(a, b)).fold(0.0, larger)
        }
        _ => {
            let (mut left, mut right) = (Vec::new(), Vec::new());
            numbers(a, &mut left);
            numbers(b, &mut right);
            if left.is_empty() {
                assert_eq!(a, b);
            }
            assert_eq!(left.len(), right.len());
            let scale = left.iter().fold(f64::MIN_POSITIVE, |most, x| larger(most, x.abs()));
            left.iter().zip(&right).map(|(a, b)| (a - b).abs() / scale).fold(0.0, larger)
        }
    }
}
