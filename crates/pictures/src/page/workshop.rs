//! The workshop: a page with a text editor, the solver and the drawing of the model. It compiles and draws the model
//! after every change of the text.
//!
//! The page contains files and templates, the JSON schema of the model file, the library of `ballesta-workshop`, and
//! the text editor (`viewer/editor/`). The drawing comes from the library, so that the page has no data of a model.

use super::{FRAME, SCRIPTS, WORKER, encode::base64, harmless};
use crate::template;
use ballesta_run::model_files::ModelFiles;
use ballesta_run::templates::Template;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// The text editor: defines the global `Codemirror`.
const EDITOR: &str = include_str!("../../viewer/editor/codemirror.js");
/// The parts of the page in the frame. Each part begins with a comment, the name of its place.
const PARTS: &str = include_str!("../../viewer/edit.html");
/// The program of the workshop, after the one of all pages.
const EDIT_SCRIPTS: [&str; 8] = [
    include_str!("../../viewer/handles.js"),
    include_str!("../../viewer/analyses.js"),
    include_str!("../../viewer/files.js"),
    include_str!("../../viewer/records.js"),
    include_str!("../../viewer/gallery.js"),
    include_str!("../../viewer/panel_files.js"),
    include_str!("../../viewer/download.js"),
    include_str!("../../viewer/edit.js"),
];
/// Licences of the text editor, which every page passes on.
const LICENSES: &str = include_str!("../../viewer/editor/LICENSES.txt");
/// Program of the worker that packs FMUs.
const PACKER_WORKER: &str = include_str!("../../viewer/packer.js");
/// JSON schema of the model file, for completion.
const SCHEMA: &str = include_str!("../../../../docs/model.schema.json");

/// Pictures of the templates, from `scripts/gallery.sh templates`.
const PICTURES: [(&str, &[u8]); 7] = [
    ("pendulum", include_bytes!("../../viewer/templates/pendulum.webp")),
    ("four-bar", include_bytes!("../../viewer/templates/four-bar.webp")),
    ("quarter-car", include_bytes!("../../viewer/templates/quarter-car.webp")),
    ("robot-arm", include_bytes!("../../viewer/templates/robot-arm.webp")),
    ("vehicle", include_bytes!("../../viewer/templates/vehicle.webp")),
    ("car", include_bytes!("../../viewer/templates/car.webp")),
    ("flexible-link", include_bytes!("../../viewer/templates/flexible-link.webp")),
];

/// A model of the gallery of a page. Gallery models are read when a page is written, so that the program contains the
/// templates only: all gallery models would add 4 MB to it.
pub struct GalleryModel {
    /// Name, unique in the gallery.
    pub name: String,
    /// Description.
    pub description: String,
    /// All files, the model file first.
    pub files: ModelFiles,
    /// Media type and content of the picture.
    pub picture: Option<(&'static str, Vec<u8>)>,
}

/// Contents of a workshop page.
pub struct EditSource<'a> {
    /// The files of the model, the model file first; `None`: the page starts with a choice of templates.
    pub model: Option<&'a ModelFiles>,
    /// Models of the gallery, in addition to the templates.
    pub gallery: &'a [GalleryModel],
    /// The library of `ballesta-workshop` for WebAssembly, compressed as gzip.
    pub library: &'a [u8],
    /// What the page needs to write FMUs.
    pub fmu: Option<FmuSource<'a>>,
}

/// Parts of a page that writes FMUs.
pub struct FmuSource<'a> {
    /// The library of `ballesta-packer` for WebAssembly, compressed as gzip.
    pub packer: &'a [u8],
    /// The libraries of FMUs, in the bundle that the packer takes.
    pub libraries: &'a [u8],
    /// Names of their platforms.
    pub platforms: &'a str,
}

impl FmuSource<'_> {
    /// The elements of the page.
    fn html(&self) -> String {
        let script =
            |attributes: &str, text: &str| format!("<script type=\"text/plain\" {attributes}>{text}</script>\n");
        let platforms = format!("id=\"fmu-libraries\" data-platforms=\"{}\"", self.platforms);
        script("id=\"packer\"", &base64(self.packer))
            + &script(&platforms, &base64(self.libraries))
            + &script("id=\"packer-worker\"", PACKER_WORKER)
    }
}

/// A path and a content in base64.
type File = (String, String);

/// A template of the page.
#[derive(Serialize)]
struct PageTemplate {
    name: &'static str,
    description: &'static str,
    main: String,
    files: Vec<File>,
    /// Data address.
    picture: String,
}

/// A gallery model of the page.
#[derive(Serialize)]
struct PageGalleryModel<'a> {
    name: &'a str,
    description: &'a str,
    main: String,
    /// Data address.
    picture: Option<String>,
    /// [`ModelFiles::packed`] in base64.
    packed: String,
}

/// The data of a workshop page.
#[derive(Serialize)]
struct Workshop<'a> {
    version: &'static str,
    main: Option<String>,
    files: Vec<File>,
    templates: Vec<PageTemplate>,
    gallery: Vec<PageGalleryModel<'a>>,
    schema: serde_json::Value,
}

fn encoded(files: &ModelFiles) -> (Option<String>, Vec<File>) {
    let main = files.files.first().map(|(path, _)| path.clone());
    (main, files.files.iter().map(|(path, bytes)| (path.clone(), base64(bytes))).collect())
}

/// A picture as a data address.
fn data_address(media: &str, picture: &[u8]) -> String {
    format!("data:{media};base64,{}", base64(picture))
}

impl Workshop<'_> {
    fn new<'a>(source: &EditSource<'a>) -> Workshop<'a> {
        let templates = Template::models().map(|template| {
            let (main, files) = encoded(&ModelFiles::of_template(&template));
            let main = main.expect("a template has files");
            let (_, picture) =
                PICTURES.iter().find(|(name, _)| *name == template.name).expect("a test lists the pictures");
            let picture = data_address("image/webp", picture);
            PageTemplate { name: template.name, description: template.about, main, files, picture }
        });
        let gallery = source.gallery.iter().map(|model| PageGalleryModel {
            name: &model.name,
            description: &model.description,
            main: model.files.files.first().map(|(path, _)| path.clone()).unwrap_or_default(),
            picture: model.picture.as_ref().map(|(media, picture)| data_address(media, picture)),
            packed: base64(&model.files.packed()),
        });
        let (main, files) = source.model.map(encoded).unwrap_or_default();
        Workshop {
            version: env!("CARGO_PKG_VERSION"),
            main,
            files,
            templates: templates.collect(),
            gallery: gallery.collect(),
            schema: serde_json::from_str(SCHEMA).expect("a test compares the schema with the types"),
        }
    }
}

/// The workshop page. Its content security policy allows the two scripts and the style by their hashes, and the worker
/// with the library.
pub fn of_edit(source: &EditSource) -> String {
    let workshop = Workshop::new(source);
    let json = serde_json::to_string(&workshop).expect("texts can be serialized");
    let style = concat!(include_str!("../../viewer/style.css"), include_str!("../../viewer/edit.css"));
    let script = [SCRIPTS.as_slice(), &EDIT_SCRIPTS].concat().join("\n");
    let script = format!("\n\"use strict\";\n(() => {{\n{script}\n}})();\n");
    let hash = |text: &str| format!("'sha256-{}'", base64(&Sha256::digest(text)));
    template::fill(FRAME, |word, page| match word {
        "title" => *page += "ballesta workshop",
        "scripts" => {
            *page += &format!("{} {} 'wasm-unsafe-eval'; worker-src blob:", hash(EDITOR), hash(&script));
        }
        "styles" => *page += &hash(style),
        "style" => page.push_str(style),
        "body" => *page += " class=\"edit\"",
        "contents" => *page += &contents(source, &harmless(&json)),
        "script" => page.push_str(&script),
        place => page.push_str(part(place)),
    })
}

/// The elements with the contents of the page, and the text editor.
fn contents(source: &EditSource, json: &str) -> String {
    template::fill(part("contents"), |word, page| match word {
        "workshop" => page.push_str(json),
        "library" => *page += &base64(source.library),
        "worker" => page.push_str(WORKER),
        "fmu" => *page += &source.fmu.as_ref().map_or_else(String::new, FmuSource::html),
        "licenses" => page.push_str(LICENSES),
        "editor" => page.push_str(EDITOR),
        other => unreachable!("viewer/edit.html names {other}"),
    })
}

/// The part of a workshop page for a place of the frame.
fn part(place: &str) -> &'static str {
    let (_, rest) = PARTS.split_once(&format!("<!-- {place} -->\n")).expect("every place of the frame has a part");
    rest.split_once("<!-- ").map_or(rest, |(part, _)| part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between<'a>(text: &'a str, first: &str, last: &str) -> &'a str {
        text.split_once(first).and_then(|(_, rest)| rest.split_once(last)).unwrap().0
    }

    #[test]
    fn the_policy_names_both_scripts_and_the_style_by_their_hashes() {
        let page = of_edit(&EditSource { model: None, gallery: &[], library: b"library", fmu: None });
        let hash = |text: &str| format!("'sha256-{}'", base64(&Sha256::digest(text)));
        let scripts: Vec<&str> =
            page.split("<script>").skip(1).map(|rest| rest.split("</script>").next().unwrap()).collect();
        assert_eq!(scripts.len(), 2, "the editor and the program");
        assert!(scripts[0].starts_with("var Codemirror="), "{}", &scripts[0][..60]);
        let expected = format!(
            "default-src 'none'; script-src {} {} 'wasm-unsafe-eval'; worker-src blob:; style-src {}; img-src data:",
            hash(scripts[0]),
            hash(scripts[1]),
            hash(between(&page, "<style>", "</style>"))
        );
        assert_eq!(between(&page, "Content-Security-Policy\" content=\"", "\">"), expected);
        assert_eq!(between(&page, "id=\"library\">", "<"), base64(b"library"));
        assert_eq!(between(&page, "id=\"worker\">", "</script>"), WORKER);
        assert_eq!(page.matches("id=\"data\"").count(), 0, "the drawing comes from the library");
        assert!(between(&page, "id=\"licenses\">", "</script>").contains("Permission is hereby granted"));
    }

    #[test]
    fn a_page_that_writes_fmus_has_the_packer_and_the_libraries() {
        let fmu = FmuSource { packer: b"packer", libraries: b"zip", platforms: "linux64, win64" };
        let page = of_edit(&EditSource { model: None, gallery: &[], library: b"library", fmu: Some(fmu) });
        assert_eq!(between(&page, "id=\"packer\">", "<"), base64(b"packer"));
        assert_eq!(between(&page, "id=\"fmu-libraries\" data-platforms=\"linux64, win64\">", "<"), base64(b"zip"));
        assert_eq!(between(&page, "id=\"packer-worker\">", "</script>"), PACKER_WORKER);
        let without = of_edit(&EditSource { model: None, gallery: &[], library: b"library", fmu: None });
        assert!(!without.contains("id=\"packer") && !without.contains("id=\"fmu-libraries"));
    }

    #[test]
    fn no_part_of_the_page_ends_its_script() {
        for text in [EDITOR, LICENSES, WORKER, PACKER_WORKER] {
            assert!(!text.contains("</script") && !text.contains("<!--") && !text.contains('\r'));
        }
        let odd = ModelFiles { files: vec![("</script>.toml".into(), b"</script>".to_vec())], folder: "".into() };
        let page = of_edit(&EditSource { model: Some(&odd), gallery: &[], library: b"", fmu: None });
        let json = between(&page, "id=\"workshop\">", "</script>");
        let data: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!(data["main"], "</script>.toml");
        assert_eq!(data["files"][0][1], base64(b"</script>"));
    }

    #[test]
    fn gallery_models_have_a_picture_if_there_is_one() {
        let model = |name: &str, picture| GalleryModel {
            name: name.into(),
            description: "A <model>".into(),
            files: ModelFiles { files: vec![("model.toml".into(), b"[model]".to_vec())], folder: "".into() },
            picture,
        };
        let gallery = [model("a", Some(("image/png", vec![1, 2, 3]))), model("b", None)];
        let page = of_edit(&EditSource { model: None, gallery: &gallery, library: b"", fmu: None });
        let data: serde_json::Value = serde_json::from_str(between(&page, "id=\"workshop\">", "</script>")).unwrap();
        let found = &data["gallery"];
        assert_eq!((&found[0]["name"], &found[0]["description"]), (&"a".into(), &"A <model>".into()));
        assert_eq!(found[0]["picture"], "data:image/png;base64,AQID");
        assert!(found[1]["picture"].is_null() && found[1]["main"] == "model.toml");
        assert_eq!(found[1]["packed"], base64(&gallery[1].files.packed()));
    }

    #[test]
    fn templates_and_schema_are_complete() {
        let page = of_edit(&EditSource { model: None, gallery: &[], library: b"", fmu: None });
        let data: serde_json::Value = serde_json::from_str(between(&page, "id=\"workshop\">", "</script>")).unwrap();
        let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap();
        assert!(data["main"].is_null() && data["files"] == serde_json::json!([]) && data["schema"] == schema);
        let templates = data["templates"].as_array().unwrap();
        assert_eq!(templates.len(), Template::models().count());
        for (template, found) in Template::models().zip(templates) {
            assert_eq!((&found["name"], &found["main"]), (&template.name.into(), &"model.toml".into()));
            let picture = found["picture"].as_str().unwrap();
            // The first bytes of a WebP file are `RIFF`.
            assert!(picture.starts_with("data:image/webp;base64,UklGR") && picture.len() < 20_000, "{}", template.name);
            let files = template.files();
            assert_eq!(found["files"].as_array().unwrap().len(), files.len(), "{}", template.name);
            for ((path, text), file) in files.iter().zip(found["files"].as_array().unwrap()) {
                assert_eq!((&file[0], &file[1]), (&(*path).into(), &base64(text.as_bytes()).into()));
            }
        }
    }
}
