//! Roads at the interface to tyres.

use crate::check::numbers::derivative;
use crate::check::numbers::larger;
use ballesta_model::height_map::{self, MAX_HOLLOW_DEPTH};
use ballesta_model::schema;
use ballesta_model::validate::MIN_HOLLOW_RADIUS;
use ballesta_solver::force::road::HeightMap;
use ballesta_solver::force::road::{Road, Surface};
use ballesta_solver::force::tyre::contact::{Wheel, WheelContact};
use ballesta_solver::math::Vec3;
use ballesta_solver::math::elementary::{cos, sin};
use ballesta_solver::math::scalar::{Dual, Scalar};
use std::f64::consts::TAU;

/// The road of the tables in `text`.
fn road_with(text: &str, map: Option<&HeightMap>) -> Road {
    let text = format!("[model]\nname = \"m\"\n[[road]]\nname = \"r\"\n{text}");
    let document = ballesta_model::parse(&text, "road.toml").unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    crate::elements::road(&document.model.roads[0], [map, None], &|number| document.model.resolve(number, &[]))
}

fn road(text: &str) -> Road {
    road_with(text, None)
}

fn bump(text: &str) -> Road {
    road(&format!("[[road.bump]]\nstart = 10\n{text}"))
}

const WATTS: &str = "kind = \"round\"\nlength = 3.7\nheight = 0.1";
const SINE: &str = "kind = \"sinusoidal\"\nlength = 3.7\nheight = 0.1";
const SEMINOLE: &str = "kind = \"flat_top\"\nlength = 6.6\nramp = 1.8\nheight = 0.1";
const CLASS_C: &str = "[road.random]\nclass = \"C\"\nseed = 7";
const MAP: &str =
    "x\\y, -1, -0.5, 0, 0.5\n# a comment\n2, 0, 0.01, 0.02, 0\n2.25; 0.01; 0.03; 0.01; 0\n2.5, 0, 0, 0.01, 0.04\n";

fn map() -> HeightMap {
    height_map::parse(MAP.as_bytes(), "map.csv", false).unwrap_or_else(|diagnostics| panic!("{diagnostics}"))
}

/// An OpenCRG file.
fn crg(name: &str) -> HeightMap {
    let path = format!("{}/../../{name}", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    height_map::parse(&bytes, name, false).unwrap_or_else(|diagnostics| panic!("{diagnostics}"))
}

/// One road of every kind, with the range of x and y that contains its features.
fn all() -> Vec<(&'static str, Road, [f64; 4])> {
    let map = map();
    let half = "y = [-0.3, 1.2]\nangle_deg = 25\ncount = 3\nspacing = 7.5";
    vec![
        ("plane", road("height = 0.3\nslope = 0.1\nbank = -0.02"), [-5.0, 5.0, -5.0, 5.0]),
        ("patch", road("[[road.patch]]\nx = [2, 4]\ny = [0, 9]\nfriction = 0.3"), [0.0, 6.0, -1.0, 1.0]),
        ("round", bump(WATTS), [9.0, 15.0, -1.0, 1.0]),
        ("sinusoidal", bump(SINE), [9.0, 15.0, -1.0, 1.0]),
        ("flat top", bump(SEMINOLE), [9.0, 18.0, -1.0, 1.0]),
        ("pothole", bump("kind = \"round\"\nlength = 1.0\nheight = -0.05\nblend = 0.4"), [9.0, 12.0, -1.0, 1.0]),
        ("diagonal", bump(&format!("{SEMINOLE}\n{half}")), [8.0, 34.0, -3.0, 16.0]),
        ("random", road(&format!("{CLASS_C}\ntrack = 1.6")), [-1.0, 30.0, -4.0, 4.0]),
        ("map", road_with("", Some(&map)), [1.0, 4.0, -2.0, 2.0]),
        ("bend", road_with("", Some(&crg("models/van/bend.crg"))), [-2.0, 9.0, -3.0, 3.0]),
    ]
}

fn height(road: &Road, x: f64) -> f64 {
    road.surface(x, 0.0).height
}

#[test]
fn plane_has_its_height_slopes_and_friction_everywhere() {
    let road = road("height = 0.3\nslope = 0.1\nbank = -0.02\nfriction = 0.8");
    let expected = Surface { height: 0.3 + 1.0 + 0.06, slope_x: 0.1, slope_y: -0.02, friction: 0.8 };
    let found = road.surface(10.0, -3.0);
    assert!((found.height - expected.height).abs() < 1e-15);
    assert_eq!(Surface { height: expected.height, ..found }, expected);
    assert!(road.is_plane() && Road::flat().is_plane() && !bump(WATTS).is_plane());
    assert_eq!(Road::flat().surface(3.0, 4.0), Surface { friction: 1.0, ..Surface::default() });
}

#[test]
fn bumps_have_their_published_profiles_away_from_the_roundings() {
    let (round, sine, flat) = (bump(WATTS), bump(SINE), bump(SEMINOLE));
    for i in 0..=100 {
        let u = 0.1 + 3.5 * f64::from(i) / 100.0;
        let arc = (17.1625f64 * 17.1625 - (u - 1.85) * (u - 1.85)).sqrt() - 17.0625;
        assert!((height(&round, 10.0 + u) - arc).abs() < 1e-14, "{u}");
        let wave = 0.05 * (1.0 - cos(TAU * u / 3.7));
        assert!((height(&sine, 10.0 + u) - wave).abs() < 1e-15, "{u}");
    }
    for (u, expected) in [(0.1, 0.1 / 18.0), (0.9, 0.05), (1.7, 1.7 / 18.0), (1.9, 0.1), (4.7, 0.1), (5.7, 0.05)] {
        assert!((height(&flat, 10.0 + u) - expected).abs() < 1e-14, "{u}");
    }
    for (road, end) in [(&round, 3.8), (&sine, 3.8), (&flat, 6.7)] {
        for u in [-5.0, -0.1, end, 50.0] {
            assert_eq!(road.surface(10.0 + u, 3.0), Road::flat().surface(0.0, 0.0));
        }
    }
}

#[test]
fn slopes_are_the_derivatives_of_the_height() {
    for (name, road, [x_from, x_to, y_from, y_to]) in all() {
        for i in 0..60 {
            for j in 0..12 {
                let x = x_from + (x_to - x_from) * (f64::from(i) + 0.37) / 60.0;
                let y = y_from + (y_to - y_from) * (f64::from(j) + 0.37) / 12.0;
                let found = road.surface(x, y);
                let along = derivative(|change| vec![road.surface(x + change, y).height])[0];
                let across = derivative(|change| vec![road.surface(x, y + change).height])[0];
                assert!((found.slope_x - along).abs() < 1e-6, "{name} {x} {y}: {} {along}", found.slope_x);
                assert!((found.slope_y - across).abs() < 1e-6, "{name} {x} {y}: {} {across}", found.slope_y);
            }
        }
    }
}

#[test]
fn dual_numbers_find_the_slopes_that_are_written_out_and_the_curvature() {
    for (name, road, [x_from, x_to, y_from, y_to]) in all() {
        for i in 0..60 {
            for j in 0..12 {
                let x = x_from + (x_to - x_from) * (f64::from(i) + 0.37) / 60.0;
                let y = y_from + (y_to - y_from) * (f64::from(j) + 0.37) / 12.0;
                let (plain, dual) =
                    (road.surface(x, y), road.surface(Dual::new(x, [1.0, 0.0]), Dual::new(y, [0.0, 1.0])));
                let values = [dual.height, dual.slope_x, dual.slope_y, dual.friction].map(Scalar::value);
                assert_eq!(values, [plain.height, plain.slope_x, plain.slope_y, plain.friction], "{name} {x} {y}");
                let [along, across] = dual.height.slopes;
                assert!(
                    (along - plain.slope_x).abs() < 1e-13 && (across - plain.slope_y).abs() < 1e-13,
                    "{name} {x} {y}"
                );
                assert!((dual.slope_x.slopes[1] - dual.slope_y.slopes[0]).abs() < 1e-12, "{name} {x} {y}");
            }
        }
    }
}

#[test]
fn heights_slopes_and_friction_are_continuous_everywhere() {
    // A step of 0.1 mm changes no slope by more than its curvature allows; a jump would be as large as the slopes.
    const STEP: f64 = 1e-4;
    for (name, road, [x_from, x_to, y_from, y_to]) in all() {
        for y in [y_from, 0.3 * y_from + 0.7 * y_to, y_to] {
            let mut before = road.surface(x_from, y);
            let steps = ((x_to - x_from) / STEP) as usize;
            for i in 1..=steps {
                let here = road.surface(x_from + STEP * i as f64, y);
                assert!((here.height - before.height).abs() < 4.0 * STEP, "{name}: height");
                assert!((here.slope_x - before.slope_x).abs() < 25.0 * STEP, "{name}: slope along");
                assert!((here.slope_y - before.slope_y).abs() < 25.0 * STEP, "{name}: slope across");
                assert!((here.friction - before.friction).abs() < 20.0 * STEP, "{name}: friction");
                before = here;
            }
        }
        for x in [x_from, 0.3 * x_from + 0.7 * x_to] {
            let mut before = road.surface(x, y_from);
            for i in 1..=((y_to - y_from) / STEP) as usize {
                let here = road.surface(x, y_from + STEP * i as f64);
                assert!((here.slope_x - before.slope_x).abs() < 25.0 * STEP, "{name}: slope along");
                assert!((here.slope_y - before.slope_y).abs() < 25.0 * STEP, "{name}: slope across");
                before = here;
            }
        }
    }
}

#[test]
fn hollows_of_bumps_are_wider_than_a_wheel() {
    for text in [WATTS, SINE, SEMINOLE, "kind = \"flat_top\"\nlength = 1.4\nramp = 0.3\nheight = 0.06"] {
        let road = bump(text);
        let slope = |x: f64| road.surface(x, 0.0).slope_x;
        let curvature = |i: i32| {
            let x = 9.5 + 1e-3 * f64::from(i);
            (slope(x + 1e-5) - slope(x - 1e-5)) / 2e-5
        };
        let largest = (0..8000).map(curvature).fold(0.0, larger);
        assert!(largest > 0.1 && largest < 1.0 / MIN_HOLLOW_RADIUS, "{text}: {largest}");
    }
}

#[test]
fn curvature_of_bumps_is_continuous() {
    for text in [WATTS, SINE, SEMINOLE] {
        let road = bump(text);
        let slope = |x: f64| road.surface(x, 0.0).slope_x;
        let curvature = |x: f64| (slope(x + 1e-6) - slope(x - 1e-6)) / 2e-6;
        for i in 0..8000 {
            let x = 9.5 + 1e-3 * f64::from(i);
            // The third derivative of a rounding is at most 12 J/b² (J: change of slope, b: its length).
            assert!((curvature(x + 1e-4) - curvature(x)).abs() < 1e-4 * 12.0 * 0.11 / 0.04 + 1e-6, "{text}: {x}");
        }
    }
}

#[test]
fn repeated_bumps_are_copies_and_end_with_the_last() {
    let (one, three) = (bump(WATTS), bump(&format!("{WATTS}\ncount = 3\nspacing = 6")));
    for i in 0..60 {
        let x = 9.8 + 0.07 * f64::from(i);
        for k in 0..3 {
            assert!((height(&three, x + 6.0 * f64::from(k)) - height(&one, x)).abs() < 1e-14);
        }
        assert_eq!((height(&three, x + 18.0), height(&three, x - 6.0)), (0.0, 0.0));
    }
}

#[test]
fn a_bump_under_one_track_leaves_the_other_flat() {
    let road = bump(&format!("{WATTS}\ny = [0.25, 2]"));
    assert_eq!(road.surface(11.85, 0.8).height, height(&bump(WATTS), 11.85));
    assert_eq!(road.surface(11.85, -0.8), Road::flat().surface(0.0, 0.0));
}

#[test]
fn a_turned_bump_is_the_straight_one_seen_from_its_own_axes() {
    let (straight, turned) = (bump(SEMINOLE), bump(&format!("{SEMINOLE}\nangle_deg = 90")));
    for i in 0..70 {
        let u = 0.1 * f64::from(i);
        let (a, b) = (straight.surface(10.0 + u, 0.4), turned.surface(9.6, u));
        assert!((a.height - b.height).abs() < 1e-14 && (a.slope_x - b.slope_y).abs() < 1e-14, "{u}");
    }
}

#[test]
fn patches_change_the_friction_and_later_ones_cover_earlier_ones() {
    let road = road(
        "friction = 0.9\n[[road.patch]]\nx = [10, 50]\nfriction = 0.5\n[[road.patch]]\nx = [20, 30]\ny = [-4, \
         0]\nfriction = 0.1\nblend = 1",
    );
    let friction = |x: f64, y: f64| road.surface(x, y).friction;
    for (x, y, expected) in [(0.0, 0.0, 0.9), (10.0, 0.0, 0.7), (15.0, 1.0, 0.5), (25.0, -2.0, 0.1), (25.0, 1.0, 0.5)] {
        assert!((friction(x, y) - expected).abs() < 1e-14, "{x} {y}: {}", friction(x, y));
    }
    assert!((friction(20.0, -2.0) - 0.3).abs() < 1e-14 && (friction(20.6, -2.0) - 0.1).abs() < 1e-14);
    assert!(road.is_plane());
}

/// Heights of a random road over one period from x = 1000 m on, n of them.
fn samples(road: &Road, y: f64, n: usize) -> Vec<f64> {
    (0..n).map(|i| road.surface(1000.0 + 1000.0 * i as f64 / n as f64, y).height).collect()
}

fn rms(samples: &[f64]) -> f64 {
    (samples.iter().map(|z| z * z).sum::<f64>() / samples.len() as f64).sqrt()
}

/// Mean square of the waves with these numbers of waves per record.
fn variance_in(samples: &[f64], lines: std::ops::Range<usize>) -> f64 {
    let n = samples.len();
    let amplitude = |k: usize| {
        let (mut re, mut im) = (0.0, 0.0);
        for (j, z) in samples.iter().enumerate() {
            let (sine, cosine) = ballesta_solver::math::elementary::sin_cos(TAU * ((j * k) % n) as f64 / n as f64);
            re += z * cosine;
            im += z * sine;
        }
        2.0 * (re * re + im * im) / (n * n) as f64
    };
    lines.map(amplitude).sum()
}

#[test]
fn class_c_has_its_band_rms_on_both_tracks() {
    const RMS: f64 = 0.01522;
    let one = samples(&road(CLASS_C), 0.0, 1 << 15);
    // Only phases are random, so the remaining error is rounding.
    assert!((rms(&one) / RMS - 1.0).abs() < 1e-3, "{}", rms(&one));
    let two = road(&format!("{CLASS_C}\ntrack = 1.6"));
    for y in [-0.8, 0.8] {
        let found = rms(&samples(&two, y, 1 << 15));
        // About five long waves carry most of the variance of the difference of the tracks.
        assert!((found / RMS - 1.0).abs() < 0.1, "{y}: {found}");
    }
}

#[test]
fn density_falls_with_the_square_of_the_frequency_in_every_octave() {
    let samples = samples(&road(CLASS_C), 0.0, 1 << 13);
    for (from, to) in [(16, 32), (32, 64), (64, 128), (128, 256), (256, 512), (512, 1024), (1024, 2048)] {
        let found = variance_in(&samples, from..to);
        let lines = (from..to).map(|k| 256e-6 * 0.01 * 1000.0 / ((k * k) as f64 - 0.25)).sum::<f64>();
        assert!((found / lines - 1.0).abs() < 1e-3, "{from} to {to} waves: {found} {lines}");
    }
}

#[test]
fn tracks_are_alike_in_long_waves_and_independent_in_short_ones() {
    let road = road(&format!("{CLASS_C}\ntrack = 1.6"));
    let (left, right) = (samples(&road, 0.8, 1 << 13), samples(&road, -0.8, 1 << 13));
    let difference: Vec<f64> = left.iter().zip(&right).map(|(l, r)| l - r).collect();
    let ratio = |lines: std::ops::Range<usize>| {
        let mean = 0.5 * (variance_in(&left, lines.clone()) + variance_in(&right, lines.clone()));
        variance_in(&difference, lines) / (2.0 * mean)
    };
    // 1 − γ(n): 0.02 and less below 20 waves per km, nearly 1 above 500.
    assert!(ratio(11..20) < 0.05, "{}", ratio(11..20));
    assert!((ratio(500..1000) - 1.0).abs() < 0.1, "{}", ratio(500..1000));
}

#[test]
fn random_profile_is_a_function_of_its_seed_with_the_same_bits_every_time() {
    let bits = |text: &str| samples(&road(text), 0.3, 100).iter().map(|z| z.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(CLASS_C), bits(CLASS_C));
    assert_ne!(bits(CLASS_C), bits("[road.random]\nclass = \"C\"\nseed = 8"));
    // The profile itself: a change of these bits changes users' results.
    let known =
        samples(&road(&format!("{CLASS_C}\ntrack = 1.6")), 0.3, 4).iter().map(|z| z.to_bits()).collect::<Vec<_>>();
    let wanted = [13784546537358009252, 4577130444693221446, 13793425114998934238, 4575842267064592760];
    assert_eq!(known, wanted);
}

#[test]
fn random_profile_grows_from_nothing_behind_its_start_and_comes_again() {
    let road = road(&format!("{CLASS_C}\nstart = 20\nfade = 5"));
    assert_eq!(road.surface(20.0, 0.0), Road::flat().surface(0.0, 0.0));
    assert!(road.surface(20.5, 0.0).height.abs() < 1e-3);
    for x in [25.0, 117.3, 999.9] {
        assert!((height(&road, x) - height(&road, x + 1000.0)).abs() < 1e-12, "{x}");
    }
}

#[test]
fn height_map_passes_through_its_values_and_is_constant_outside() {
    let map = map();
    assert_eq!((map.origin, map.spacing, map.points), ([2.0, -1.0], [0.25, 0.5], [3, 4]));
    let road = road_with("", Some(&map));
    for (i, row) in map.heights.chunks(4).enumerate() {
        for (j, value) in row.iter().enumerate() {
            let (x, y) = (2.0 + 0.25 * i as f64, -1.0 + 0.5 * j as f64);
            assert!((road.surface(x, y).height - value).abs() < 1e-15, "{x} {y}");
        }
    }
    let corner = road.surface(1e9, 1e9);
    assert_eq!((corner.height, corner.slope_x, corner.slope_y), (0.04, 0.0, 0.0));
    assert_eq!(road.surface(-1e300, -1.0).height, 0.0);
}

#[test]
fn a_friction_map_multiplies_the_friction_and_goes_nowhere_beyond_its_values() {
    let text = "[model]\nname = \"m\"\n[[road]]\nname = \"r\"\nfriction = 0.8\nmap_start = [100, 0]\n\
        friction_map = \"f.csv\"\n[[road.patch]]\nx = [130, 140]\nfriction = 0.3";
    let document = toml::from_str::<schema::Model>(text).expect("a model");
    let (table, number) = (&document.roads[0], |number: &schema::Number| document.resolve(number, &[]));
    // Ice from x = 2 on to the left of y = 0, wet to the right of it.
    let heights = [[1.0; 3], [1.0; 3], [0.6, 0.6, 0.1], [0.6, 0.6, 0.1]].concat();
    let map = HeightMap { origin: [0.0, -1.0], spacing: [1.0; 2], points: [4, 3], heights, line: None };
    let road = crate::elements::road(table, [None, Some(&map)], &number);
    let at = |x: f64, y: f64| road.surface(x, y).friction;
    for (x, y, factor) in
        [(100.0, 0.0, 1.0), (90.0, 5.0, 1.0), (102.0, -1.0, 0.6), (103.0, 1.0, 0.1), (120.0, 9.0, 0.1)]
    {
        assert!((at(x, y) - 0.8 * factor).abs() < 1e-15, "{x}, {y}: {}", at(x, y));
    }
    assert!((at(135.0, 1.0) - 0.3).abs() < 1e-15);
    for k in 0..400 {
        let (x, y) = (99.0 + 0.0125 * f64::from(k), -2.0 + 0.01 * f64::from(k));
        assert!((0.0799999..=0.8000001).contains(&at(x, y)), "{x}, {y}: {}", at(x, y));
    }
    assert_eq!(road.surface(101.5, 0.3).height, 0.0);
    assert!(road.is_plane());
}

#[test]
fn height_map_reproduces_a_parabola_inside() {
    let row = |i: i32| {
        let x = 0.5 * f64::from(i);
        (0..9).map(move |j| 0.1 * x * x - 0.3 * x * f64::from(j) + 0.2)
    };
    let heights = (0..9).flat_map(row).collect();
    let map = HeightMap { origin: [0.0; 2], spacing: [0.5, 1.0], points: [9, 9], heights, line: None };
    let found = road_with("", Some(&map)).surface(1.63, 4.21);
    assert!((found.height - (0.1 * 1.63 * 1.63 - 0.3 * 1.63 * 4.21 + 0.2)).abs() < 1e-14);
    assert!((found.slope_x - (0.2 * 1.63 - 0.3 * 4.21)).abs() < 1e-14 && (found.slope_y + 0.3 * 1.63).abs() < 1e-14);
}

#[test]
fn opencrg_files_have_the_heights_of_an_independent_reader() {
    // A cross section of OpenCRG bisects the angle between the adjacent straight segments, and is perpendicular to the
    // last segment at the end of the road. The differences along the line are 6e-6 and 1.6e-4 m in the clothoid, and
    // 3e-3 and 1.5e-2 m at the end.
    for (name, at, most) in [("bend", "models/van", [1e-6, 3e-5]), ("bend_text", "tests/roads", [2e-5, 1e-3])] {
        let road = road_with("", Some(&crg(&format!("{at}/{name}.crg"))));
        let heights = format!("{}/../../tests/roads/{name}.heights.csv", env!("CARGO_MANIFEST_DIR"));
        let heights = std::fs::read_to_string(heights).expect("heights");
        let (mut counts, mut worst) = ([0, 0], [0.0; 2]);
        for line in heights.lines().skip(1) {
            let row: Vec<f64> = line.split(',').map(|field| field.parse().expect("a number")).collect();
            let at_end = usize::from(row[0] > 29.9);
            worst[at_end] = larger(worst[at_end], (road.surface(row[2], row[3]).height - row[4]).abs());
            counts[at_end] += 1;
        }
        println!("{name}: {counts:?} heights, {worst:?} m");
        assert!(counts == [130, 13] && worst[0] <= most[0] && worst[1] <= most[1], "{name}: {worst:?} m");
    }
}

#[test]
fn a_map_lies_where_its_road_says() {
    let map = crg("models/van/bend.crg");
    let document = ballesta_model::parse("[model]\nname = \"m\"\n[[road]]\nname = \"r\"", "r.toml").expect("a road");
    let mut table = document.model.roads[0].clone();
    let at = crate::elements::road(&table, [Some(&map), None], &|number| document.model.resolve(number, &[]));
    table.map_start = [3.0, -2.0].map(schema::Number::Value);
    table.map_heading_deg = schema::Number::Value(90.0);
    let turned = crate::elements::road(&table, [Some(&map), None], &|number| document.model.resolve(number, &[]));
    for (x, y) in [(0.3, 0.2), (12.0, 1.5), (20.0, 9.0), (24.0, 13.0)] {
        let (from, to) = (at.surface(x, y), turned.surface(3.0 - y, -2.0 + x));
        assert!((from.height - to.height).abs() < 1e-12 && from.height != 0.0);
        assert!((from.slope_x - to.slope_y).abs() < 1e-12 && (from.slope_y + to.slope_x).abs() < 1e-12);
    }
}

#[test]
fn along_a_circle_and_between_its_ends_the_nearest_place_of_the_line_counts() {
    // Three quarters of a circle of radius 20 m: the heights encode the length along it and the distance from it.
    let (radius, points) = (20.0, 601);
    let step = 0.75 * TAU * radius / 600.0;
    let line = (0..points)
        .map(|i| f64::from(i) * step / radius)
        .map(|angle| [radius * sin(angle), radius * (1.0 - cos(angle))]);
    let heights =
        (0..points).flat_map(|i| (-3..=3).map(move |v| 0.01 * step * f64::from(i) + 0.2 * f64::from(v))).collect();
    let map =
        HeightMap { origin: [0.0, -6.0], spacing: [step, 2.0], points: [601, 7], heights, line: Some(line.collect()) };
    let road = road_with("", Some(&map));
    let mut worst = 0.0;
    for k in 3..178 {
        let angle = 0.75 * TAU * f64::from(k) / 180.0;
        for v in [-1.9, -0.3, 0.0, 0.7, 1.8] {
            let found = road.surface((radius - v) * sin(angle), radius - (radius - v) * cos(angle));
            let slope = [0.01 * radius / (radius - v) * cos(angle) - 0.1 * sin(angle), found.slope_x];
            worst = larger(
                worst,
                larger((found.height - 0.01 * radius * angle - 0.1 * v).abs(), (slope[0] - slope[1]).abs()),
            );
        }
    }
    assert!(worst < 1e-6, "{worst:e}");
    // Beyond the ends, and far away, the border value continues.
    assert!((road.surface(-9.0, 1.0).height - 0.1).abs() < 1e-6);
    assert!((road.surface(1e9, -1e9).height + 0.6 - 0.01 * 0.125 * TAU * radius).abs() < 1e-3);
}

#[test]
fn broken_opencrg_files_are_refused_at_their_line() {
    let text = std::fs::read_to_string(format!("{}/../../tests/roads/bend_text.crg", env!("CARGO_MANIFEST_DIR")))
        .expect("text");
    let line = |part: &str| 1 + text.lines().position(|line| line.contains(part)).expect("a line");
    let data = 1 + text.lines().position(|line| line.starts_with("$$$$")).expect("data");
    let section = "D:long section 3,m";
    for (part, with, at, words) in [
        ("#:LRFI", "#:XRFI", line("#:LRFI"), "the format XRFI"),
        ("$KD_DEF", "$ROAD_CRG_MODS\nscale_z_grid = 2\n$\n$KD_DEF", line("$KD_DEF") + 1, "scale_z_grid = 2"),
        ("$KD_DEF", "$ROAD_CRG_OPTS\nBORDER_MODE_U = 3\n$\n$KD_DEF", line("$KD_DEF") + 1, "border_mode_u = 3"),
        ("$KD_DEF", "$ROAD_CRG_FILE\nother.crg\n$\n$KD_DEF", line("$KD_DEF"), "another file"),
        (section, "D:long section three,m", line(section), "long section three"),
        (section, "D:long section at v = 3,m", line("D:long section 13"), "by position"),
        (section, "D:long section 3,mm", line(section), "in \"mm\""),
        ("phi,rad", "phi,deg", line("phi,rad"), "in \"deg\""),
        (section, "D:heights,m", line("D:long section 13"), "have gaps"),
        ("increment  =   5.0", "increment  =   -5.0", data + 1, "-0.5 m apart"),
        ("end_x      =   2.", "end_x      =   9.", data + 1, "end of the reference line"),
        ("v_increment  =   2.5000000000000000e-01", "v_increment  =   3", data + 1, "radius is"),
        ("$$$$", "$ROAD", 1, "a line of `$`"),
    ] {
        assert!(text.contains(part), "{part}");
        let broken = text.replacen(part, with, 1);
        let found = height_map::parse(broken.as_bytes(), "r.crg", false).expect_err(with).0;
        assert!(found[0].found.contains(words) && found[0].line == at, "{with}: {} {}", found[0].line, found[0].found);
    }
    let number = text.replace(".00549020", ".00x49020");
    assert!(height_map::parse(number.as_bytes(), "r.crg", false).expect_err("x").0[0].found.contains(".00x49020"));
    let short: String = text.lines().take(data + 2).map(|line| format!("{line}\n")).collect();
    assert!(height_map::parse(short.as_bytes(), "r.crg", false).is_err());
    let mut bytes = std::fs::read(format!("{}/../../models/van/bend.crg", env!("CARGO_MANIFEST_DIR"))).expect("bytes");
    bytes.truncate(bytes.len() - 120);
    assert!(height_map::parse(&bytes, "r.crg", false).expect_err("short").0[0].found.contains("incomplete"));
}

#[test]
fn hollows_are_filled_to_the_way_of_a_wheel_where_the_road_asks_for_it() {
    let rows = (0..61).map(|i| if (28..33).contains(&i) { -0.05 } else { 0.0 }).enumerate();
    let rows: String = rows.map(|(i, z)| format!("{},{z},{z},{z}\n", 0.05 * i as f64)).collect();
    let text = format!(", -3, 0, 3\n{rows}");
    let refused = height_map::parse(text.as_bytes(), "map.csv", false).expect_err("a hollow").0;
    assert!(refused[0].expected.contains("fill_hollows = true"), "{}", refused[0].expected);
    let filled =
        height_map::parse(text.as_bytes(), "map.csv", true).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    // A wheel of 0.6 m on two edges 0.3 m apart hangs by 0.6 − √(0.6² − 0.15²) m between them.
    let middle = filled.heights[30 * 3];
    assert!((middle + 0.6 - (0.36f64 - 0.0225).sqrt()).abs() < 1e-12, "{middle}");
    assert!(filled.heights[..27 * 3].iter().all(|height| *height == 0.0));
}

#[test]
fn no_place_makes_a_road_fail() {
    let places = [f64::NAN, f64::INFINITY, -f64::INFINITY, 1e300, -1e300, 0.0];
    for (_, road, _) in all() {
        for x in places {
            for y in places {
                road.surface(x, y);
            }
        }
    }
}

#[test]
fn broken_maps_are_refused_with_line_and_column() {
    for (text, line, column, words) in [
        ("", 1, 1, "no numbers"),
        ("x, 0, 1\n0, 1, 2", 1, 1, "1 line"),
        ("x, 0, 1\n0, 1, 2\n1, 1\n", 3, 1, "found 2 numbers"),
        ("x, 0, 1\n0, 1, 2\n1, 1, two\n", 3, 7, "\"two\""),
        ("x, 0, 1\n0, 1, 2\n1, nan, 3\n", 3, 4, "\"nan\""),
        ("x, 0, 1, 4\n0, 1, 2, 3\n1, 2, 3, 4\n", 1, 7, "even grid"),
        ("x, 0, 1\n2, 1, 2\n1, 2, 3\n", 2, 1, "from 2 to 1"),
        ("x, 0\n2, 1\n3, 2\n", 1, 4, "fewer than two positions y"),
        // The number of samples over the length of a wheel would not fit into memory.
        ("x, 0, 1\n0, 1, 2\n5e-324, 2, 3\n", 2, 1, "positions x are 5e-324 m apart"),
        ("x, 0, 1e-9\n0, 1, 2\n1, 2, 3\n", 1, 4, "positions y are 1e-9 m apart"),
        // The slope at such a height is NaN, and no hollow is detected next to it.
        ("1e077, 1e-9, 0.2\n1e-9, -1e308, 0.2\n1000000000, 1e2, 0.2\n", 2, 7, "-1e308 m"),
        ("x, 0, 1e300\n0, 1, 2\n1, 2, 3\n", 1, 7, "1e300 m"),
    ] {
        let found = height_map::parse(text.as_bytes(), "map.csv", false).expect_err(text).0;
        assert!(found[0].found.contains(words), "{text}: {}", found[0].found);
        if line > 1 || column > 1 {
            assert_eq!((found[0].line, found[0].column), (line, column), "{text}");
        }
    }
}

/// A map along x from 0 to 6 m, three lines wide.
fn lane(spacing: f64, height: &dyn Fn(f64) -> f64) -> Result<HeightMap, ballesta_model::document::Diagnostics> {
    let rows = (0..=(6.0 / spacing).round() as i32).map(|i| {
        let x = spacing * f64::from(i);
        format!("{x}, {h}, {h}, {h}\n", h = height(x))
    });
    height_map::parse(format!(", -3, 0, 3\n{}", rows.collect::<String>()).as_bytes(), "map.csv", false)
}

#[test]
fn cliffs_and_narrow_hollows_of_maps_are_refused_and_named() {
    let pothole = |x: f64| if (x - 3.0).abs() < 0.15 { -0.05 } else { 0.0 };
    for spacing in [0.05, 0.1, 0.25, 0.5] {
        let up = lane(spacing, &|x| if x < 3.0 { 0.0 } else { 0.5 }).expect_err("a cliff").0;
        let down = lane(spacing, &|x| if x < 3.0 { 0.5 } else { 0.0 }).expect_err("a cliff").0;
        let line = 2 + (3.0 / spacing).round() as usize;
        for found in [&up[0], &down[0]] {
            assert!(
                found.found.contains("along x") && found.line.abs_diff(line) <= 2,
                "{} {}",
                found.line,
                found.found
            );
        }
    }
    assert!(lane(0.05, &pothole).is_err());
    // A slope, a hump of a large radius, a texture of 2 mm, a step of 0.5 m over 3 m, one of 3 mm.
    let fine: [&dyn Fn(f64) -> f64; 5] = [
        &|x| 0.3 * x,
        &|x| 0.1 * (-(x - 3.0) * (x - 3.0)).exp(),
        &|x| 0.002 * (9.0 * x).sin(),
        &|x| 0.5 * (x / 3.0 - 0.5).clamp(0.0, 1.0),
        &|x| if x < 3.0 { 0.0 } else { 0.003 },
    ];
    for (index, height) in fine.iter().enumerate() {
        for spacing in [0.05, 0.1, 0.25] {
            assert!(lane(spacing, *height).is_ok(), "{index} at {spacing}");
        }
    }
}

#[test]
fn on_every_map_that_is_taken_the_contact_of_a_wheel_jumps_by_less_than_a_hollow_may_be_deep() {
    let (mut random, mut taken, mut largest) = (crate::check::numbers::Random(5), 0, 0.0f64);
    for round in 0..120 {
        let spacing = [0.1, 0.25, 0.5][round % 3];
        let heights: Vec<f64> = random.numbers(64);
        let scale = 0.3 * spacing * random.number().powi(4);
        let Ok(map) = lane(spacing, &|x| scale * heights[(x / spacing).round() as usize]) else { continue };
        taken += 1;
        let road = road_with("", Some(&map));
        let deflection = |x: f64| {
            let centre = Vec3::new(x, 0.0, 0.35);
            let wheel = Wheel { centre, axis: Vec3::y(), velocity: Vec3::zeros(), spin: Vec3::zeros(), radius: 0.376 };
            WheelContact::new(&road, 0.0, &wheel).expect("a contact").deflection
        };
        let mut before = deflection(1.0);
        for k in 1..=4000 {
            let now = deflection(1.0 + 1e-3 * f64::from(k));
            largest = larger(largest, (now - before).abs());
            assert!(now.is_finite());
            before = now;
        }
    }
    println!("{taken} maps of 120 are taken; the deflection changes by {largest:.1e} m per mm at most");
    // Slopes change it by less than 1e-3. Texture within the accepted depth may have crests and hollows sharper than
    // the wheel. The single contact point jumps there by less than that depth (2.3e-3 measured). In rejected maps it
    // jumps by up to 0.18 m.
    assert!((20..110).contains(&taken) && largest < MAX_HOLLOW_DEPTH, "{taken} {largest}");
}
