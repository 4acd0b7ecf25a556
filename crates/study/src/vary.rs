//! The factors of `[[vary]]`.

use super::design::MAX_DIMENSIONS;
use super::diagnostics::Check;
use super::distribution::{Distribution, Normal};
use super::plan::Levels;
use super::study_schema::{Kind, Spacing, Vary};
use ballesta::math::elementary::pow;

/// Keys of a list, of a grid and of each distribution, and optional keys.
const NUMBERS: [&str; 10] =
    ["values", "from", "to", "count", "spacing", "min", "max", "mode", "mean", "standard_deviation"];
/// Maximum number of values of a grid.
const MAX_VALUES: u64 = 1_000_000;
/// Smallest probability that a truncation may leave.
const MIN_PROBABILITY: f64 = 1e-9;

/// The keys of `[[vary]]` that are given.
fn given(vary: &Vary) -> impl Iterator<Item = &'static str> {
    let given = [
        vary.values.is_some(),
        vary.from.is_some(),
        vary.to.is_some(),
        vary.count.is_some(),
        vary.spacing.is_some(),
        vary.min.is_some(),
        vary.max.is_some(),
        vary.mode.is_some(),
        vary.mean.is_some(),
        vary.standard_deviation.is_some(),
    ];
    NUMBERS.into_iter().zip(given).filter(|(_, given)| *given).map(|(name, _)| name)
}

impl Kind {
    /// Word in the file, required keys and optional keys.
    fn keys(self) -> (&'static str, &'static [&'static str], &'static [&'static str]) {
        match self {
            Kind::Uniform => ("uniform", &["min", "max"], &[]),
            Kind::LogUniform => ("log_uniform", &["min", "max"], &[]),
            Kind::Normal => ("normal", &["mean", "standard_deviation"], &["min", "max"]),
            Kind::LogNormal => ("log_normal", &["mean", "standard_deviation"], &["min", "max"]),
            Kind::Triangular => ("triangular", &["min", "mode", "max"], &[]),
        }
    }
}

/// The values of the factor at `key`; `dimension` is the number of distributions before it. `check` receives the
/// faults.
pub fn levels(key: &str, vary: &Vary, dimension: &mut usize, check: &mut Check) -> Option<Levels> {
    let grid = vary.from.is_some() || vary.to.is_some() || vary.count.is_some() || vary.spacing.is_some();
    let kinds = [vary.values.is_some(), grid, vary.distribution.is_some()];
    let wrong = |name: &str| check.replaced(&format!("{key}.{name}"));
    let broken = NUMBERS.into_iter().chain(["distribution"]).any(wrong);
    if broken {
        return None;
    }
    match kinds.iter().filter(|given| **given).count() {
        0 => {
            check.complain(
                key,
                "the values are missing",
                "add `values`, or `from`, `to` and `count`, or a `distribution`",
            );
            return None;
        }
        1 => (),
        _ => {
            let found = "more than one of a list, a grid and a distribution";
            check.complain(key, found, "keep either `values`, or `from`, `to` and `count`, or a `distribution`");
            return None;
        }
    }
    let (what, needed, allowed): (&str, &[&str], &[&str]) = match vary.distribution {
        Some(kind) => kind.keys(),
        None if grid => ("a grid", &["from", "to", "count"], &["spacing"]),
        None => ("a list", &["values"], &[]),
    };
    let mut right = true;
    for name in given(vary).filter(|name| !needed.contains(name) && !allowed.contains(name)) {
        check.complain(&format!("{key}.{name}"), format!("{what} has no `{name}`"), "remove it");
        right = false;
    }
    for name in needed.iter().filter(|name| !given(vary).any(|given| given == **name)) {
        let needed = needed.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        check.complain(key, format!("{what} has no `{name}`"), format!("write {needed}"));
        right = false;
    }
    if !right {
        return None;
    }
    if let Some(kind) = vary.distribution {
        let distribution = distribution(key, kind, vary, check)?;
        // The numbers of a design have 53 bits.
        let ends = [0.5 * f64::EPSILON, 1.0 - 0.5 * f64::EPSILON].map(|u| distribution.quantile(u));
        if !(ends[0].is_finite() && ends[1].is_finite() && ends[0] < ends[1]) {
            let found = "its values overflow 64-bit numbers";
            check.complain(key, found, "choose a narrower range, or another mean or standard deviation");
            return None;
        }
        *dimension += 1;
        if *dimension > MAX_DIMENSIONS {
            check.complain(
                key,
                format!("more than {MAX_DIMENSIONS} distributions"),
                "vary fewer quantities in one study",
            );
            return None;
        }
        return Some(Levels::Distribution(distribution, *dimension - 1));
    }
    let values = match &vary.values {
        Some(values) => values.clone(),
        None => grid_values(key, vary, check)?,
    };
    if values.is_empty() {
        check.complain(&format!("{key}.values"), "the list is empty", "write at least one value");
        return None;
    }
    Some(Levels::List(values))
}

/// The values of a grid, both ends included to the bit.
fn grid_values(key: &str, vary: &Vary, check: &mut Check) -> Option<Vec<f64>> {
    let (from, to, count) = (vary.from?, vary.to?, vary.count?);
    if !(2..=MAX_VALUES).contains(&count) {
        check.complain(
            &format!("{key}.count"),
            format!("found {count}"),
            format!("write a count from 2 to {MAX_VALUES}; for one value use a list"),
        );
        return None;
    }
    if from == to {
        check.complain(
            &format!("{key}.to"),
            format!("found {to}, equal to `from`"),
            "write a different end, or use a list",
        );
        return None;
    }
    let log = vary.spacing == Some(Spacing::Log);
    if log && !(from > 0.0 && to > 0.0) {
        let found = format!("found the ends {from} and {to} for equal ratios");
        check.complain(&format!("{key}.spacing"), found, "write positive ends, or remove `spacing`");
        return None;
    }
    let last = (count - 1) as f64;
    let value = |i: u64| match i as f64 / last {
        1.0 => to,
        part if log => from * pow(to / from, part),
        part => from + part * (to - from),
    };
    let values: Vec<f64> = (0..count).map(value).collect();
    if values.iter().any(|value| !value.is_finite()) {
        check.complain(
            &format!("{key}.to"),
            format!("found {to}, with `from` = {from}"),
            "write ends that are closer together",
        );
        return None;
    }
    Some(values)
}

fn distribution(key: &str, kind: Kind, vary: &Vary, check: &mut Check) -> Option<Distribution> {
    let at = |name: &str| format!("{key}.{name}");
    let (least, most) = (vary.min.unwrap_or(f64::NEG_INFINITY), vary.max.unwrap_or(f64::INFINITY));
    if !(least < most) {
        check.complain(&at("max"), format!("found {most}, with `min` = {least}"), "write a `max` above `min`");
        return None;
    }
    // Infinite for a normal distribution without a range.
    if vary.min.is_some() && vary.max.is_some() && !(most - least).is_finite() {
        check.complain(&at("max"), format!("found {most}, with `min` = {least}"), "write a range of less than 1.8e308");
        return None;
    }
    let positive = |name: &str, value: Option<f64>, check: &mut Check| match value {
        Some(value) if !(value > 0.0) => {
            check.complain(&at(name), format!("found {value}"), "write a positive number");
            false
        }
        _ => true,
    };
    match kind {
        Kind::Uniform => Some(Distribution::Uniform { min: least, max: most }),
        Kind::LogUniform => {
            if !positive("min", vary.min, check) {
                return None;
            }
            if !(most / least).is_finite() {
                check.complain(
                    &at("max"),
                    format!("found {most}, with `min` = {least}"),
                    "write a ratio below 1.8e308",
                );
                return None;
            }
            Some(Distribution::LogUniform { min: least, max: most })
        }
        Kind::Triangular => {
            let mode = vary.mode?;
            if !(mode >= least && mode <= most) {
                let expected = format!("write a `mode` from {least} to {most}");
                check.complain(&at("mode"), format!("found {mode}"), expected);
                return None;
            }
            Some(Distribution::Triangular { min: least, mode, max: most })
        }
        Kind::Normal | Kind::LogNormal => {
            let (mean, deviation) = (vary.mean?, vary.standard_deviation?);
            if !positive("standard_deviation", Some(deviation), check) {
                return None;
            }
            let distribution = if kind == Kind::Normal {
                Distribution::Normal(Normal { mean, standard_deviation: deviation, min: least, max: most })
            } else {
                if !positive("mean", Some(mean), check) || !positive("max", vary.max, check) {
                    return None;
                }
                Distribution::log_normal(mean, deviation, least.max(0.0), most)
            };
            let (Distribution::Normal(normal) | Distribution::LogNormal(normal)) = distribution else { return None };
            let mass = normal.mass();
            if !(mass >= MIN_PROBABILITY) {
                let found = format!("the range {least} to {most} contains {mass:.1e} of the distribution");
                check.complain(key, found, format!("choose a range that contains at least {MIN_PROBABILITY:e} of it"));
                return None;
            }
            Some(distribution)
        }
    }
}
