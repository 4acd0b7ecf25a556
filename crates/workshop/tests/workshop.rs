//! The workshop from files in memory, as in a page: drawings, errors, positions of tables, continued runs.

use ballesta::compile;
use ballesta::model;
use ballesta::simulate::Simulator;
use ballesta_pictures::page::{self, Subject};
use ballesta_workshop::{Carry, Workshop};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All files below a folder, by their paths from it.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_path_buf()];
    while let Some(next) = pending.pop() {
        for entry in std::fs::read_dir(&next).expect("readable") {
            let path = entry.expect("readable").path();
            let name = path.strip_prefix(folder).expect("below").to_string_lossy().replace('\\', "/");
            match path.is_dir() {
                true => pending.push(path),
                false => found.push((name, std::fs::read(&path).expect("readable"))),
            }
        }
    }
    found
}

fn workshop(folder: &str) -> Workshop {
    let mut workshop = Workshop::default();
    files(&root().join(folder)).into_iter().for_each(|(path, bytes)| workshop.put(&path, bytes));
    workshop
}

fn text(model: &str) -> String {
    std::fs::read_to_string(root().join("models").join(model).join("model.toml")).expect("a model")
}

fn parsed(answer: Result<String, String>) -> Result<Value, Value> {
    let parse = |text: String| serde_json::from_str(&text).expect("JSON");
    answer.map(parse).map_err(parse)
}

fn compiled(workshop: &mut Workshop, carry: Carry) -> Value {
    parsed(workshop.compile("model.toml", carry)).unwrap_or_else(|wrong| panic!("{wrong}"))
}

/// The first diagnostic of a text of the four-bar.
fn diagnostic(workshop: &mut Workshop, text: &str) -> Value {
    workshop.put("model.toml", text.as_bytes().to_vec());
    let wrong = parsed(workshop.compile("model.toml", Carry::Keep)).expect_err("it is wrong");
    wrong["diagnostics"][0].clone()
}

/// The data in the live page of a model.
fn data_of_page(name: &str) -> Value {
    let folder = root().join("models").join(name);
    let mut document = model::load(&folder).expect("a model");
    ballesta_mesh::load(&mut document, &folder).expect("meshes");
    let values = document.model.parameter_values();
    let mut simulator = Simulator::new(Arc::new(compile::compile(&document, &values).expect("a system")));
    simulator.initialize(document.model.experiment.start).expect("a start");
    let text = text(name);
    let source = page::live::Source { text: &text, typed: String::new(), library: b"" };
    let subject = Subject { document: &document, values: &values };
    let page = page::of_live(&subject, &mut simulator, &source).expect("a page");
    let (_, rest) = page.split_once("<script type=\"application/json\" id=\"data\">").expect("data");
    serde_json::from_str(rest.split_once("</script>").expect("an end").0).expect("JSON")
}

/// Removes the numbers of the inputs in the model of the page.
fn without_numbers(data: &mut Value) {
    for list in ["inputs", "pulls"] {
        for row in data["live"][list].as_array_mut().expect("a list") {
            row.as_object_mut().expect("an object").remove("k");
        }
    }
}

#[test]
fn the_data_are_those_of_a_live_page() {
    for name in ["four_bar", "van", "driven_arm", "truck"] {
        let mut expected = data_of_page(name);
        let live = expected["live"].as_object_mut().expect("an object");
        assert!(live.remove("model").is_some() && live.remove("files").is_some());
        let mut workshop = workshop(&format!("models/{name}"));
        let mut own = compiled(&mut workshop, Carry::Start)["data"].take();
        // The appended inputs have other numbers, because they follow those of subassemblies.
        let inputs = &workshop.session().expect("a session").system().interface().inputs;
        for input in own["live"]["inputs"].as_array().expect("a list") {
            assert_eq!(input["n"], inputs[input["k"].as_u64().expect("an index") as usize].name.as_str());
        }
        for pull in own["live"]["pulls"].as_array().expect("a list") {
            for (axis, k) in ["x", "y", "z"].iter().zip(pull["k"].as_array().expect("a list")) {
                let name = format!("{}.{axis}", pull["n"].as_str().expect("a name"));
                assert_eq!(name, inputs[k.as_u64().expect("an index") as usize].name);
            }
        }
        without_numbers(&mut own);
        without_numbers(&mut expected);
        for (key, value) in expected.as_object().expect("an object") {
            assert_eq!(value, &own[key], "{name}: {key}");
        }
        assert_eq!(own.as_object().map(|own| own.len()), expected.as_object().map(|own| own.len()));
        assert!(!own["live"]["pulls"].as_array().expect("a list").is_empty(), "{name}");
    }
}

#[test]
fn every_row_of_the_tree_has_the_line_of_its_table() {
    let mut workshop = workshop("models/four_bar");
    let answer = compiled(&mut workshop, Carry::Start);
    let lines: Vec<String> = text("four_bar").lines().map(str::to_string).collect();
    let outline = answer["outline"].as_array().expect("a list");
    let items = answer["data"]["items"].as_array().expect("a list");
    assert_eq!(outline.len(), items.len());
    for row in outline {
        let line = row["line"].as_u64().expect("a line") as usize;
        let table = row["k"].as_str().and_then(|key| key.split_once('[')).expect("a key").0;
        assert!(lines[line - 1].starts_with(&format!("[[{table}]]")), "{row}: {}", lines[line - 1]);
        assert_eq!(lines[line], format!("name = {}", row["n"]), "{row}");
        let item = &items[row["item"].as_u64().expect("an index") as usize];
        assert_eq!((&item["n"], &item["g"]), (&row["n"], &row["group"]));
        assert_eq!((row["file"].as_str(), row["column"].as_u64()), (Some("model.toml"), Some(1)));
    }
}

#[test]
fn tables_of_subassemblies_are_in_their_files() {
    let answer = compiled(&mut workshop("models/van"), Carry::Start);
    let outline = answer["outline"].as_array().expect("a list");
    let files: Vec<&str> = outline.iter().map(|row| row["file"].as_str().expect("a file")).collect();
    assert!(files.is_sorted());
    for file in ["model.toml", "parts/front_corner_forces.toml", "parts/rear_axle.toml"] {
        assert!(files.contains(&file), "{file}");
    }
    let items = answer["data"]["items"].as_array().expect("a list").len();
    assert_eq!(outline.len(), items, "every row has a table");
    // Both wheels of an axle are in the same lines.
    let of = |name: &str| outline.iter().find(|row| row["n"] == *name).map(|row| (&row["file"], &row["line"]));
    let left = outline.iter().filter_map(|row| row["n"].as_str()).find(|name| name.starts_with("axle1.left."));
    let left = left.expect("an item");
    assert_eq!(of(left), of(&left.replace("left", "right")), "{left}");
}

#[test]
fn errors_are_positions_in_the_text_and_the_old_run_goes_on() {
    let mut workshop = workshop("models/four_bar");
    compiled(&mut workshop, Carry::Start);
    (0..10).for_each(|_| workshop.session().expect("a session").step().expect("a step"));
    let text = text("four_bar");
    let wrong = diagnostic(&mut workshop, &text.replacen("mass = 1", "mas = 1", 1));
    assert_eq!((&wrong["file"], &wrong["line"], &wrong["column"]), (&"model.toml".into(), &26.into(), &1.into()));
    assert_eq!((&wrong["key"], &wrong["expected"]), (&"body[0].mas".into(), &"did you mean `mass`?".into()));
    let wrong = diagnostic(&mut workshop, &text.replace("speed = -1 ", "position = nan "));
    assert!(wrong["line"].as_u64() > Some(0), "{wrong}");
    let gone = diagnostic(&mut workshop, &format!("{text}\n[[use]]\nfile = \"parts/none.toml\"\n"));
    assert!(gone["found"].as_str().expect("text").contains("is not among the files in memory"), "{gone}");
    // A loop that cannot be closed, and a name of no file.
    let wide = diagnostic(&mut workshop, &text.replace("B1 = [1, 1, 0]", "B1 = [1e300, 1, 0]"));
    assert!(wide["line"].as_u64() > Some(0), "{wide}");
    let none = parsed(workshop.compile("other.toml", Carry::Start)).expect_err("no file");
    assert_eq!((&none["diagnostics"][0]["file"], &none["diagnostics"][0]["line"]), (&"other.toml".into(), &0.into()));
    workshop.put("model.toml", vec![b'a', 0xFF]);
    assert!(parsed(workshop.compile("model.toml", Carry::Keep)).is_err());
    let session = workshop.session().expect("a session");
    session.step().expect("a step");
    assert_eq!(session.point(), 11);
}

#[test]
fn a_run_continues_after_a_change() {
    let mut workshop = workshop("models/four_bar");
    let answer = compiled(&mut workshop, Carry::Keep);
    assert_eq!(answer["carried"], serde_json::json!({"how": "start", "time": 0.0, "why": ""}));
    (0..100).for_each(|_| workshop.session().expect("a session").step().expect("a step"));
    let text = text("four_bar");
    for (text, how, time, why) in [
        (format!("{text}\n"), "same", 1.0, ""),
        (text.replacen("mass = 1", "mass = 2", 1), "placed", 1.0, ""),
        (text.replace("name = \"A1\"\ntype", "name = \"C\"\ntype"), "start", 0.0, "the coordinate `C` is new"),
    ] {
        workshop.put("model.toml", text.into_bytes());
        let answer = compiled(&mut workshop, Carry::Keep);
        assert_eq!(answer["carried"], serde_json::json!({"how": how, "time": time, "why": why}));
        assert_eq!(answer["data"]["frames"]["times"].as_f64(), Some(time));
        let session = workshop.session().expect("a session");
        assert_eq!((session.start(), session.point()), (time, 0));
    }
    // A flexible model, a vehicle in motion, filters and tyres.
    for name in ["flexible_slider_crank", "van", "driven_arm"] {
        let mut workshop = self::workshop(&format!("models/{name}"));
        compiled(&mut workshop, Carry::Start);
        (0..20).for_each(|_| workshop.session().expect("a session").step().expect("a step"));
        let frame = |workshop: &mut Workshop| workshop.session().expect("a session").frame().to_vec();
        let before = frame(&mut workshop);
        workshop.put(
            "model.toml",
            format!(
                "{}\n[[body]]\nname = \"x\"\nmass = 1\ncom = [0, 0, 9]\n[[joint]]\nname = \"x\"\n\
            type = \"fixed\"\nbodies = [\"ground\", \"x\"]\npoint = [0, 0, 9]\n",
                self::text(name)
            )
            .into_bytes(),
        );
        let answer = compiled(&mut workshop, Carry::Keep);
        assert_eq!(answer["carried"]["how"], "placed", "{name}: {}", answer["carried"]);
        let session = workshop.session().expect("a session");
        let bodies: Vec<String> = session.system().bodies.iter().map(|body| body.name.clone()).collect();
        let added = bodies.iter().position(|body| body == "x").unwrap_or(bodies.len());
        let after = frame(&mut workshop);
        for k in (7..7 * bodies.len()).filter(|k| *k < 7 * added) {
            assert!((before[k] - after[k]).abs() < 1e-9, "{name}: {}", bodies[k / 7]);
        }
        (0..20).for_each(|_| workshop.session().expect("a session").step().expect("a step"));
    }
}

#[test]
fn meshes_and_files_are_those_in_memory() {
    let mut workshop = workshop("models/driven_arm");
    let data = compiled(&mut workshop, Carry::Start)["data"].take();
    assert!(data["parts"].to_string().len() > 1000);
    workshop.take_away("forearm.stl");
    let wrong = parsed(workshop.compile("model.toml", Carry::Start)).expect_err("a mesh is missing");
    assert!(wrong.to_string().contains("forearm.stl\\\" is not among the files in memory"), "{wrong}");
    // A model in a folder names files relative to it.
    let mut below = Workshop::default();
    let all = files(&root().join("models/driven_arm")).into_iter();
    all.for_each(|(path, bytes)| below.put(&format!("arms/a/{path}"), bytes));
    assert!(below.compile("arms/a/model.toml", Carry::Start).is_ok());
}

/// Versions of a text with one fault, as they occur while somebody types.
fn broken(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut texts: Vec<String> = [3, 7, 11, 17].map(|part| lines[..lines.len() * part / 19].join("\n")).into();
    for part in [5, 9, 14] {
        let mut fewer = lines.clone();
        fewer.remove(lines.len() * part / 17);
        texts.push(fewer.join("\n"));
    }
    let numbers: Vec<usize> =
        lines.iter().enumerate().filter(|(_, line)| line.contains("= [")).map(|(k, _)| k).collect();
    for (k, number) in ["0", "-1", "1e308", "nan", "[]"].into_iter().enumerate() {
        let Some(&at) = numbers.get(numbers.len() * (k + 1) / 7) else { continue };
        let mut changed: Vec<String> = lines.iter().map(|line| line.to_string()).collect();
        let (key, value) = lines[at].split_once("= [").expect("a list");
        let rest = value.split_once(',').map_or("]", |(_, rest)| rest);
        changed[at] = format!("{key}= [{number}, {rest}");
        texts.push(changed.join("\n"));
    }
    texts.push(text.replace("mass = ", "mass = 0 #"));
    texts.push(text.replace("axis = [", "axis = [0, 0, 0] # ["));
    texts.push(text.replace("stop = ", "start = 1e300\nstop = "));
    texts
}

/// Compiles a text, and steps it if it compiles.
fn survives(workshop: &mut Workshop, main: &str, text: &str, counts: &mut [usize; 2]) {
    workshop.put(main, text.as_bytes().to_vec());
    let carry = if counts[0].is_multiple_of(2) { Carry::Keep } else { Carry::Start };
    match parsed(workshop.compile(main, carry)) {
        Ok(answer) => {
            counts[0] += 1;
            assert!(answer["data"]["items"].is_array() && answer["outline"].is_array());
            let session = workshop.session().expect("a session");
            let _ = session.step();
            session.frame();
        }
        Err(wrong) => {
            counts[1] += 1;
            let first = &wrong["diagnostics"][0];
            assert!(first["file"].is_string() && first["found"].as_str() != Some(""), "{wrong}");
        }
    }
}

#[test]
fn no_text_stops_the_workshop() {
    let mut counts = [0, 0];
    let mut folders: Vec<PathBuf> = std::fs::read_dir(root().join("models"))
        .expect("readable")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.join("model.toml").is_file())
        .collect();
    folders.sort();
    for folder in &folders {
        let mut workshop = Workshop::default();
        files(folder).into_iter().for_each(|(path, bytes)| workshop.put(&path, bytes));
        let text = std::fs::read_to_string(folder.join("model.toml")).expect("a model");
        assert!(workshop.compile("model.toml", Carry::Start).is_ok(), "{}", folder.display());
        for text in broken(&text) {
            survives(&mut workshop, "model.toml", &text, &mut counts);
        }
    }
    for template in ballesta_run::templates::TEMPLATES {
        let mut workshop = Workshop::default();
        let files = template.files();
        files.iter().for_each(|(path, text)| workshop.put(path, text.clone().into_bytes()));
        for (path, text) in files.iter().filter(|(path, text)| path.ends_with(".toml") && text.contains("[model]")) {
            assert!(workshop.compile(path, Carry::Start).is_ok(), "{} {path}", template.name);
            broken(text).iter().for_each(|text| survives(&mut workshop, path, text, &mut counts));
            workshop.put(path, text.clone().into_bytes());
        }
    }
    assert!(counts[0] > 100 && counts[1] > 500, "{counts:?}");
}

/// The text of the numbers of a point that can be changed, by their positions in the answer.
fn numbers(point: &Value, text: &str) -> Vec<String> {
    let lines: Vec<Vec<char>> = text.split('\n').map(|line| line.chars().collect()).collect();
    let of = |place: &Value, key: &str| place[key].as_u64().expect("a number") as usize;
    let places = point["values"].as_array().expect("a list").iter().filter(|place| !place.is_null());
    let written = places.map(|at| &lines[of(at, "line") - 1][of(at, "column") - 1..of(at, "end") - 1]);
    written.map(|characters| characters.iter().collect()).collect()
}

fn point<'v>(answer: &'v Value, name: &str) -> &'v Value {
    let points = answer["points"].as_array().expect("a list");
    points.iter().find(|point| point["n"] == name).unwrap_or_else(|| panic!("no point {name}"))
}

#[test]
fn the_numbers_of_points_have_positions_in_the_text() {
    let mut workshop = workshop("models/four_bar");
    let long = "B1 = [ # \u{e9}\u{1f600} right\n  1.000, # x\n\t+1e0 ,\n  -0.00_0, # z\n]\n\
        \"\u{df}\" = [0.5, -2, 3]\nh = [\"height\", 0, 0]\nx = [0x10, 0, 0]\n\
        f = [1, 2, 3]\nnone = [\"height\", 'height', \"height\"]";
    let text = text("four_bar").replace("B1 = [1, 1, 0]", long)
        + "\n[[parameter]]\nname = \"height\"\nvalue = 2.5\n\
        [[frame]]\nname = \"f\"\nposition = [0, 0, 1]\nangles_deg = [0, 0, 90]\npoints = { F = [1, 2, 3] }\n";
    workshop.put("model.toml", text.clone().into_bytes());
    let answer = compiled(&mut workshop, Carry::Start);
    let b1 = point(&answer, "B1");
    assert_eq!(numbers(b1, &text), ["1.000", "+1e0", "-0.00_0"]);
    assert_eq!((&b1["p"], &b1["drag"]), (&serde_json::json!([1.0, 1.0, 0.0]), &Value::Bool(true)));
    assert_eq!(b1["why"], Value::Null);
    assert!(text.split('\n').nth(b1["line"].as_u64().expect("a line") as usize - 1).expect("it").starts_with("B1 ="));
    assert_eq!(numbers(point(&answer, "\u{df}"), &text), ["0.5", "-2", "3"]);
    assert_eq!(numbers(point(&answer, "A1"), &text), ["1", "0", "0"]);
    // Numbers that cannot be changed, and points in a frame.
    for (name, at, words) in [("h", 2.5, "x is the parameter \"height\""), ("x", 16.0, "x is 0x10, which is not a")] {
        let point = point(&answer, name);
        assert_eq!((&point["drag"], &point["p"][0], &point["values"][0]), (&true.into(), &at.into(), &Value::Null));
        assert_eq!(numbers(point, &text), ["0", "0"]);
        assert!(point["why"].as_str().is_some_and(|why| why.starts_with(words)), "{point}");
    }
    let hidden = point(&answer, "none");
    assert_eq!((&hidden["drag"], &hidden["values"]), (&false.into(), &serde_json::json!([])));
    assert_eq!(
        hidden["why"],
        "x is the parameter \"height\", y is the parameter 'height', z is the parameter \"height\""
    );
    let framed = point(&answer, "F");
    assert_eq!(
        (numbers(framed, &text), &framed["p"], &framed["v"]),
        (
            numbers(point(&answer, "f"), &text),
            &serde_json::json!([-2.0, 1.0, 4.0]),
            &serde_json::json!([1.0, 2.0, 3.0])
        )
    );
    assert_eq!(framed["m"], serde_json::json!([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]));
}

/// A handle by its path in the model.
fn handle<'v>(answer: &'v Value, key: &str) -> &'v Value {
    let handles = answer["points"].as_array().expect("a list");
    handles.iter().find(|handle| handle["k"] == key).unwrap_or_else(|| panic!("no handle {key}"))
}

#[test]
fn centres_of_mass_axes_and_places_have_handles_with_the_rows_of_their_tables() {
    let mut workshop = workshop("models/four_bar");
    let text = text("four_bar").replacen("axis = [0, 0, 1]", "axis = [0, 0, 2.0]", 1)
        + "\n[[body]]\nname = \"x\"\nmass = 1\ncom = [0, 0.50, 9]\ninertia = [1, 1, 1, 0, 0, 0]\n\
           [[joint]]\nname = \"x\"\ntype = \"universal\"\n\
           bodies = [\"ground\", \"x\"]\npoint = [0, 1, 9]\naxis = [1, 0, 0]\nsecond_axis = [0, 1, 0]\n";
    workshop.put("model.toml", text.clone().into_bytes());
    let answer = compiled(&mut workshop, Carry::Start);
    let items = answer["data"]["items"].as_array().expect("a list");
    let last = |table: &str, group: u64| {
        let count = items.iter().filter(|item| item["g"] == group).count();
        format!("{table}[{}]", count - 1)
    };
    let (body, joint) = (last("body", 0), last("joint", 1));
    let com = handle(&answer, &format!("{body}.com"));
    assert_eq!((&com["kind"], numbers(com, &text)), (&"com".into(), vec!["0".into(), "0.50".into(), "9".into()]));
    assert_eq!(items[com["i"].as_u64().expect("a row") as usize]["n"], "x");
    let place = handle(&answer, &format!("{joint}.point"));
    assert_eq!(
        (&place["kind"], &place["p"], &place["drag"]),
        (&"place".into(), &serde_json::json!([0.0, 1.0, 9.0]), &true.into())
    );
    let held = handle(&answer, &format!("{joint}.axis"));
    assert_eq!((&held["kind"], &held["drag"]), (&"axis".into(), &false.into()));
    assert_eq!(held["why"], "`second_axis` must remain perpendicular to it");
    let axis = handle(&answer, "joint[0].axis");
    assert_eq!((&axis["drag"], &axis["v"]), (&true.into(), &serde_json::json!([0.0, 0.0, 2.0])));
    assert_eq!(numbers(axis, &text), ["0", "0", "2.0"]);
}

#[test]
fn points_of_a_subassembly_have_one_position_and_a_matrix_for_every_use() {
    let part = "[points]\nP = [0, 0.25, 0]\n";
    let of = |uses: &str| {
        let mut workshop = workshop("models/four_bar");
        workshop.put("part.toml", part.as_bytes().to_vec());
        workshop.put("model.toml", format!("{}\n{uses}", text("four_bar")).into_bytes());
        compiled(&mut workshop, Carry::Start)
    };
    let plain = "[[use]]\nfile = \"part.toml\"\nprefix = \"a.\"\n";
    let once = of(plain);
    let once = point(&once, "a.P");
    assert_eq!((&once["file"], &once["drag"], &once["line"]), (&"part.toml".into(), &true.into(), &2.into()));
    assert_eq!((numbers(once, part), &once["m"]), (vec!["0".into(), "0.25".into(), "0".into()], &Value::Null));
    let mirrored = plain.replace("a.", "b.") + "mirror = \"y\"\ntranslate = [1, 0, 0]\n";
    let both = of(&format!("{plain}{mirrored}"));
    let [a, b] = ["a.P", "b.P"].map(|name| point(&both, name));
    for key in ["file", "line", "column", "values", "drag", "v"] {
        assert_eq!(a[key], b[key], "{key}");
    }
    assert_eq!((&a["p"], &b["p"]), (&serde_json::json!([0.0, 0.25, 0.0]), &serde_json::json!([1.0, -0.25, 0.0])));
    assert_eq!(b["m"], serde_json::json!([[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]]));
}
