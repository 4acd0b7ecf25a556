//! The 3-D pages of `view`, `run`, `modes` and `demo`: which are written, what stands in them. How they look and what
//! their controls do is tested in a browser, `tests/browser`.

use super::*;

/// The data of a page.
pub fn data(file: &str) -> Value {
    let page = fs::read_to_string(file).unwrap();
    let (_, rest) = page.split_once("<script type=\"application/json\" id=\"data\">").expect("a script with data");
    let (json, _) = rest.split_once("</script>").unwrap();
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Names below a heading of the tree.
fn rows(data: &Value, group: &str) -> Vec<String> {
    let groups = data["groups"].as_array().unwrap();
    let number = groups.iter().position(|name| name == group).unwrap();
    let items = data["items"].as_array().unwrap().iter().filter(|item| item["g"] == number);
    items.map(|item| item["n"].as_str().unwrap().to_string()).collect()
}

#[test]
fn a_page_changes_no_bit_of_the_run_and_is_the_same_every_time() {
    let folder = Folder::new("page-bits");
    for model in ["models/four_bar", "models/flexible_four_bar"] {
        let [plain, with, first, second] = ["plain.csv", "with.csv", "a.html", "b.html"].map(|name| folder.path(name));
        assert_eq!(ballesta(["run", model, "--stop", "1", "--csv", &plain]).code, 0);
        let answer = ballesta(["run", model, "--stop", "1", "--csv", &with, "--html", &first]);
        assert_eq!((answer.code, answer.stdout.contains(&format!("Wrote {first}."))), (0, true), "{}", answer.stderr);
        assert_eq!(ballesta(["run", model, "--stop", "1", "--html", &second]).code, 0);
        assert!(fs::read(&plain).unwrap() == fs::read(&with).unwrap(), "{model}: other outputs");
        assert!(fs::read(&first).unwrap() == fs::read(&second).unwrap(), "{model}: another page");
    }
}

#[test]
fn every_model_of_the_gallery_has_a_page_of_its_start() {
    let folder = Folder::new("page-gallery");
    let file = folder.path("page.html");
    let mut count = 0;
    for entry in fs::read_dir(Path::new(ROOT).join("models")).unwrap() {
        let model = entry.unwrap().path().join("model.toml");
        if !model.is_file() {
            continue;
        }
        count += 1;
        let name = model.display().to_string();
        let answer = ballesta(["view", &name, "-o", &file]);
        assert_eq!((answer.code, answer.stderr.as_str()), (0, ""), "{name}");
        let data = data(&file);
        assert_eq!((&data["kind"], &data["format"]), (&Value::from("start"), &Value::from(1)), "{name}");
        assert!(!rows(&data, "Bodies").is_empty(), "{name}");
        // Numbers that are not finite would have become null.
        for pose in data["frames"]["poses"].as_array().unwrap() {
            assert!(pose.as_array().unwrap().iter().all(Value::is_number), "{name}: {pose}");
        }
        assert!(data["size"].as_f64().unwrap() > 0.0, "{name}");
        let parts = ["bodies", "marks", "struts"].map(|kind| data["parts"][kind].as_array().unwrap().len());
        assert!(parts[0] >= 1, "{name}: {parts:?}");
        for place in data["parts"]["marks"].as_array().unwrap() {
            assert!(place["at"][1].as_array().unwrap().iter().all(Value::is_number), "{name}: {place}");
        }
    }
    assert!(count > 50, "only {count} models");
}

#[test]
fn the_tree_knows_what_belongs_together() {
    let folder = Folder::new("page-tree");
    let file = folder.path("page.html");
    assert_eq!(ballesta(["run", "models/four_bar", "--stop", "0.1", "--html", &file]).code, 0);
    let data = data(&file);
    assert_eq!(rows(&data, "Bodies"), ["left", "right", "coupler"]);
    let items = data["items"].as_array().unwrap();
    let named = |name: &str| items.iter().find(|item| item["n"] == name).unwrap();
    let belongs = |name: &str| -> Vec<&str> {
        let rows = named(name)["r"].as_array().unwrap().iter();
        rows.map(|row| items[row.as_u64().unwrap() as usize]["n"].as_str().unwrap()).collect()
    };
    assert_eq!(belongs("B0"), ["left", "coupler"]);
    assert_eq!(belongs("left.angle"), ["A0"]);
    // A body and a joint of the van are both named `engine`.
    assert_eq!(ballesta(["view", "models/van", "-o", &file]).code, 0);
    let data = super::view_pages::data(&file);
    let [items, marks] = [&data["items"], &data["parts"]["marks"]].map(|list| list.as_array().unwrap());
    let joint = items.iter().position(|item| item["g"] == 1 && item["n"] == "engine").unwrap();
    assert!(marks.iter().any(|mark| mark["i"] == joint && mark["kind"] == "revolute"));
}

#[test]
fn other_endings_and_files_that_are_read_are_refused_before_anything_is_computed() {
    let folder = Folder::new("page-refused");
    let model = folder.file("model.toml", RAIL);
    for (name, words) in [("page.svg", "ends in .html"), ("page", "ends in .html")] {
        let output = folder.path(name);
        for command in ["run", "modes"] {
            let answer = ballesta([command, &model, "--html", &output]);
            assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{command} {name}");
            assert!(answer.stderr.contains(words), "{}", answer.stderr);
        }
        assert!(!Path::new(&output).exists());
    }
    let page = folder.path("page.html");
    let answer = ballesta(["run", &model, "--html", &page, "--plot", &page]);
    assert_eq!(answer.code, 2, "{}", answer.stderr);
    let answer = ballesta(["modes", &model, "--html", &page]);
    assert_eq!(answer.code, 2, "{}", answer.stderr);
    assert!(answer.stderr.contains("no oscillating mode"), "{}", answer.stderr);
    assert!(!Path::new(&page).exists());
}

#[test]
fn a_run_that_stops_has_its_fault_on_the_page() {
    let folder = Folder::new("page-fault");
    let model = folder.file("model.toml", OUT_OF_REACH);
    let page = folder.path("page.html");
    let answer = ballesta(["run", &model, "--html", &page]);
    assert_eq!(answer.code, 3);
    assert!(answer.stderr.contains(&format!("in {page}")), "{}", answer.stderr);
    let fault = data(&page)["frames"]["fault"].clone();
    assert!(fault[0].as_f64().is_some_and(|time| (4.4..4.6).contains(&time)), "{fault}");
    assert!(fault[1].as_str().unwrap().contains("could not be closed"), "{fault}");
}

#[test]
fn modes_of_structures_reduced_models_and_models_have_pages() {
    let folder = Folder::new("page-modes");
    let rom = folder.path("truss.rom.toml");
    assert_eq!(ballesta(["reduce", "models/structures/truss", "-o", &rom, "--no-comparison"]).code, 0);
    let page = folder.path("modes.html");
    for subject in ["models/structures/truss", &rom, "models/flexible_four_bar"] {
        let answer = ballesta(["modes", subject, "--count", "3", "--html", &page, "--json"]);
        assert_eq!(answer.code, 0, "{subject}: {}", answer.stderr);
        let data = data(&page);
        let shown: Vec<f64> =
            data["shapes"].as_array().unwrap().iter().map(|shape| shape["f"].as_f64().unwrap()).collect();
        if subject.ends_with("truss") {
            let words = |shape: &Value| shape["d"].as_str().unwrap().starts_with("kinetic energy: ");
            assert!(data["shapes"].as_array().unwrap().iter().all(words), "{}", data["shapes"]);
        }
        let found = answer.json()["frequencies_hz"].clone();
        let found: Vec<f64> = found.as_array().unwrap().iter().map(|f| f.as_f64().unwrap()).collect();
        assert!(shown == found && !shown.is_empty(), "{subject}: {shown:?} {found:?}");
    }
}

/// A body with a mesh and two further shapes.
const WITH_SHAPES: &str = r##"
[model]
name = "shaped"
[[body]]
name = "arm"
mass = 1
com = [1, 0, 0]
[[joint]]
name = "pin"
type = "revolute"
bodies = ["ground", "arm"]
point = [0, 0, 0]
axis = [0, 1, 0]
[[shape]]
body = "arm"
type = "mesh"
file = "parts/arm.obj"
scale = 0.5
point = [0.5, 0, 0]
[[shape]]
body = "arm"
type = "mesh"
file = "parts/arm.obj"
mirrored = true
[[shape]]
body = "ground"
group = "floor"
type = "box"
point = [0, 0, -1]
size = [4, 4, 0.1]
colour = "#8090a0"
opacity = 0.5
"##;

const OBJ: &str = "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0 0 2\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

#[test]
fn shapes_stand_in_the_frames_of_their_bodies_and_leave_the_run_and_the_fmu_as_they_were() {
    let folder = Folder::new("page-shapes");
    fs::create_dir_all(folder.0.join("parts")).unwrap();
    folder.file("parts/arm.obj", OBJ);
    let model = folder.file("model.toml", WITH_SHAPES);
    let plain = folder.file("plain.toml", WITH_SHAPES.split("[[shape]]").next().unwrap());
    let [page, first, second, fmu] = ["a.html", "a.csv", "b.csv", "a.fmu"].map(|name| folder.path(name));
    let answer = ballesta(["run", &model, "--html", &page, "--csv", &first]);
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    assert_eq!(ballesta(["run", &plain, "--csv", &second]).code, 0);
    assert!(fs::read(&first).unwrap() == fs::read(&second).unwrap(), "another motion");
    let parts = data(&page)["parts"].clone();
    let [shapes, meshes] = ["shapes", "meshes"].map(|kind| parts[kind].as_array().unwrap().clone());
    assert_eq!(
        (shapes.len(), meshes.len(), parts["shape_groups"].clone()),
        (3, 1, serde_json::json!(["shapes", "floor"]))
    );
    // The frame of the arm stands at its centre of mass.
    assert_eq!(
        (shapes[0]["at"].clone(), shapes[1]["at"].clone()),
        (serde_json::json!([-0.5, 0.0, 0.0]), serde_json::json!([-1.0, 0.0, 0.0]))
    );
    assert_eq!(shapes[1]["size"], serde_json::json!([1.0, 1.0, -1.0]));
    assert_eq!(
        (&meshes[0]["count"], &shapes[2]["opacity"], &shapes[2]["i"]),
        (&Value::from(4), &Value::from(0.5), &Value::Null)
    );
    // The files of meshes stay out of an FMU, and the library reads its model without them.
    let answer = ballesta(["export", &model, "-o", &fmu, "--library", &host_library()]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stdout.contains("resources/model.toml") && !answer.stdout.contains("arm.obj"), "{}", answer.stdout);
    let answer = ballesta(["bench", &fmu, "--steps", "5", "--json"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let flat = ballesta(["expand", &model]);
    assert_eq!((flat.code, flat.stdout.matches("[[shape]]").count()), (0, 3), "{}", flat.stderr);
}

#[test]
fn meshes_that_cannot_be_drawn_are_refused_at_their_keys() {
    let folder = Folder::new("page-meshes");
    fs::create_dir_all(folder.0.join("parts")).unwrap();
    let model = folder.file("model.toml", WITH_SHAPES);
    let output = folder.path("page.html");
    let keys = WITH_SHAPES.lines().position(|line| line.starts_with("file")).unwrap() + 1;
    for (content, says) in [
        (None, "cannot be read"),
        (Some("v 0 0 0\nf 1 2 3\n"), "is not an OBJ file"),
        (Some("v 0 0 0\nv 1 0 0\nl 1 2\n"), "has no triangle with a positive area"),
    ] {
        if let Some(content) = content {
            folder.file("parts/arm.obj", content);
        }
        for arguments in [vec!["view", &model, "-o", &output], vec!["check", &model], vec!["run", &model]] {
            let answer = ballesta(arguments);
            let place = format!("model.toml:{keys}:8: error: shape[0].file: \"parts/arm.obj\" {says}");
            assert_eq!(answer.code, 1, "{}", answer.stderr);
            assert!(answer.stderr.contains(&place), "{}\n{place}", answer.stderr);
            assert_eq!(
                answer.stderr.matches(": error:").count(),
                1,
                "a file is complained about once: {}",
                answer.stderr
            );
        }
        assert!(!Path::new(&output).exists());
    }
}

#[test]
fn gltf_files_are_the_same_every_time_and_other_endings_are_refused() {
    let folder = Folder::new("glb");
    let [first, second, start] = ["a.glb", "b.GLB", "start.glb"].map(|name| folder.path(name));
    for file in [&first, &second] {
        let answer = ballesta(["run", "models/driven_arm", "--stop", "1", "--glb", file]);
        assert!(answer.code == 0 && answer.stdout.contains(&format!("Wrote {file}.")), "{}", answer.stderr);
    }
    let bytes = fs::read(&first).unwrap();
    assert!(bytes == fs::read(&second).unwrap() && bytes.starts_with(b"glTF\x02\0\0\0"));
    assert_eq!(bytes.len(), u32::from_le_bytes(bytes[8..12].try_into().unwrap()) as usize);
    assert_eq!(ballesta(["view", "models/truck", "-o", &start]).code, 0);
    let wrong = folder.path("a.gltf");
    let answer = ballesta(["run", "models/four_bar", "--glb", &wrong]);
    assert_eq!((answer.code, answer.stderr.contains("ends in .glb")), (2, true), "{}", answer.stderr);
    let answer = ballesta(["run", "models/four_bar", "--glb", &first, "--html", &first]);
    assert_eq!(answer.code, 2, "{}", answer.stderr);
    assert!(!Path::new(&wrong).exists() && fs::read(&first).unwrap() == bytes);
}

#[test]
fn pictures_of_modes_have_signs_axes_and_a_view_in_which_each_shape_is_seen() {
    let folder = Folder::new("modes-svg");
    let svg = folder.path("modes.svg");
    let draw = |structure: &str| {
        let answer = ballesta(["modes", structure, "--svg", &svg]);
        assert_eq!((answer.code, answer.stderr.as_str()), (0, ""), "{structure}");
        fs::read_to_string(&svg).unwrap()
    };
    let space = draw("models/structures/space_frame");
    let count = |text: &str, what: &str| text.matches(what).count();
    // Three interfaces as circles and a support as a triangle in each of ten panels, one scale.
    assert_eq!(
        (count(&space, "class=\"sign\""), count(&space, "a3.5 3.5 0 1 0 7 0"), count(&space, "l-5 8h10z")),
        (10, 30, 10)
    );
    assert_eq!((count(&space, "class=\"axis\""), count(&space, ">z</text>"), count(&space, " mm</text>")), (10, 10, 1));
    // Modes 3 and 6 move along the usual direction of view.
    let turned = count(&space, "seen from another side</text>");
    assert!((1..10).contains(&turned), "{turned} panels are turned");
    let plane = draw("models/structures/cantilever");
    assert_eq!((count(&plane, ">z</text>"), count(&plane, "another side")), (0, 0));
}
