//! `ballesta view`.

use super::*;

/// The text of the picture of a model.
fn picture(folder: &Folder, model: &str) -> String {
    let file = folder.path("picture.svg");
    let answer = ballesta(["view", model, "-o", &file]);
    assert_eq!((answer.code, answer.stdout.as_str(), answer.stderr.as_str()), (0, "", ""), "{model}");
    fs::read_to_string(&file).unwrap()
}

/// Values of an attribute, wherever it stands.
fn attribute<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let start = format!(" {name}=\"");
    text.match_indices(&start).filter_map(|(at, _)| text[at + start.len()..].split('"').next()).collect()
}

/// Absolute points of a path: what follows M, L and Q.
fn points(path: &str) -> Vec<(f64, f64)> {
    let mut points = Vec::new();
    for piece in path.split_inclusive(|c: char| c.is_alphabetic()).collect::<Vec<_>>().windows(2) {
        if !piece[0].ends_with(['M', 'L', 'Q']) {
            continue;
        }
        let numbers = piece[1].trim_end_matches(char::is_alphabetic).split_whitespace();
        let numbers: Vec<f64> = numbers.map(|n| n.parse().unwrap_or_else(|_| panic!("{n} in {path}"))).collect();
        points.extend(numbers.chunks_exact(2).map(|pair| (pair[0], pair[1])));
    }
    points
}

#[test]
fn every_model_of_the_gallery_has_a_picture_whose_parts_are_all_on_the_page() {
    let folder = Folder::new("view-gallery");
    let mut count = 0;
    let files = |folder: &Path| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let folders = files(&Path::new(ROOT).join("models")).into_iter().filter(|path| path.is_dir());
    let is_model = |path: &PathBuf| {
        path.extension().is_some_and(|ending| ending == "toml")
            && fs::read_to_string(path).unwrap().lines().any(|line| line.trim() == "[model]")
    };
    for model in folders.flat_map(|folder| files(&folder)).filter(is_model) {
        count += 1;
        let name = model.display().to_string();
        let svg = picture(&folder, &name);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{name}");
        let size: Vec<f64> = ["width", "height"].map(|side| attribute(&svg, side)[0].parse().unwrap()).to_vec();
        let (drawn, legend) = svg.split_once("<g id=\"legend\">").unwrap_or_else(|| panic!("{name}: no legend"));
        assert_eq!(drawn.matches("class=\"view\"").count(), 3, "{name}");
        assert!(drawn.matches("class=\"part\"").count() >= 3, "{name}: no body");
        assert!(legend.contains("class=\"name\""), "{name}: an empty legend");
        let circles = attribute(drawn, "cx").into_iter().zip(attribute(drawn, "cy"));
        let circles = circles.map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap()));
        let all: Vec<(f64, f64)> = attribute(drawn, "d").into_iter().flat_map(points).chain(circles).collect();
        assert!(all.len() > 20, "{name}: {} points", all.len());
        for (x, y) in all {
            assert!((0.0..=size[0]).contains(&x) && (0.0..=size[1]).contains(&y), "{name}: {x} {y} of {size:?}");
        }
    }
    assert!(count > 60, "only {count} models");
}

#[test]
fn every_wheel_of_the_vehicles_is_in_every_view() {
    let folder = Folder::new("view-wheels");
    for (model, wheels, tyres) in [("models/van", 4, 6), ("models/truck", 10, 12)] {
        let svg = picture(&folder, model);
        for view in ["top", "side", "front"] {
            let from = svg.find(&format!("id=\"{view}\"")).unwrap_or_else(|| panic!("{view}"));
            let part = &svg[from..];
            let part = &part[..part[8..].find("id=\"").map_or(part.len(), |at| at + 8)];
            assert_eq!(part.matches("class=\"wheel\"").count(), wheels, "{model}, {view}");
            assert_eq!(part.matches("class=\"tyre\"").count(), tyres, "{model}, {view}: twin tyres are two");
        }
    }
}

/// `BALLESTA_REWRITE=1 cargo test -p ballesta-cli --features full --test cli` brings them up to date.
#[test]
fn the_documentation_shows_what_the_command_draws() {
    let folder = Folder::new("view-docs");
    for vehicle in ["van", "truck"] {
        let path = Path::new(ROOT).join(format!("docs/pictures/view_{vehicle}.svg"));
        let svg = picture(&folder, &format!("models/{vehicle}"));
        if std::env::var_os("BALLESTA_REWRITE").is_some() {
            fs::write(&path, &svg).unwrap();
        }
        assert!(fs::read_to_string(&path).unwrap() == svg, "{} is not current", path.display());
        let page = fs::read_to_string(Path::new(ROOT).join(format!("docs/vehicles/{vehicle}.md"))).unwrap();
        assert!(page.contains(&format!("../pictures/view_{vehicle}.svg")), "docs/vehicles/{vehicle}.md");
    }
}

#[test]
fn endings_that_are_not_written_are_refused_with_those_that_are() {
    let folder = Folder::new("view-endings");
    for name in ["view.htm", "view.pdf", "view"] {
        let output = folder.path(name);
        let answer = ballesta(["view", "models/four_bar", "-o", &output]);
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{name}");
        assert!(answer.stderr.contains("one of .svg, .png, .html, .glb"), "{}", answer.stderr);
        assert!(!Path::new(&output).exists(), "{name}");
    }
    let model = folder.file("model.toml", OUT_OF_REACH);
    let output = folder.path("out.SVG");
    assert_eq!(ballesta(["view", &model, "-o", &output, "--set", "none=1"]).code, 2);
    assert!(!Path::new(&output).exists());
    assert_eq!(ballesta(["view", &model, "-o", &output]).code, 0);
    assert!(fs::read_to_string(&output).unwrap().ends_with("</svg>\n"));
}
