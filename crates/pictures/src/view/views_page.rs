//! The page: three views at one scale in third-angle projection, with axes, scale and legend.

use super::labels::{self, Area};
use super::outline::{Point, hull};
use super::scene::{Body, Mark, Scene, Sign, StrutKind, Wheel};
use super::symbols;
use crate::plot::plot_drawing;
use crate::sheet::text_width;
use ballesta::math::Vec3;
use quick_xml::escape::escape;

/// Width of the page, px.
const WIDTH: f64 = 1180.0;
/// Distance between the views.
const MARGIN: f64 = 24.0;
/// Margin of a view, for symbols and names.
const PAD: f64 = 42.0;
/// Height of the titles of the page and of a view.
const TOP: f64 = 56.0;
const CAPTION: f64 = 18.0;
/// Largest total height of the two rows of views.
const MAX_VIEWS_HEIGHT: f64 = 1100.0;
/// Differences of places, relative to their distance from the origin, that are rounding.
const ROUNDING: f64 = 1e-12;
/// Smallest drawn extent, as a fraction of the largest extent.
const MIN_EXTENT: f64 = 0.04;
/// Largest number of joints whose names are shown.
const MAX_NAMED_JOINTS: usize = 14;

/// Ratio of length to width and height from which the front view of a vehicle shows its foremost quarter, and the rest
/// faintly.
const LONG_VEHICLE_RATIO: f64 = 1.5;

/// Colours of bodies.
const COLOURS: usize = 8;

/// A view along an axis.
#[derive(Clone, Copy)]
struct View {
    name: &'static str,
    /// Axes to the right and up.
    axes: [usize; 2],
    /// Axis towards the viewer, and its sign.
    towards: (usize, f64),
    /// Position of the centre of the model on the page.
    middle: Point,
    /// Half the size of the view.
    half: Point,
    /// Parts farther along `towards` are drawn faintly.
    faint: f64,
}

impl View {
    fn depth(&self, at: Vec3) -> f64 {
        self.towards.1 * at[self.towards.0]
    }

    /// Whether all given points are far away.
    fn is_far(&self, places: &[Vec3]) -> bool {
        places.iter().all(|at| self.depth(*at) < self.faint)
    }
}

/// Projection of positions to points on the page.
struct Projection {
    middle: Vec3,
    /// px per m.
    scale: f64,
}

impl Projection {
    fn point(&self, view: &View, at: Vec3) -> Point {
        let [right, up] = view.axes.map(|axis| self.scale * (at[axis] - self.middle[axis]));
        (view.middle.0 + right, view.middle.1 - up)
    }

    fn points(&self, view: &View, places: &[Vec3]) -> Vec<Point> {
        places.iter().map(|at| self.point(view, *at)).collect()
    }
}

/// Draws a scene.
pub fn draw(title: &str, note: &str, scene: &Scene) -> String {
    let places = scene.places();
    let ends = |axis: usize| {
        let along = places.iter().map(|at| at[axis]).filter(|at| at.is_finite());
        along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)))
    };
    let bounds: [(f64, f64); 3] =
        [0, 1, 2].map(ends).map(|(low, high)| if low <= high { (low, high) } else { (0.0, 0.0) });
    let middle = Vec3::from(bounds.map(|(low, high)| 0.5 * (low + high)));
    let largest = bounds.iter().map(|(low, high)| high - low).fold(0.0, f64::max);
    // A model without size, apart from rounding, is drawn with a size of one metre.
    let distance = bounds.iter().map(|(low, high)| low.abs().max(high.abs())).fold(0.0, f64::max);
    let largest = if largest > ROUNDING * distance { largest } else { 1.0 };
    let [x, y, z] = bounds.map(|(low, high)| (high - low).max(MIN_EXTENT * largest));
    let scale = ((WIDTH - 2.0 * MARGIN - 4.0 * PAD) / (x + y)).min((MAX_VIEWS_HEIGHT - 4.0 * PAD) / (y + z));
    let [x, y, z] = [x, y, z].map(|extent| 0.5 * scale * extent + PAD);

    let projection = Projection { middle, scale };
    // In front view the axles of a vehicle overlap.
    let [long, wide, high] = bounds.map(|(low, high)| high - low);
    let long = !scene.wheels.is_empty() && long > LONG_VEHICLE_RATIO * wide.max(high);
    let rear = if long { 0.25 * bounds[0].0 + 0.75 * bounds[0].1 } else { f64::NEG_INFINITY };
    let left = 0.5 * (WIDTH - 2.0 * (x + y));
    let upper = TOP + CAPTION;
    let lower = upper + 2.0 * y + CAPTION;
    let views = [
        View {
            name: "top",
            axes: [0, 1],
            towards: (2, 1.0),
            middle: (left + x, upper + y),
            half: (x, y),
            faint: f64::NEG_INFINITY,
        },
        View {
            name: "side",
            axes: [0, 2],
            towards: (1, -1.0),
            middle: (left + x, lower + z),
            half: (x, z),
            faint: f64::NEG_INFINITY,
        },
        View {
            name: "front",
            axes: [1, 2],
            towards: (0, 1.0),
            middle: (left + 2.0 * x + y, lower + z),
            half: (y, z),
            faint: rear,
        },
    ];
    let mut body = format!("{STYLE}\n");
    for view in &views {
        body += &draw_view(scene, &projection, view);
    }
    let bottom = lower + 2.0 * z + 8.0;
    body += &scale_bar(scale, bottom);
    let (legend, height) = legend(scene, bottom + 34.0);
    body += &legend;
    plot_drawing::sheet(WIDTH, title, note, height, &body)
}

/// All parts of a view, farthest first.
fn draw_view(scene: &Scene, projection: &Projection, view: &View) -> String {
    let at = |place: Vec3| projection.point(view, place);
    let mut svg = format!("<g class=\"view\" id=\"{}\"><title>{} view</title>\n", view.name, view.name);
    let corner = (view.middle.0 - view.half.0, view.middle.1 - view.half.1);
    svg += &(plot_drawing::text(corner.0 + 8.0, corner.1 - 3.0, "heading", &format!("{} view", view.name)) + "\n");
    if let (Some(height), true) = (scene.road, view.axes[1] == 2) {
        let y = at(Vec3::new(0.0, 0.0, height)).1;
        svg += &symbols::path("road", &[(corner.0 + 4.0, y), (corner.0 + 2.0 * view.half.0 - 4.0, y)]);
    }
    // Far and near parts.
    let mut layers = [String::new(), String::new()];
    let mut add = |places: &[Vec3], content: String| layers[usize::from(!view.is_far(places))] += &content;
    let mut bodies: Vec<(usize, &Body)> = scene.bodies.iter().enumerate().collect();
    bodies.sort_by(|(_, a), (_, b)| view.depth(a.centre).total_cmp(&view.depth(b.centre)));
    for (index, body) in &bodies {
        add(&body.held(), outline(body, index % COLOURS, projection, view));
    }
    for wheel in &scene.wheels {
        add(&wheel.middles, draw_wheel(wheel, projection, view));
    }
    for strut in &scene.struts {
        add(&strut.places(), titled(&strut.name, "strut", &symbols::strut(strut.kind, strut.places().map(at))));
    }
    for line in &scene.lines {
        let points = projection.points(view, &line.places);
        add(&line.places, titled(&line.name, "strut", &symbols::path("stroke", &points)));
    }
    for place in &scene.ground {
        add(&[*place], symbols::foot(at(*place)));
    }
    for mark in &scene.marks {
        add(&[mark.at.at], titled(&mark.name, class(mark), &draw_mark(mark, projection, view)));
    }
    for arrow in &scene.arrows {
        add(&[arrow.at.at], titled(&arrow.name, "strut", &symbols::force(at(arrow.at.at))));
    }
    for (_, body) in bodies.iter().filter(|(_, body)| body.massive && !body.wheel) {
        let places: Vec<Vec3> = body.held().into_iter().chain([body.centre]).collect();
        add(&places, titled(&body.name, "mass", &symbols::centre(at(body.centre))));
    }
    let [far, near] = layers;
    if !far.is_empty() {
        svg += &format!("<g class=\"far\">\n{far}</g>\n");
    }
    svg += &near;
    svg += &triad(view);
    svg + &names(scene, projection, view) + "</g>\n"
}

fn titled(name: &str, class: &str, content: &str) -> String {
    format!("<g class=\"{class}\"><title>{}</title>{content}</g>\n", escape(name))
}

fn class(mark: &Mark) -> &'static str {
    match (mark.guided, mark.sprung) {
        (true, _) => "guided",
        (false, true) => "sprung",
        (false, false) => "free",
    }
}

/// Outline of a body; for a single point, a line to the centre of mass if it has one.
fn outline(body: &Body, colour: usize, projection: &Projection, view: &View) -> String {
    let centre = projection.point(view, body.centre);
    let mut corners = hull(&projection.points(view, &body.held()));
    let mut svg = String::new();
    match corners.len() {
        0 => return titled(&body.name, "part", &symbols::circle(&format!("body k{colour}"), centre, 8.0)),
        1 => corners.push(centre),
        _ if body.massive && !body.wheel => {
            // If the centre of mass is outside the outline, a thin line leads to it.
            let with = hull(&corners.iter().copied().chain([centre]).collect::<Vec<_>>());
            if with.contains(&centre) {
                let n = corners.len() as f64;
                let sum = corners.iter().fold((0.0, 0.0), |sum, corner| (sum.0 + corner.0, sum.1 + corner.1));
                svg += &symbols::path(&format!("lead k{colour}"), &[(sum.0 / n, sum.1 / n), centre]);
            }
        }
        _ => {}
    }
    svg += &symbols::polygon(&format!("body k{colour}"), &corners);
    titled(&body.name, "part", &svg)
}

fn draw_wheel(wheel: &Wheel, projection: &Projection, view: &View) -> String {
    let tyre = |middle: &Vec3| symbols::polygon("tyre", &hull(&projection.points(view, &wheel.rims_of(*middle))));
    let tyres: String = wheel.middles.iter().map(tyre).collect();
    titled(&wheel.name, "wheel", &tyres)
}

fn draw_mark(mark: &Mark, projection: &Projection, view: &View) -> String {
    let at = projection.point(view, mark.at.at);
    let [axis, up] = [mark.axis, mark.up].map(|v| (v[view.axes[0]], -v[view.axes[1]]));
    let ring = if mark.sprung { symbols::circle("ring", at, 9.0) } else { String::new() };
    ring + &symbols::sign(mark.sign, at, axis, up)
}

/// Origin of the axes.
fn triad_at(view: &View) -> Point {
    (view.middle.0 - view.half.0 + 14.0, view.middle.1 + view.half.1 - 12.0)
}

/// Two arrows with the names of the axes.
fn triad(view: &View) -> String {
    let (x, y) = triad_at(view);
    let [right, up] = view.axes.map(|axis| ["x", "y", "z"][axis]);
    let arrows =
        format!("<path class=\"triad\" d=\"M{x:.1} {y:.1}h24m-5 -3l5 3l-5 3M{x:.1} {y:.1}v-24m-3 5l3 -5l3 5\"/>\n",);
    arrows
        + &plot_drawing::text(x + 28.0, y + 4.0, "axis", right)
        + &plot_drawing::text(x - 3.0, y - 29.0, "axis", up)
        + "\n"
}

/// Names of bodies, then of elements between them, nearest first.
fn names(scene: &Scene, projection: &Projection, view: &View) -> String {
    let at = |place: Vec3| projection.point(view, place);
    let mut requests: Vec<(usize, f64, String, Point)> = Vec::new();
    let mut request = |rank: usize, place: Vec3, name: &str, places: &[Vec3]| {
        if !view.is_far(places) {
            requests.push((rank, -view.depth(place), name.to_string(), at(place)));
        }
    };
    for body in &scene.bodies {
        let places: Vec<Vec3> = body.held().into_iter().chain([body.centre]).collect();
        request(0, body.centre, &body.name, &places);
    }
    for strut in &scene.struts {
        let rank = if strut.kind == StrutKind::BumpStop { 3 } else { 1 };
        let ends = strut.places();
        request(rank, 0.5 * (ends[0] + ends[1]), &strut.name, &ends);
    }
    for arrow in &scene.arrows {
        request(1, arrow.at.at, &arrow.name, &[arrow.at.at]);
    }
    for mark in &scene.marks {
        let element = matches!(mark.sign, Sign::LeafSpring | Sign::Bushing);
        if element || scene.marks.len() <= MAX_NAMED_JOINTS {
            request(2, mark.at.at, &mark.name, &[mark.at.at]);
        }
    }
    requests.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let requests: Vec<(String, Point)> = requests.into_iter().map(|(_, _, name, at)| (name, at)).collect();
    // Names must not cover a joint, a centre of mass, or a part of a rod, spring or damper.
    let along = |[a, b]: [Vec3; 2]| {
        let pieces = (super::outline::distance(at(a), at(b)) / 6.0).ceil().max(1.0) as usize;
        (0..=pieces).map(move |i| a + (i as f64 / pieces as f64) * (b - a))
    };
    let near = |places: &[Vec3]| !view.is_far(places);
    let struts = scene.struts.iter().map(|strut| strut.places()).filter(|ends| near(ends)).flat_map(along);
    let bars = scene.bodies.iter().filter_map(|body| match body.points[..] {
        [only] => Some([only.at, body.centre]),
        [first, second] => Some([first.at, second.at]),
        _ => None,
    });
    let bars = bars.filter(|ends| near(ends)).flat_map(along);
    let points = scene.bodies.iter().flat_map(Body::held).filter(|place| near(&[*place]));
    let centres = scene.bodies.iter().filter(|body| body.massive).map(|body| body.centre);
    let signs = scene.marks.iter().map(|mark| mark.at.at).filter(|place| near(&[*place]));
    let mut marks: Vec<Point> = struts.chain(bars).chain(points).chain(centres).chain(signs).map(at).collect();
    let (x, y) = triad_at(view);
    marks.extend((0..6).flat_map(|i| [(x + 6.0 * f64::from(i), y), (x, y - 6.0 * f64::from(i))]));
    let frame = Area {
        x: view.middle.0 - view.half.0 + 2.0,
        y: view.middle.1 - view.half.1 + 2.0,
        width: 2.0 * view.half.0 - 4.0,
        height: 2.0 * view.half.1 - 4.0,
    };
    let mut svg = String::new();
    for label in labels::place(&requests, &marks, &frame) {
        let Area { x, y, width, height } = label.area;
        let (foot, beside) = (y + 0.5 * height, x + 0.5 * width);
        let edge = if beside > label.anchor.0 { x } else { x + width };
        if (edge - label.anchor.0).hypot(foot - label.anchor.1) > 14.0 && !(x..x + width).contains(&label.anchor.0) {
            svg += &symbols::path("leader", &[label.anchor, (edge, foot)]);
        }
        svg += &format!("<rect class=\"halo\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>");
        svg += &plot_drawing::text(x + 2.0, y + height - 3.0, "label", &label.text);
        svg.push('\n');
    }
    svg
}

/// A bar of 1, 2 or 5 times a power of ten metres.
fn scale_bar(scale: f64, y: f64) -> String {
    let wanted = 120.0 / scale;
    let power = 10f64.powi(wanted.log10().floor() as i32);
    let length = [5.0, 2.0, 1.0].into_iter().map(|factor| factor * power).find(|length| *length <= wanted);
    let length = length.unwrap_or(power);
    let (x, width) = (MARGIN + 14.0, scale * length);
    let label = format!("{} m", ballesta_files::words::short(length, 3));
    format!("<path class=\"triad\" d=\"M{x:.1} {y:.1}v6M{x:.1} {:.1}h{width:.1}m0 -3v6\"/>\n", y + 3.0)
        + &plot_drawing::text(x + width + 8.0, y + 7.0, "axis", &label)
        + "\n"
}

/// Legend of the used symbols; also returns the height of the page.
fn legend(scene: &Scene, top: f64) -> (String, f64) {
    let mut entries: Vec<(String, &str)> = Vec::new();
    let at = (18.0, 0.0);
    let mut signs: Vec<Sign> = scene.marks.iter().map(|mark| mark.sign).collect();
    signs.sort_unstable();
    signs.dedup();
    for sign in signs {
        let meaning = match sign {
            Sign::Revolute => "revolute",
            Sign::Prismatic => "prismatic",
            Sign::Cylindrical => "cylindrical",
            Sign::Universal => "universal",
            Sign::Spherical => "spherical",
            Sign::Planar => "planar",
            Sign::Fixed => "fixed",
            Sign::Constraint => "point on line or plane",
            Sign::Bushing => "bushing",
            Sign::LeafSpring => "leaf spring",
        };
        // Leaves with the length of their legend entry.
        let axis = if sign == Sign::LeafSpring { (0.65, 0.0) } else { (1.0, 0.0) };
        entries.push((symbols::sign(sign, at, axis, (0.0, -1.0)), meaning));
    }
    if scene.marks.iter().any(|mark| mark.guided) {
        entries.push((
            format!("<g class=\"guided\">{}</g>", symbols::sign(Sign::Revolute, at, (1.0, 0.0), (0.0, 0.0))),
            "guided joint",
        ));
    }
    if scene.marks.iter().any(|mark| mark.sprung) {
        entries.push((symbols::circle("ring", at, 8.0), "spring on a joint"));
    }
    let mut kinds: Vec<StrutKind> = scene.struts.iter().map(|strut| strut.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    for kind in kinds {
        let meaning = match kind {
            StrutKind::Rod => "rod",
            StrutKind::Spring => "spring",
            StrutKind::Damper => "damper",
            StrutKind::AirSpring => "air spring",
            StrutKind::BumpStop => "stop",
            StrutKind::AntiRollBar => "anti-roll bar",
        };
        entries.push((symbols::strut(kind, [(2.0, 0.0), (34.0, 0.0)]), meaning));
    }
    if !scene.arrows.is_empty() {
        entries.push((symbols::force((18.0, 8.0)), "force"));
    }
    if scene.bodies.iter().any(|body| body.massive && !body.wheel) {
        entries.push((symbols::centre(at), "centre of mass"));
    }
    if !scene.ground.is_empty() {
        entries.push((symbols::foot((18.0, -6.0)), "ground"));
    }
    let (mut svg, mut x, mut y) = (String::from("<g id=\"legend\">\n"), MARGIN + 14.0, top);
    for (sign, meaning) in entries {
        let width = 44.0 + text_width(meaning, 12.0) + 18.0;
        if x + width > WIDTH - MARGIN {
            (x, y) = (MARGIN + 14.0, y + 26.0);
        }
        svg += &format!(
            "<g transform=\"translate({x:.1} {y:.1})\">{sign}{}</g>\n",
            plot_drawing::text(44.0, 4.0, "name", meaning)
        );
        x += width;
    }
    (svg + "</g>\n", y + 26.0)
}

const STYLE: &str = "<style>\n\
.label,.axis{font-size:10px} .halo{fill:#fff;fill-opacity:.6}\n\
.body{stroke-width:1.8;stroke-linejoin:round;fill-opacity:.16} .lead{stroke-width:1;stroke-dasharray:3 3;fill:none}\n\
.k0{stroke:#4f8fc0;fill:#4f8fc0} .k1{stroke:#d98a4a;fill:#d98a4a} .k2{stroke:#4faa86;fill:#4faa86} \
.k3{stroke:#b978a8;fill:#b978a8}\n\
.k4{stroke:#8a8f3f;fill:#8a8f3f} .k5{stroke:#7d7fc4;fill:#7d7fc4} .k6{stroke:#c0686b;fill:#c0686b} \
.k7{stroke:#5f9aa3;fill:#5f9aa3}\n\
.far{opacity:.22} .tyre{fill:#9a9a9a;fill-opacity:.13;stroke:#6d6d6d;stroke-width:1.6;stroke-linejoin:round}\n\
.joint{fill:#fff;stroke:#333;stroke-width:1.3} .guided .joint{fill:#ffb3a7} \
.stroke{stroke:#333;stroke-width:1.1;fill:none}\n\
.ball,.dot{fill:#333} .ring{fill:none;stroke:#008f68;stroke-width:1.6;stroke-dasharray:5 2}\n\
.rod{stroke:#1a5f9e;stroke-width:2.6;fill:none} .rodend{fill:#1a5f9e}\n\
.spring{stroke:#008f68;stroke-width:1.6;fill:none;stroke-linejoin:round} \
.damper{stroke:#a3490a;stroke-width:1.6;fill:none}\n\
.stop{stroke:#8a6fb0;stroke-width:1.2;stroke-dasharray:2 3;fill:none} .stopend{stroke:#8a6fb0;stroke-width:2.2}\n\
.bar{stroke:#b03a78;stroke-width:2.6;fill:none} .barend{fill:#b03a78} \
.force{stroke:#c98a00;fill:#c98a00;stroke-width:1.6}\n\
.ground{stroke:#666;fill:none;stroke-width:1} .road{stroke:#8c8c8c;stroke-width:1.4}\n\
.centre{fill:#fff;stroke:#333;stroke-width:1} .quarters{fill:#333} .triad{stroke:#555;fill:none;stroke-width:1.2} \
.leader{stroke:#999;stroke-width:.7;fill:none}\n\
@media screen and (prefers-color-scheme:dark){\n\
.halo{fill:#15181c} .joint,.centre{fill:#15181c;stroke:#ddd} .stroke,.triad{stroke:#ddd} \
.ball,.dot,.quarters{fill:#ddd}\n\
.rod{stroke:#7fb8e8} .rodend{fill:#7fb8e8} .ground{stroke:#aaa} .guided .joint{fill:#7a2e22}\n}\n</style>";
