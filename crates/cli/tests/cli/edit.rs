//! `ballesta edit`. The behaviour of the page is tested in `tests/browser`.

use super::*;

/// A written page.
struct Page {
    text: String,
    data: Value,
}

impl Page {
    /// The page for arguments, by a program with a library for pages.
    fn of(folder: &Folder, arguments: &[&str]) -> Page {
        let file = folder.path("page.html");
        let answer = run_program(&installed(&folder.0, true), [&["edit"], arguments, &["-o", &file]].concat());
        assert_eq!((answer.code, answer.stdout.as_str(), answer.stderr.as_str()), (0, "", ""), "{arguments:?}");
        let text = fs::read_to_string(file).unwrap();
        let data = serde_json::from_str(between(&text, "id=\"workshop\">", "</script>")).unwrap();
        Page { text, data }
    }

    /// Paths and contents of its files.
    fn files(&self) -> Vec<(String, Vec<u8>)> {
        files(&self.data["files"])
    }
}

fn between<'a>(text: &'a str, first: &str, last: &str) -> &'a str {
    text.split_once(first).and_then(|(_, rest)| rest.split_once(last)).expect("both marks").0
}

fn files(list: &Value) -> Vec<(String, Vec<u8>)> {
    let file = |file: &Value| (file[0].as_str().unwrap().to_string(), bytes(file[1].as_str().unwrap()));
    list.as_array().unwrap().iter().map(file).collect()
}

/// Bytes of a base64 text.
fn bytes(text: &str) -> Vec<u8> {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits: Vec<usize> = text.chars().filter_map(|c| DIGITS.find(c)).collect();
    let group = |four: &[usize]| {
        let bits = four.iter().fold(0, |bits, digit| bits << 6 | digit) << (6 * (4 - four.len()));
        [bits >> 16, bits >> 8, bits]
            .map(|byte| (byte & 255) as u8)
            .into_iter()
            .take(four.len() - 1)
            .collect::<Vec<_>>()
    };
    digits.chunks(4).flat_map(group).collect()
}

#[test]
fn a_page_has_all_files_of_the_model_byte_for_byte() {
    let folder = Folder::new("edit-files");
    for (model, least) in
        [("models/van", 10), ("models/four_bar", 1), ("models/car/saloon.toml", 10), ("models/truck", 5)]
    {
        let page = Page::of(&folder, &[model]);
        let (file, at) = match model.ends_with(".toml") {
            true => (Path::new(model).file_name().unwrap().to_str().unwrap(), Path::new(model).parent().unwrap()),
            false => ("model.toml", Path::new(model)),
        };
        let files = page.files();
        assert_eq!((page.data["main"].as_str(), files[0].0.as_str()), (Some(file), file), "{model}");
        assert!(files.len() >= least, "{model}: {} files", files.len());
        for (path, bytes) in &files {
            assert!(*bytes == fs::read(Path::new(ROOT).join(at).join(path)).unwrap(), "{model}: {path}");
        }
        // No file is missing: the model compiles from a folder that has nothing else.
        let copy = folder.0.join("copy");
        for (path, bytes) in &files {
            fs::create_dir_all(copy.join(path).parent().unwrap()).unwrap();
            fs::write(copy.join(path), bytes).unwrap();
        }
        let answer = ballesta(["expand", &copy.join(file).display().to_string()]);
        assert_eq!(answer.code, 0, "{model}: {}", answer.stderr);
        fs::remove_dir_all(copy).unwrap();
    }
}

#[test]
fn meshes_are_files_of_the_page() {
    let folder = Folder::new("edit-mesh");
    let shape = "\n[[shape]]\nbody = \"cart\"\ntype = \"mesh\"\nfile = \"cart.obj\"\n";
    let model = folder.file("rail.toml", &format!("{RAIL}{shape}"));
    folder.file("cart.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let names = |page: &Page| page.files().into_iter().map(|(path, _)| path).collect::<Vec<_>>();
    assert_eq!(names(&Page::of(&folder, &[&model])), ["rail.toml", "cart.obj"]);
    // The page shows the error of a missing mesh.
    fs::remove_file(folder.0.join("cart.obj")).unwrap();
    assert_eq!(names(&Page::of(&folder, &[&model])), ["rail.toml"]);
}

#[test]
fn the_policy_of_the_page_allows_scripts_by_their_hashes_only() {
    let folder = Folder::new("edit-policy");
    let page = Page::of(&folder, &["models/four_bar"]).text;
    let policy = between(&page, "Content-Security-Policy\" content=\"", "\">");
    assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{policy}");
    assert!(policy.contains("'wasm-unsafe-eval'; worker-src blob:; style-src 'sha256-"), "{policy}");
    assert!(
        !policy.contains("unsafe-inline") && !policy.contains("'unsafe-eval'") && !policy.contains("http"),
        "{policy}"
    );
    assert_eq!(bytes(between(&page, "id=\"library\">", "<")), PAGE_LIBRARY);
    assert!(page.ends_with("</html>\n") && page.contains("Codemirror"));
}

#[test]
fn a_page_that_writes_fmus_has_the_libraries_that_export_packs() {
    let folder = Folder::new("edit-fmu");
    let program = installed(&folder.0, true);
    let platform = ballesta_package::Platform::host().expect("tests run on a platform that FMUs know");
    // An installation with the library of this machine and a library that packs.
    let lib = folder.0.join("lib/ballesta");
    let mut manifest: Value = serde_json::from_str(&fs::read_to_string(lib.join("manifest.json")).unwrap()).unwrap();
    for (name, file, bytes) in [
        ("wasm32-packer", "packer.gz", b"packer".to_vec()),
        (platform.tuple(), "library", fs::read(library()).unwrap()),
    ] {
        fs::write(lib.join(file), &bytes).unwrap();
        manifest["libraries"].as_array_mut().unwrap().push(json!({
            "platform": name, "file": file, "bytes": bytes.len(), "version": env!("CARGO_PKG_VERSION"), "sources": "",
            "sha256": ballesta_package::sources::sha256(&bytes)
        }));
    }
    fs::write(lib.join("manifest.json"), manifest.to_string()).unwrap();
    let file = folder.path("page.html");
    let answer = run_program(&program, ["edit", "models/four_bar", "--with-fmu", "-o", &file]);
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    let page = fs::read_to_string(file).unwrap();
    assert_eq!(bytes(between(&page, "id=\"packer\">", "<")), b"packer");
    let mark = format!("id=\"fmu-libraries\" data-platforms=\"{platform}\">");
    let found = ballesta_package::packed_library::unbundle(&bytes(between(&page, &mark, "<"))).unwrap();
    assert_eq!(found.iter().map(|library| library.platform).collect::<Vec<_>>(), [platform]);
}

#[test]
fn every_page_has_the_templates_and_the_schema() {
    let folder = Folder::new("edit-templates");
    let page = Page::of(&folder, &[]);
    assert!(page.data["main"].is_null() && page.files().is_empty());
    let schema: Value = serde_json::from_str(&ballesta(["schema"]).stdout).unwrap();
    assert_eq!(page.data["schema"], schema);
    assert_eq!(page.data["version"], env!("CARGO_PKG_VERSION"));
    let templates = page.data["templates"].as_array().unwrap();
    let names: Vec<&str> = templates.iter().map(|template| template["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["pendulum", "four-bar", "quarter-car", "robot-arm", "vehicle", "car", "flexible-link"]);
    for template in templates {
        let at = folder.0.join(template["name"].as_str().unwrap());
        for (path, bytes) in files(&template["files"]) {
            fs::create_dir_all(at.join(&path).parent().unwrap()).unwrap();
            fs::write(at.join(path), bytes).unwrap();
        }
        let main = at.join(template["main"].as_str().unwrap()).display().to_string();
        assert_eq!(ballesta(["expand", &main]).code, 0, "{main}");
    }
    // The name of a template in place of a model.
    for name in ["four-bar", "four_bar"] {
        assert_eq!(Page::of(&folder, &[name]).data["files"], templates[1]["files"], "{name}");
    }
}

#[test]
fn the_gallery_has_the_models_of_a_folder_with_their_pictures() {
    let folder = Folder::new("edit-gallery");
    let shape = "\n[[shape]]\nbody = \"cart\"\ntype = \"mesh\"\nfile = \"cart.obj\"\n";
    folder.file("models/b/model.toml", &format!("{RAIL}{shape}"));
    folder.file("models/b/cart.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    folder.file("models/a/model.toml", RAIL);
    folder.file("models/other/structure.toml", "");
    fs::write(folder.0.join("models/a.png"), [1, 2, 3]).unwrap();
    let models = folder.path("models");
    let gallery = |more: &[&str]| Page::of(&folder, &[&["--gallery", &models], more].concat()).data["gallery"].clone();
    let found = gallery(&[]);
    let names: Vec<&str> = found.as_array().unwrap().iter().map(|model| model["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(found[0]["picture"], "data:image/png;base64,AQID");
    assert!(found[1]["picture"].is_null(), "{found}");
    let mut unpacked = String::new();
    let packed = bytes(found[1]["packed"].as_str().unwrap());
    std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(packed.as_slice()), &mut unpacked).unwrap();
    let index: Value = serde_json::from_str(unpacked.lines().next().unwrap()).unwrap();
    assert_eq!((&index[0][0], &index[1][0]), (&json!("model.toml"), &json!("cart.obj")));
    assert!(unpacked.contains(&format!("\n{RAIL}{shape}v 0 0 0")), "{unpacked}");
    // Pictures of another folder.
    folder.file("pictures/b.webp", "RIFF");
    let found = gallery(&["--pictures", &folder.path("pictures")]);
    assert!(found[0]["picture"].is_null(), "{found}");
    assert_eq!(found[1]["picture"], "data:image/webp;base64,UklGRg==");
    assert_eq!(Page::of(&folder, &[]).data["gallery"], json!([]));
}

#[test]
fn a_model_with_errors_still_has_a_page() {
    let folder = Folder::new("edit-errors");
    let wrong = RAIL.replace("mass = 2", "mess = 2\n\"");
    let model = folder.file("rail.toml", &wrong);
    assert_eq!(ballesta(["check", &model]).code, 1);
    assert_eq!(Page::of(&folder, &[&model]).files(), [("rail.toml".to_string(), wrong.into_bytes())]);
}

#[test]
fn what_cannot_be_written_or_read_is_refused() {
    let folder = Folder::new("edit-refused");
    let refused = |program: &str, words: &[&str], code: i32, message: &str| {
        let answer = run_program(program, [&["edit"], words].concat());
        assert_eq!((answer.code, answer.stdout.as_str()), (code, ""), "{words:?}: {}", answer.stderr);
        assert!(answer.stderr.contains(message), "{words:?}: {}", answer.stderr);
    };
    let page = folder.path("page.html");
    let without = folder.0.join("without");
    let without = installed(&without, false);
    refused(&without, &["models/four_bar", "-o", &page], 2, "`scripts/platforms.sh wasm32` builds it");
    let with = installed(&folder.0, true);
    refused(&with, &["models/four_bar", "--with-fmu", "-o", &page], 2, "needs the library wasm32-packer: not built");
    refused(&with, &["models/four_bar", "-o", "page.svg"], 2, "-o page.svg: expected a name that ends in .html");
    refused(&with, &["models/nowhere", "-o", &page], 2, "models/nowhere");
    refused(&with, &["models/van/van.tir", "-o", &page], 2, "not a model");
    refused(&with, &["structure", "-o", &page], 2, "give a model, or one of the templates pendulum");
    let empty = folder.0.join("empty");
    fs::create_dir_all(&empty).unwrap();
    refused(&with, &["--gallery", &empty.display().to_string(), "-o", &page], 2, "has a model.toml");
    refused(&with, &["--gallery", "models/nowhere", "-o", &page], 2, "models/nowhere");
    refused(&with, &["--pictures", "docs", "-o", &page], 2, "--gallery <FOLDER>");
    folder.file("wrong/a/model.toml", &RAIL.replace("mass = 2", "mess = 2"));
    refused(&with, &["--gallery", &folder.path("wrong"), "-o", &page], 1, "did you mean `mass`");
    let latin = folder.0.join("latin.toml");
    fs::write(&latin, b"# \xF6\n[model]\n").unwrap();
    refused(&with, &[&latin.display().to_string(), "-o", &page], 2, "latin.toml");
    assert!(!Path::new(&page).exists());
    let model = folder.file("model.html", RAIL);
    refused(&with, &[&model, "-o", &model], 2, "-o");
    assert_eq!(fs::read_to_string(model).unwrap(), RAIL);
}

#[test]
fn the_report_names_the_page() {
    let folder = Folder::new("edit-json");
    let file = folder.path("page.html");
    let answer = run_program(&installed(&folder.0, true), ["edit", "pendulum", "--json", "-o", &file]).json();
    assert_eq!(answer["written"][0].as_str(), Some(file.as_str()), "{answer}");
}
