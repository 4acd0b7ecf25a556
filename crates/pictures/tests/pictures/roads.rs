//! The pictures of docs/roads.md, which `BALLESTA_REWRITE=1` draws anew.

use ballesta::compile::elements;
use ballesta::force::road::Road;
use ballesta::model;
use ballesta_pictures::plot::{Curve, draw_over};
use std::path::Path;

/// The road of the tables in `text`.
fn road(text: &str) -> Road {
    let text = format!("[model]\nname = \"m\"\n[[road]]\nname = \"r\"\n{text}");
    let model = model::parse(&text, "road.toml").unwrap_or_else(|diagnostics| panic!("{diagnostics}")).model;
    elements::road(&model.roads[0], [None, None], &|number| model.resolve(number, &[]))
}

/// Draws curves of heights and compares them with the file.
fn picture(name: &str, title: &str, note: &str, places: &[f64], curves: &[(&str, Vec<f64>)]) {
    let curves: Vec<Curve> = curves
        .iter()
        .map(|(name, values)| Curve { name, unit: "m", description: "", stepped: false, diagnostic: false, values })
        .collect();
    let svg = draw_over(("x", "m"), title, note, places, &curves);
    let path = Path::new("docs/pictures").join(name);
    if std::env::var_os("BALLESTA_REWRITE").is_some() {
        std::fs::write(&path, &svg).expect("writable");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(svg == kept, "{} is out of date: BALLESTA_REWRITE=1", path.display());
}

#[test]
fn pictures_show_the_roads_of_the_page() {
    crate::root::at_root();
    let places: Vec<f64> = (0..=900).map(|i| -1.0 + 0.01 * f64::from(i)).collect();
    let bump = |name: &'static str, text: &str| {
        let road = road(&format!("[[road.bump]]\nstart = 0\nheight = 0.1\n{text}"));
        (name, places.iter().map(|x| road.surface(*x, 0.0).height).collect::<Vec<f64>>())
    };
    let bumps = [
        bump("round", "kind = \"round\"\nlength = 3.7"),
        bump("sinusoidal", "kind = \"sinusoidal\"\nlength = 3.7"),
        bump("flat_top", "kind = \"flat_top\"\nlength = 6.6\nramp = 1.8"),
    ];
    picture("road_bumps.svg", "Speed bumps", "Kinks rounded over 0.2 m", &places, &bumps);
    let places: Vec<f64> = (0..=1000).map(|i| 0.1 * f64::from(i)).collect();
    let road = road("[road.random]\nclass = \"C\"\ntrack = 1.5");
    let track = |name, y| (name, places.iter().map(|x| road.surface(*x, y).height).collect::<Vec<f64>>());
    let tracks = [track("left track", 0.75), track("right track", -0.75)];
    picture("road_random.svg", "Random profile, class C", "Tracks 1.5 m apart, faded in over 10 m", &places, &tracks);
}
