//! The 3-D page: one HTML file that shows a model, a run or mode shapes, and needs no network.
//!
//! [`parts`] converts the scene ([`super::view::scene`]) to parts that move with bodies. [`frames`] records the motion,
//! and [`encode`] packs series of numbers. [`looks`] has the shapes of the file, [`items`] the rows of the tree,
//! [`sliders`] the joints that move without a solver, and [`roads`] heights on a grid. [`page_shapes`] and
//! `page_structure` animate mode shapes; [`live`] is the page with the solver, [`workshop`] the page that edits a
//! model. The program of the page is in `viewer/`, plain JavaScript with WebGL 2: its files are concatenated here. The
//! data are one JSON object in the page; `viewer/FORMAT.md` describes the format.

mod encode;
pub mod frames;
pub mod items;
pub mod live;
mod looks;
pub mod page_shapes;
#[cfg(feature = "fem")]
pub mod page_structure;
pub mod parts;
mod roads;
mod sliders;
pub mod workshop;

pub use frames::Recorder;

use super::plot::{self, Curve, Panel};
use crate::template;
use ballesta::math::Vec3;
use ballesta::model::Document;
use ballesta::simulate::Simulator;
use ballesta::system::{Fault, State, System};
use ballesta_live::session::Session;
use ballesta_run::recovered_run::RecoveredBody;
use ballesta_run::simulation::Recording;
use encode::{Series, ascending, ranged};
use frames::Frames;
use items::Items;
use parts::{Extent, Parts};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::path::Path;
use std::sync::Arc;

/// Version of the format of the data.
const FORMAT: u32 = 1;
/// Number of columns for thinning a curve, which keeps at most four points per column.
const COLUMNS: usize = 700;
/// Extent of uneven roads of a live page around the start, m.
const LIVE_ROAD_EXTENT: f64 = 60.0;
/// Number of steps within the range of a curve.
const CURVE_STEPS: f64 = 65536.0;

/// The frame of all pages. A workshop page has further parts in it, from `viewer/edit.html`.
const FRAME: &str = include_str!("../../viewer/index.html");

/// The program, in the order in which its files depend on each other.
const SCRIPTS: [&str; 15] = [
    include_str!("../../viewer/decode.js"),
    include_str!("../../viewer/vectors.js"),
    include_str!("../../viewer/meshes.js"),
    include_str!("../../viewer/looks.js"),
    include_str!("../../viewer/hull.js"),
    include_str!("../../viewer/motion.js"),
    include_str!("../../viewer/modes.js"),
    include_str!("../../viewer/draw.js"),
    include_str!("../../viewer/render.js"),
    include_str!("../../viewer/plots.js"),
    include_str!("../../viewer/panel.js"),
    include_str!("../../viewer/replay.js"),
    include_str!("../../viewer/instruments.js"),
    include_str!("../../viewer/live.js"),
    include_str!("../../viewer/main.js"),
];

/// Program of the worker of a live page.
const WORKER: &str = include_str!("../../viewer/worker.js");

/// A curve of the page.
#[derive(Serialize)]
struct PageCurve {
    n: String,
    unit: String,
    d: String,
    stepped: bool,
    /// Ascending indices of its times; `None`: all.
    at: Option<String>,
    v: Series,
}

/// A panel of the page.
#[derive(Serialize)]
struct PagePanel {
    title: Option<String>,
    unit: String,
    factor: f64,
    /// Index of the curve and its name in this panel.
    curves: Vec<(usize, String)>,
    along: Option<PageAlong>,
}

/// Horizontal quantity of a panel.
#[derive(Serialize)]
struct PageAlong {
    name: String,
    unit: String,
    factor: f64,
    curve: usize,
    equal: bool,
}

/// Curves of a run.
#[derive(Default, Serialize)]
struct Plots {
    times: Option<Series>,
    count: usize,
    curves: Vec<PageCurve>,
    panels: Vec<PagePanel>,
}

/// All data of a page.
#[derive(Serialize)]
struct Data {
    format: u32,
    /// `start`, `run` or `modes`.
    kind: &'static str,
    name: String,
    description: String,
    version: &'static str,
    /// Upward axis: against gravity, or z.
    up: [f64; 3],
    /// Size of the mechanism, m.
    size: f64,
    groups: [&'static str; 6],
    items: Vec<items::Item>,
    bodies: Vec<String>,
    parts: Parts,
    frames: Frames,
    sliders: Vec<sliders::Slider>,
    unmoved: Vec<sliders::FixedSlider>,
    roads: Vec<roads::Surface>,
    /// For live pages: height of the ground that replaces level roads, m.
    ground: Option<f64>,
    plots: Plots,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shapes: Vec<page_shapes::Shape>,
    #[serde(skip_serializing_if = "Option::is_none")]
    live: Option<live::Live>,
}

/// A model with its parameter values.
pub struct Subject<'a> {
    /// The file.
    pub document: &'a Document,
    /// Values of its parameters.
    pub values: &'a [f64],
}

/// The page of a model at its start.
pub fn of_start(subject: &Subject, recorder: Recorder) -> String {
    write(&page("start", subject, recorder, None, None, None), None)
}

/// The data of a page of a model at rest in `state`, without sliders, as JSON for the workshop.
pub fn data_of_state(subject: &Subject, system: &Arc<System>, state: &State) -> String {
    let data = page("start", subject, at_rest(system, state), None, None, None);
    json_of(&Data { sliders: Vec::new(), unmoved: Vec::new(), ..data })
}

/// The live page of a model, from a simulator at its start.
///
/// # Errors
/// Fault of its outputs at the start.
pub fn of_live(subject: &Subject, simulator: &mut Simulator, source: &live::Source) -> Result<String, Fault> {
    let system = simulator.system().clone();
    let interface = system.interface();
    let mut outputs = vec![0.0; interface.outputs.len()];
    simulator.outputs(&mut outputs)?;
    let mut recording = Recording::new(outputs.len(), 1);
    recording.push(simulator.time(), &outputs);
    let inputs: Vec<f64> = (0..interface.inputs.len()).map(|index| simulator.input(index)).collect();
    let recorder = at_rest(&system, simulator.state());
    let data = page("live", subject, recorder, Some(&recording), None, Some((Some(source), &inputs)));
    Ok(write(&data, Some(source.library)))
}

/// What the page shows of a session of the workshop.
pub struct Drawn {
    /// Data of the page as JSON: those of a live page, without the text of the model and its files.
    pub json: String,
    /// Rows of the tree.
    pub items: Vec<items::Item>,
}

/// The data of a running session, at its current point. Its system may have the forces of [`live::with_pulls_in`],
/// which `subject` does not have. They are not drawn.
pub fn of_session(subject: &Subject, session: &Session) -> Drawn {
    let mut recording = Recording::new(session.outputs().len(), 1);
    recording.push(session.time(), session.outputs());
    let recorder = at_rest(session.system(), session.state());
    let data = page("live", subject, recorder, Some(&recording), None, Some((None, session.inputs())));
    Drawn { json: json_of(&data), items: data.items }
}

/// The page of a run with its outputs; `fault`: reason of an early end.
pub fn of_run(subject: &Subject, recorder: Recorder, recording: &Recording, fault: Option<String>) -> String {
    write(&page("run", subject, recorder, Some(recording), fault, None), None)
}

fn page(
    kind: &'static str,
    subject: &Subject,
    recorder: Recorder,
    recording: Option<&Recording>,
    fault: Option<String>,
    source: Option<(Option<&live::Source>, &[f64])>,
) -> Data {
    let (document, values) = (subject.document, subject.values);
    let system = recorder.system().clone();
    let model = &document.model;
    let (mut parts, extent, items) = parts_of(subject, &recorder);
    let size = extent.size();
    // A user can drive farther than a recorded run.
    let around = source.map_or(0.0, |_| LIVE_ROAD_EXTENT);
    let (low, high) = recorder.ground(&extent);
    let (low, high) = (low.map(|x| x - around), high.map(|x| x + around));
    let mut roads = roads::roads(document, values, low, high, |name| items.find(items::TYRES, name));
    let live = source.map(|source| live::Live::new(source, document, values, &system, &items));
    let ground = live.is_some().then(|| live::take_ground(&mut roads)).flatten();
    let (sliders, unmoved) = match kind {
        "start" => sliders::sliders(&system, recorder.first(), &items),
        _ => (Vec::new(), Vec::new()),
    };
    let (mut frames, mut loads) = recorder.finish(size, fault);
    without_pulls(document, &system, &mut parts, &mut frames, &mut loads);
    for load in &mut loads {
        load.i = items.element(&load.name).expect("every force element has a row");
    }
    parts.loads = loads;
    Data {
        format: FORMAT,
        kind,
        name: model.general.name.clone(),
        description: model.general.description.clone(),
        version: env!("CARGO_PKG_VERSION"),
        up: up(&system),
        size,
        groups: items::GROUPS,
        bodies: system.bodies.iter().map(|body| body.name.clone()).collect(),
        parts,
        sliders,
        unmoved,
        roads,
        ground,
        plots: recording.map_or_else(Plots::default, |recording| plots(document, &system, recording)),
        items: items.list,
        frames,
        shapes: Vec::new(),
        live,
    }
}

/// Removes the appended forces from the loads, and from the numbers of the force elements.
fn without_pulls(
    document: &Document,
    system: &System,
    parts: &mut Parts,
    frames: &mut Frames,
    loads: &mut Vec<frames::Load>,
) {
    let appended: Vec<bool> =
        system.elements.iter().map(|element| live::is_appended(document, system, element.name())).collect();
    let number = |element: usize| element - appended[..element].iter().filter(|appended| **appended).count();
    parts.struts.iter_mut().filter_map(|strut| strut.element.as_mut()).for_each(|of| *of = number(*of));
    frames.tensions.iter_mut().for_each(|(element, _)| *element = number(*element));
    loads.retain(|load| !live::is_appended(document, system, &load.name));
}

/// The drawing, its start, its bounding box, and the rows of the tree.
pub fn parts_of(subject: &Subject, recorder: &Recorder) -> (Parts, Extent, Items) {
    let (document, values, system) = (subject.document, subject.values, recorder.system());
    let outputs = &system.interface().outputs;
    let names: Vec<(String, Option<String>)> = outputs
        .iter()
        .map(|output| (output.name.clone(), output.element.as_ref().map(|element| element.vector.clone())))
        .collect();
    let items = Items::new(document, values, &names);
    let (mut parts, extent) = parts::parts(document, system, recorder.first(), values, &items);
    for watched in recorder.watched() {
        parts.flexible[watched.recovered.body].take_structure(system, watched);
    }
    (parts, extent, items)
}

/// Axis of W closest to the upward direction (against gravity); z without gravity.
pub fn up(system: &System) -> [f64; 3] {
    let up = -system.gravity;
    let largest = (0..3).max_by(|a, b| up[*a].abs().total_cmp(&up[*b].abs()).then(a.cmp(b))).unwrap_or(2);
    let mut axis = Vec3::zeros();
    axis[largest] = if up[largest] < 0.0 { -1.0 } else { 1.0 };
    axis.into()
}

fn plots(document: &Document, system: &System, recording: &Recording) -> Plots {
    // Panels of the model, or panels by unit if it defines none.
    let curves = crate::run_curves::curves(recording, system.interface(), &document.model);
    let index_of = |values: &[f64]| recording.series.iter().position(|series| std::ptr::eq(series.as_slice(), values));
    let chosen = plot::chosen(&document.model, &curves);
    let panels = if chosen.is_empty() { plot::panels(&curves) } else { chosen };
    // The page stores each series once; panels refer to it by index.
    let panel = |panel: &Panel| PagePanel {
        title: panel.title.map(str::to_string),
        unit: plot::plot_drawing::typeset(panel.unit),
        factor: panel.factor,
        curves: panel
            .curves
            .iter()
            .filter_map(|curve| Some((index_of(curve.values)?, curve.name.to_string())))
            .collect(),
        along: panel.along.as_ref().and_then(|along| {
            Some(PageAlong {
                name: along.name.to_string(),
                unit: plot::plot_drawing::typeset(along.unit),
                factor: along.factor,
                curve: index_of(along.values)?,
                equal: along.equal_scales,
            })
        }),
    };
    // Times are rounded relative to the length of the run.
    let span = recording.times.last().zip(recording.times.first()).map_or(0.0, |(last, first)| last - first);
    Plots {
        times: Some(encode::series(&recording.times, 1e-7 * span)),
        count: recording.times.len(),
        panels: panels.iter().map(panel).collect(),
        curves: curves.iter().map(|curve| page_curve(curve, &recording.times)).collect(),
    }
}

/// A thinned curve that keeps the extremes in every time interval.
fn page_curve(curve: &Curve, times: &[f64]) -> PageCurve {
    let kept = plot::kept(times, curve.values, COLUMNS);
    let values: Vec<f64> = kept.iter().map(|index| curve.values[*index]).collect();
    PageCurve {
        n: curve.name.into(),
        unit: curve.unit.into(),
        d: curve.description.into(),
        stepped: curve.stepped,
        at: (kept.len() < times.len()).then(|| ascending(&kept)),
        v: ranged(&values, CURVE_STEPS),
    }
}

fn json_of(data: &Data) -> String {
    serde_json::to_string(data).expect("numbers and texts can be serialized")
}

/// Assembles the page. Its content security policy lists program and style by their hashes, so nothing in the data can
/// run. A live page may also start a worker from its text and compile its `library`.
fn write(data: &Data, library: Option<&[u8]>) -> String {
    let json = json_of(data);
    let style = include_str!("../../viewer/style.css");
    let script = format!("\n\"use strict\";\n(() => {{\n{}\n}})();\n", SCRIPTS.join("\n"));
    let hash = |text: &str| format!("'sha256-{}'", encode::base64(&Sha256::digest(text)));
    template::fill(FRAME, |word, page| match word {
        "title" => page.push_str(&quick_xml::escape::escape(&data.name)),
        "scripts" => {
            *page += &hash(&script);
            if library.is_some() {
                *page += " 'wasm-unsafe-eval'; worker-src blob:";
            }
        }
        "styles" => *page += &hash(style),
        "style" => page.push_str(style),
        "script" => page.push_str(&script),
        "contents" => {
            *page += &format!("<script type=\"application/json\" id=\"data\">{}</script>\n", harmless(&json));
            if let Some(library) = library {
                *page += "<script type=\"text/plain\" id=\"library\">";
                *page += &encode::base64(library);
                *page += "</script>\n<script type=\"text/plain\" id=\"worker\">";
                *page += WORKER;
                *page += "</script>\n";
            }
        }
        "body" | "tools" | "before" | "stage" | "after" => {}
        other => unreachable!("viewer/index.html names {other}"),
    })
}

/// JSON that neither ends a script nor opens a comment: the escaped characters occur only in texts.
fn harmless(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => safe += &format!("\\u{:04x}", u32::from(character)),
            _ => safe.push(character),
        }
    }
    safe
}

/// File extension of a page.
pub fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("html"))
}

/// A recorder with a single frame, from the workspace.
pub fn at_rest(system: &Arc<System>, state: &State) -> Recorder {
    at_rest_watching(system, state, &[])
}

/// The page with results of recovery files.
pub fn at_rest_watching(system: &Arc<System>, state: &State, recovered: &[RecoveredBody]) -> Recorder {
    let mut recorder = Recorder::new(system.clone(), state.time, state.time, 1.0).watching(recovered);
    recorder.look(state);
    recorder
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_of_a_model_ends_the_script() {
        let json = serde_json::to_string("</script><!--\u{2028}&\"'\\").unwrap();
        let safe = harmless(&json);
        assert!(!safe.contains(['<', '>', '&', '\u{2028}']), "{safe}");
        assert_eq!(serde_json::from_str::<String>(&safe).unwrap(), "</script><!--\u{2028}&\"'\\");
    }
}
