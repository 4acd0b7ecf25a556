//! Text for messages: counts, rounded numbers, the nearest name, aligned tables.

/// Computing time relative to simulated time: `40 times faster than real time`, `takes 2.6 times real time`.
pub fn pace(simulated_s: f64, computing_s: f64) -> String {
    match simulated_s >= computing_s {
        true => format!("{} times faster than real time", short(simulated_s / computing_s, 3)),
        false => format!("takes {} times real time", short(computing_s / simulated_s, 3)),
    }
}

/// Count with a noun: `1 loop`, `2 loops`.
pub fn count(number: usize, singular: &str) -> String {
    match (number, singular) {
        (1, _) => format!("1 {singular}"),
        (_, "body") => format!("{number} bodies"),
        (_, "degree of freedom") => format!("{number} degrees of freedom"),
        _ => format!("{number} {singular}s"),
    }
}

/// A number with about `digits` significant digits, plain between 1e-3 and 1e6, otherwise with an exponent.
pub fn short(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    // A logarithm is not used, because its last bit depends on the system.
    let size = format!("{value:e}").split_once('e').and_then(|(_, size)| size.parse().ok()).unwrap_or(0_i32);
    let written = if (-3..6).contains(&size) {
        format!("{value:.*}", (digits as i32 - 1 - size).max(0) as usize)
    } else {
        format!("{value:.*e}", digits - 1)
    };
    // Drop trailing zeros: 0.0010000 is 0.001, 1.000e-9 is 1e-9.
    let (mantissa, exponent) = written.split_once('e').map_or((written.as_str(), None), |(m, e)| (m, Some(e)));
    let mantissa = if mantissa.contains('.') { mantissa.trim_end_matches('0').trim_end_matches('.') } else { mantissa };
    exponent.map_or(mantissa.to_string(), |exponent| format!("{mantissa}e{exponent}"))
}

/// A size in a readable unit.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1000 => format!("{bytes} bytes"),
        1000..1_000_000 => format!("{} kB", short(bytes as f64 * 1e-3, 3)),
        _ => format!("{} MB", short(bytes as f64 * 1e-6, 3)),
    }
}

/// Nearest candidate to `name`, if one is similar enough ([`ballesta_model::document::nearest::nearest`]).
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    ballesta_model::document::nearest::nearest(name, &candidates.collect::<Vec<_>>())
}

/// Rows with aligned columns, two spaces apart and indented by two; the last column is not aligned.
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|c| c.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str("  ");
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', width - cell.chars().count()));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_numbers_keep_their_significant_digits() {
        let written: Vec<String> =
            [0.001, 1e-9, 123456.7, 1.25e7, -0.5, 0.0, 83.333333, f64::NAN].iter().map(|v| short(*v, 4)).collect();
        assert_eq!(written, ["0.001", "1e-9", "123457", "1.25e7", "-0.5", "0", "83.33", "NaN"]);
    }

    #[test]
    fn the_pace_says_which_time_is_longer() {
        assert_eq!(pace(3.0, 0.0075), "400 times faster than real time");
        assert_eq!(pace(0.383, 1.0), "takes 2.61 times real time");
    }

    #[test]
    fn a_name_far_from_all_candidates_gets_no_suggestion() {
        assert_eq!(
            nearest("spring.stifness", ["spring.stiffness", "spring.damping"].into_iter()),
            Some("spring.stiffness")
        );
        assert_eq!(nearest("torque", ["spring.stiffness"].into_iter()), None);
    }

    #[test]
    fn capitals_do_not_count() {
        assert_eq!(nearest("BEARING.DAMPING", ["bearing.damping", "speed"].into_iter()), Some("bearing.damping"));
    }

    #[test]
    fn table_columns_are_aligned() {
        let rows = [vec!["a".to_string(), "b".into()], vec!["long".into(), "µ".into()]];
        assert_eq!(table(&rows), "  a     b\n  long  µ\n");
    }
}
