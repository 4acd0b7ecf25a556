//! Rank correlations.

/// Ranks from 1 on; equal values share the mean of their ranks. `values` has no NaN.
pub fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut begin = 0;
    while begin < order.len() {
        let same = order[begin..].iter().take_while(|at| values[**at] == values[order[begin]]).count();
        // The mean of begin + 1 … begin + same.
        let rank = begin as f64 + 0.5 * (same as f64 + 1.0);
        order[begin..begin + same].iter().for_each(|at| ranks[*at] = rank);
        begin += same;
    }
    ranks
}

/// Spearman's rank correlation of two series of the same length: the correlation of their ranks, −1 to 1. `None` if one
/// of them is constant or there are less than three pairs.
pub fn spearman(x: &[f64], y: &[f64]) -> Option<f64> {
    if x.len() < 3 {
        return None;
    }
    let (x, y) = (ranks(x), ranks(y));
    let mean = (x.len() as f64 + 1.0) / 2.0;
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>();
    let (xx, yy) = (product(&x, &x), product(&y, &y));
    (xx > 0.0 && yy > 0.0).then(|| product(&x, &y) / (xx * yy).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_share_their_mean_rank() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0, 3.0]), [4.0, 1.0, 4.0, 2.0, 4.0]);
    }

    #[test]
    fn monotonic_relations_have_the_correlation_one_and_ties_that_of_scipy() {
        let x: Vec<f64> = (0..20).map(f64::from).collect();
        let cubes: Vec<f64> = x.iter().map(|x| -x * x * x).collect();
        assert!((spearman(&x, &cubes).unwrap() + 1.0).abs() < 1e-15);
        // scipy.stats.spearmanr([1, 2, 2, 3, 4], [2, 1, 4, 4, 5])
        let found = spearman(&[1.0, 2.0, 2.0, 3.0, 4.0], &[2.0, 1.0, 4.0, 4.0, 5.0]).unwrap();
        assert!((found - 0.763157894736842).abs() < 1e-12, "{found}");
        assert_eq!(spearman(&x, &[1.0; 20]), None);
        assert_eq!(spearman(&x[..2], &x[..2]), None);
    }
}
