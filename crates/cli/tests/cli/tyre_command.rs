//! `ballesta tyre`: values and curves against references that others wrote, closed forms, symmetry, warnings.

use super::*;
use std::f64::consts::{FRAC_PI_2, PI};

const OLD: &str = "tests/tyres/mf_185_80R14.tir";
const NEW: &str = "tests/tyres/mf61_205_60R16.tir";
/// Only what a file must have: no shifts, no curvature.
const SPARSE: &str = "tests/tyres/sparse.tir";

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap_or_else(|| panic!("{value} is no array")).iter().map(number).collect()
}

/// Values at the points of a table, against its columns from `first` on.
fn compare(file: &str, table: &str, point: impl Fn(&[f64]) -> String, columns: &[(usize, &str)], least: usize) {
    let text = fs::read_to_string(Path::new(ROOT).join(table)).unwrap();
    let (_, rows) = read_csv(&text);
    assert!(rows.len() >= least, "{}", rows.len());
    let mut arguments = vec!["tyre".to_string(), file.to_string(), "--json".to_string()];
    arguments.extend(rows.iter().map(|row| format!("--at={}", point(row))));
    let found = ballesta(arguments).json();
    let at = found["at"].as_array().unwrap();
    assert_eq!(at.len(), rows.len());
    for (row, values) in rows.iter().zip(at) {
        for (column, name) in columns {
            let (value, expected) = (number(&values[*name]), row[*column]);
            assert!((value - expected).abs() < 1e-6, "{name}: {value} {expected}: {values}");
        }
    }
}

#[test]
fn values_of_mf52_are_those_of_an_independent_implementation() {
    let point = |row: &[f64]| format!("load={},kappa={},alpha={},camber={}", row[0], row[1], row[2], row[3]);
    let columns = [(7, "Fx"), (8, "Fy"), (9, "Mz"), (10, "Mx"), (0, "Fz")];
    compare(OLD, "tests/reference/tyre_mf52_mf_185_80R14.csv", point, &columns, 107);
    let degrees = |row: &[f64]| {
        format!("load={},kappa={},alpha_deg={},camber_deg={}", row[0], row[1], row[2] * 180.0 / PI, row[3] * 180.0 / PI)
    };
    compare(OLD, "tests/reference/tyre_mf52_mf_185_80R14.csv", degrees, &columns, 107);
}

#[test]
fn values_of_mf61_are_those_of_an_independent_implementation() {
    let point = |row: &[f64]| {
        let [load, kappa, alpha, camber, pressure, speed] = [0, 1, 2, 3, 4, 5].map(|i| row[i]);
        format!("load={load},kappa={kappa},alpha={alpha},camber={camber},pressure={pressure},speed={speed}")
    };
    let columns = [
        (9, "Fx"),
        (10, "Fy"),
        (11, "Mx"),
        (12, "My"),
        (13, "Mz"),
        (14, "relaxation_length_kappa"),
        (15, "relaxation_length_alpha"),
    ];
    compare(NEW, "tests/tyres/mf61.csv", point, &columns, 100);
}

#[test]
fn characteristics_are_those_of_closed_forms() {
    let found = ballesta(["tyre", SPARSE, "--loads", "20e3,30e3", "--json"]).json();
    let loads = found["tyres"][0]["loads"].as_array().unwrap();
    assert_eq!(loads.len(), 2);
    for at in loads {
        let (load, nominal) = (number(&at["load_n"]), 25e3);
        let close = |value: &Value, exact: f64, tolerance: f64| {
            assert!((number(value) - exact).abs() <= tolerance * exact.abs(), "{value} {exact}");
        };
        let kx = 14.0 * load;
        let ky = 9.0 * nominal * f64::sin(2.0 * f64::atan(load / (1.8 * nominal)));
        close(&at["longitudinal_stiffness_n"], kx, 1e-13);
        close(&at["cornering_stiffness_n_per_rad"], ky, 1e-13);
        // D sin(C atan(K x/(C D))) has its peak D at tan(pi/(2 C)) C D/K, where 1e-8 of the slip change 1e-16 of it.
        for (of, stiffness, shape, friction, slip) in
            [("driving", kx, 1.6, 0.85, "kappa"), ("alpha_negative", ky, 1.2, 0.75, "alpha")]
        {
            let exact = f64::tan(FRAC_PI_2 / shape) * shape * friction * load / stiffness;
            close(&at[of]["peak"], friction, 1e-14);
            let sign = if slip == "alpha" { -1.0 } else { 1.0 };
            close(&at[of]["peak_slip"], sign * exact, 1e-6);
            assert_eq!(at[of]["falls"], true);
        }
        // The table of the file, between its third and fourth row and between the second and third.
        let (deflection, stiffness) =
            if load > 27e3 { (0.03 + (load - 27e3) / 1.1e6, 1.1e6) } else { (0.01 + (load - 7e3) / 1e6, 1e6) };
        close(&at["deflection_m"], deflection, 1e-12);
        close(&at["loaded_radius_m"], 0.5 - deflection, 1e-12);
        close(&at["vertical_stiffness_n_per_m"], stiffness, 1e-12);
        // Without coefficients of Mz there is no trail, without those of camber no camber stiffness.
        assert_eq!((number(&at["pneumatic_trail_m"]), number(&at["camber_stiffness_n_per_rad"])), (0.0, 0.0));
    }
}

#[test]
fn camber_stiffness_and_trail_are_slopes_of_the_curves() {
    let points = ["camber=-1e-4", "camber=1e-4", "alpha=-1e-4", "alpha=1e-4"].map(|at| format!("--at={at}"));
    let found = ballesta(["tyre", OLD, "--json"].map(String::from).into_iter().chain(points)).json();
    let at = |i: usize, name: &str| number(&found["at"][i][name]);
    let slope = |i: usize, name: &str| (at(i + 1, name) - at(i, name)) / 2e-4;
    let nominal = &found["tyres"][0]["loads"][1];
    assert_eq!(number(&nominal["load_n"]), number(&found["tyres"][0]["nominal_load_n"]));
    let (camber, trail) = (-slope(0, "Fy"), -slope(2, "Mz") / slope(2, "Fy"));
    assert!((number(&nominal["camber_stiffness_n_per_rad"]) / camber - 1.0).abs() < 1e-4, "{nominal} {camber}");
    assert!((number(&nominal["pneumatic_trail_m"]) / trail - 1.0).abs() < 1e-3, "{nominal} {trail}");
    assert!(camber > 100.0 && trail > 0.01, "{camber} {trail}");
}

#[test]
fn the_table_has_the_values_of_the_json_and_of_single_points() {
    let folder = Folder::new("tyre-table");
    let (csv, units) = (folder.path("a.csv"), folder.path("units.csv"));
    let found = ballesta(["tyre", OLD, NEW, "--json", "--csv", &csv, "--cambers", "-2deg,0.05"]).json();
    assert_eq!(ballesta(["tyre", OLD, NEW, "--cambers", "-2deg,0.05", "--csv", &units, "--units"]).code, 0);
    let (text, with_units) = (fs::read_to_string(&csv).unwrap(), fs::read_to_string(&units).unwrap());
    let (header, rows) = read_csv(&text);
    assert_eq!(header[..5], ["load", "camber", "kappa", "alpha", "mf_185_80R14.Fx"]);
    assert_eq!((header.len(), found["curves"].as_object().unwrap().len()), (14, 14));
    assert!(rows.len() > 1000);
    for (i, name) in header.iter().enumerate() {
        let column = numbers(&found["curves"][*name]);
        assert_eq!(column.len(), rows.len(), "{name}");
        // serde_json reads numbers to the last bit but one.
        let same = |(row, value): (&Vec<f64>, &f64)| (row[i] - value).abs() <= 4e-16 * value.abs();
        assert!(rows.iter().zip(&column).all(same), "{name}");
    }
    assert_eq!(with_units.lines().nth(1), Some("N,rad,1,rad,N,N,N.m,N.m,N.m,N,N,N.m,N.m,N.m"));
    // Every five hundredth row again, as a point.
    let some: Vec<&Vec<f64>> = rows.iter().step_by(500).collect();
    let at = |row: &&Vec<f64>| format!("--at=load={},camber={},kappa={},alpha={}", row[0], row[1], row[2], row[3]);
    let arguments = ["tyre", OLD, NEW, "--json"].map(String::from).into_iter().chain(some.iter().map(at));
    let again = ballesta(arguments).json();
    for (k, row) in some.iter().enumerate() {
        for (tyre, first) in [(0, 4), (1, 9)] {
            let values = &again["at"][tyre * some.len() + k];
            for (name, value) in ["Fx", "Fy", "Mx", "My", "Mz"].into_iter().zip(&row[first..]) {
                let again = number(&values[name]);
                assert!((again - value).abs() <= 4e-16 * value.abs(), "{name}: {again} {value}");
            }
        }
    }
}

#[test]
fn a_symmetric_file_has_symmetric_curves_and_the_other_side_mirrors_any() {
    let (_, rows) = {
        let answer = ballesta(["tyre", SPARSE, "--csv", "-", "--cambers", "0"]);
        assert_eq!(answer.code, 0);
        let text: &'static str = answer.stdout.leak();
        read_csv(text)
    };
    let mut compared = 0;
    for row in &rows {
        let opposite = rows.iter().find(|other| other[0] == row[0] && other[2] == -row[2] && other[3] == -row[3]);
        let opposite = opposite.unwrap_or_else(|| panic!("nothing is opposite to {row:?}"));
        assert_eq!([row[4], row[5], row[8]], [-opposite[4], -opposite[5], -opposite[8]], "{row:?} {opposite:?}");
        compared += usize::from(row[5].abs() > 1000.0);
    }
    assert!(compared > 100, "{compared}");
    // The published file is not symmetric, but a left tyre is the mirror image of a right one.
    let of = |side: &str, sign: &str| {
        let at = format!("--at=kappa=0.02,alpha={sign}0.05,camber={sign}0.03");
        let found = ballesta(["tyre", OLD, "--side", side, "--json", &at]).json();
        ["Fx", "Fy", "Mx", "My", "Mz"].map(|name| number(&found["at"][0][name]))
    };
    let [left, right] = [of("left", ""), of("right", "-")];
    assert_eq!(left, [right[0], -right[1], -right[2], right[3], -right[4]]);
    assert!((of("left", "-")[1] + left[1]).abs() > 10.0);
}

#[test]
fn what_is_questionable_is_named_with_key_and_line() {
    let folder = Folder::new("tyre-warnings");
    let sparse = fs::read_to_string(Path::new(ROOT).join(SPARSE)).unwrap();
    let clean = ballesta(["tyre", NEW, "--strict", "--loads", "3000"]);
    assert_eq!((clean.code, clean.stderr.as_str()), (0, ""));
    let with = |replaced: &str, by: &str, arguments: &[&str]| {
        assert!(sparse.contains(replaced), "{replaced}");
        let file = folder.file("a.tir", &sparse.replace(replaced, by));
        ballesta([&["tyre", &file, "--loads", "20e3"], arguments].concat())
    };
    for (replaced, by, arguments, told) in [
        ("pcx1 = 1.6", "pcx1 = 1.6\nkpumax = 0.05", &[][..], "a.tir:15: KPUMAX: Fx at κ > 0 increases up to the end"),
        ("pcy1 = 1.2", "pcy1 = 0.9", &[], "a.tir:17: PCY1: Fy has no peak: with a shape factor of 0.9"),
        ("pkx1 = 14", "pkx1 = 14\npex1 = 1.5", &[], "a.tir:17: PEX1: the curvature Ex is 1.5"),
        ("pdx1 = 0.85", "pdx1 = 0.85\npdx2 = 9", &[], "a.tir:15: PDX1: no friction at κ > 0"),
        ("pkx1 = 14", "pkx1 = 14\npkx2 = 99", &[], "a.tir:17: PKX2: no longitudinal slip stiffness"),
        ("pkx1 = 14", "qdz1 = -0.1\nqcz1 = 1\nqbz1 = 6\npkx1 = 14", &[], "a.tir:16: QDZ1: the pneumatic trail is -"),
        ("pkx1 = 14", "qsy1 = -.01\npkx1 = 14", &[], "a.tir:16: QSY1: the rolling resistance is -0.01 at a load"),
        ("pkx1 = 14", "tyreside = BOTH\npkx1 = 14", &[], "a.tir:16: TYRESIDE: `BOTH` is not a side: 'LEFT' is used"),
        ("pkx1 = 14", "pvy3 = 0.2\npkx1 = 14", &[], "a.tir:16: PVY3: the camber stiffness is -"),
        ("pkx1 = 14", "pkx1 = 14", &[], "a.tir: PTX1: the relaxation length σκ is 0"),
        ("pkx1 = 14", "fzmax = 22e3\npkx1 = 14", &["--at", "load=4e4"], "a.tir:16: FZMAX: load 40000 N is above"),
        ("pkx1 = 14", "fzmin = 2e3\npkx1 = 14", &["--at", "load=1e3"], "a.tir:16: FZMIN: load 1000 N is below"),
        ("pkx1 = 14", "alpmin=-.2\npkx1 = 14", &["--alpha", "15deg"], "a.tir:16: ALPMIN: slip angle -0.261799"),
        ("pkx1 = 14", "alpmin=-.2\npkx1 = 14", &["--alpha", "0.3", "--side", "right"], "ALPMIN: slip angle 0.3"),
        ("pkx1 = 14", "cammax=.05\npkx1 = 14", &["--cambers", "0.1"], "a.tir:16: CAMMAX: camber 0.1 rad is above"),
        ("pkx1 = 14", "pkx1 = 14", &["--kappa", "11"], "a.tir: KPUMIN: longitudinal slip -11 is below"),
        ("pkx1 = 14", "pkx1 = 14", &["--pressure", "2e5"], "a.tir: NOMPRES: the file has no pressure"),
    ] {
        let answer = with(replaced, by, arguments);
        assert_eq!(answer.code, 0, "{told}: {}", answer.stderr);
        assert!(answer.stderr.contains(told), "{told} is not in\n{}", answer.stderr);
        let strict = with(replaced, by, &[arguments, &["--strict"]].concat());
        assert!(strict.code == 3 && strict.stderr.contains("(--strict)"), "{told}: {}", strict.stderr);
        let json = with(replaced, by, &[arguments, &["--json"]].concat()).json();
        let warnings = json["warnings"].as_array().unwrap();
        assert!(!warnings.is_empty() && warnings.len() == answer.stderr.lines().count(), "{warnings:?}");
    }
    let clipped = with("pkx1 = 14", "kpumax = 0.05\nkpumin = -0.05\npkx1 = 14", &["--csv", "-"]);
    let (_, rows) = read_csv(&clipped.stdout);
    assert!(rows.iter().all(|row| row[2].abs() <= 0.05) && rows.iter().any(|row| row[2] == 0.05));
}

#[test]
fn several_files_share_report_and_picture() {
    let folder = Folder::new("tyre-several");
    let svg = folder.path("a.svg");
    let answer = ballesta(["tyre", OLD, NEW, "--plot", &svg, "--at", "alpha_deg=3"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    for told in ["PAC2002", "MF 6.1", "mf_185_80R14", "205/60 R16", "relaxation length, lateral", "Operating points"] {
        assert!(answer.stdout.contains(told), "{told}: {}", answer.stdout);
    }
    let picture = fs::read_to_string(&svg).unwrap();
    for told in ["mf_185_80R14, 1900 N", "mf61_205_60R16", "Fy over camber and load", "slip angle α (°)", "Fx (N)"] {
        assert!(picture.contains(told), "{told}");
    }
    assert!(!picture.contains("NaN") && !picture.contains("inf"));
    assert_eq!(picture.matches("class=\"frame\"").count(), 8);
    let many = ballesta(["tyre", OLD, NEW, SPARSE, "--loads", "2000,3000,4000", "--plot", &svg]);
    assert_eq!(many.code, 0, "{}", many.stderr);
    assert!(fs::read_to_string(&svg).unwrap().contains("Fx at 3000 N"));
}

#[test]
fn wrong_files_and_requests_are_refused() {
    let folder = Folder::new("tyre-refused");
    let csv = folder.path("a.csv");
    for (arguments, code, told) in [
        (&["tests/tyres/broken/impossible_values.tir"][..], 1, "impossible_values.tir:"),
        (&["tests/tyres/nowhere.tir"], 2, "cannot read tests/tyres/nowhere.tir"),
        (&[OLD, OLD], 2, "is given twice"),
        (&[OLD, "--at", "kapa=0.1"], 2, "did you mean `kappa`?"),
        (&[OLD, "--loads", "0"], 2, "must be greater than 0"),
        (&[OLD, "--cambers", "2"], 2, "invalid camber 2"),
        (&[OLD, "--alpha", "-3deg"], 2, "must be greater than 0"),
        (&[OLD, "--csv", "-", "--json"], 2, "both write to stdout"),
        (&[OLD, "--plot", &csv], 2, "must end in .svg or .png"),
        (&[OLD, "--units"], 2, "--csv"),
    ] {
        let answer = ballesta([&["tyre"], arguments].concat());
        assert!(answer.code == code && answer.stderr.contains(told), "{arguments:?}: {}", answer.stderr);
        assert_eq!(answer.stdout, "");
    }
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 0);
    let tyre = fs::read_to_string(Path::new(ROOT).join(SPARSE)).unwrap();
    let file = folder.file("tyre.csv", &tyre);
    let answer = ballesta(["tyre", &file, "--csv", &file]);
    assert!(answer.code == 2 && answer.stderr.contains("would overwrite"), "{}", answer.stderr);
    assert_eq!(fs::read_to_string(&file).unwrap(), tyre);
}
