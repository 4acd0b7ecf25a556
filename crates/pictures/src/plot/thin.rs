//! Thins long series without a visible change.

/// Points of `values` over `times` to draw on `columns` columns of equal width: in every column the first, the
/// smallest, the largest and the last value, in the order of time. Short series are kept whole. Values that are not
/// finite are gaps; each gap keeps one NaN.
pub fn thin(times: &[f64], values: &[f64], columns: usize) -> Vec<(f64, f64)> {
    let points = times.iter().copied().zip(values.iter().copied());
    if times.len() <= 4 * columns {
        return points.collect();
    }
    let (start, span) = (times[0], times[times.len() - 1] - times[0]);
    let column = |time: f64| ((time - start) / span * columns as f64) as usize;
    let mut kept = Vec::with_capacity(4 * columns + 4);
    let mut bucket: Vec<(f64, f64)> = Vec::new();
    for point in points {
        if bucket.first().is_some_and(|first| column(first.0) != column(point.0)) {
            keep_extremes(&mut bucket, &mut kept);
        }
        if point.1.is_finite() {
            bucket.push(point);
        } else {
            keep_extremes(&mut bucket, &mut kept);
            if kept.last().is_none_or(|last| !last.1.is_nan()) {
                kept.push((point.0, f64::NAN));
            }
        }
    }
    keep_extremes(&mut bucket, &mut kept);
    kept
}

/// Indices of the kept points, ascending, for values that are all finite.
pub fn kept(times: &[f64], values: &[f64], columns: usize) -> Vec<usize> {
    if times.len() <= 4 * columns {
        return (0..times.len()).collect();
    }
    let numbers: Vec<f64> = (0..times.len()).map(|i| i as f64).collect();
    thin(&numbers, values, columns).into_iter().map(|(number, _)| number as usize).collect()
}

fn keep_extremes(bucket: &mut Vec<(f64, f64)>, kept: &mut Vec<(f64, f64)>) {
    if !bucket.is_empty() {
        let by_value = |a: &usize, b: &usize| bucket[*a].1.total_cmp(&bucket[*b].1);
        let smallest = (0..bucket.len()).min_by(by_value).unwrap_or(0);
        let largest = (0..bucket.len()).max_by(by_value).unwrap_or(0);
        let mut chosen = [0, smallest, largest, bucket.len() - 1];
        chosen.sort_unstable();
        let mut before = None;
        for index in chosen {
            if before != Some(index) {
                kept.push(bucket[index]);
            }
            before = Some(index);
        }
        bucket.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_peak_survives() {
        let times: Vec<f64> = (0..100_000).map(|i| i as f64 * 1e-3).collect();
        let mut values: Vec<f64> = times.iter().map(|t| (0.2 * t).sin()).collect();
        values[34_567] = 7.0;
        values[34_568] = -9.0;
        let kept = thin(&times, &values, 700);
        assert!(kept.len() <= 4 * 701, "{}", kept.len());
        assert!(kept.contains(&(times[34_567], 7.0)) && kept.contains(&(times[34_568], -9.0)));
        assert_eq!((kept[0], kept[kept.len() - 1]), ((times[0], values[0]), (times[99_999], values[99_999])));
        assert!(kept.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }

    #[test]
    fn short_series_are_kept_whole() {
        assert_eq!(thin(&[0.0, 1.0], &[2.0, 3.0], 700), [(0.0, 2.0), (1.0, 3.0)]);
    }

    #[test]
    fn gaps_stay_gaps() {
        let times: Vec<f64> = (0..10_000).map(f64::from).collect();
        let mut values = vec![1.0; 10_000];
        values[5000..5100].fill(f64::NAN);
        let kept = thin(&times, &values, 100);
        assert_eq!(kept.iter().filter(|point| point.1.is_nan()).count(), 1);
    }
}
