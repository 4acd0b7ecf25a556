//! Draws the layout.
//!
//! All text has a filled box and the lines have a medium brightness, so the picture is readable on any page. A viewer
//! in dark mode gets dark boxes.

use std::fmt::Write;

use quick_xml::escape::escape;

use super::diagram_content::{Graph, Style};
use super::row_layout::{Item, LINE_HEIGHT, LINE_SIZE, Layout, NAME_SIZE, RowItem};

const STYLE: &str = include_str!("topology.css");
const GROUND_HEIGHT: f64 = 22.0;
const MARGIN: f64 = 12.0;

/// The picture as one `<svg>` element.
pub fn draw(name: &str, graph: &Graph, layout: &Layout) -> String {
    let mut out = String::new();
    let height = layout.ground + GROUND_HEIGHT + 16.0 + 2.0 * LINE_HEIGHT + MARGIN;
    write_svg(&mut out, name, graph, layout, height).expect("writing to a String cannot fail");
    out
}

fn write_svg(out: &mut String, name: &str, graph: &Graph, layout: &Layout, height: f64) -> std::fmt::Result {
    let width = layout.width;
    writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" class="topology" role="img" viewBox="0 0 {width:.0} {height:.0}" width="{width:.0}" height="{height:.0}">"#
    )?;
    writeln!(out, "<title>Topology of {}</title>\n<style>\n{STYLE}</style>", escape(name))?;
    write_lines(out, graph, layout)?;
    write_ground(out, layout)?;
    for place in &layout.places {
        match place.item {
            Item::Body(i) => write_box(out, place, "body", 3.0, &graph.bodies[i].name, &graph.bodies[i].lines)?,
            Item::Element(i) => {
                let element = &graph.elements[i];
                write_box(out, place, class(element.style), 12.0, &element.name, &element.lines)?;
            }
            Item::Bend(_) => {}
        }
    }
    write_caption(out, graph, layout.ground + GROUND_HEIGHT + 16.0)?;
    writeln!(out, "</svg>")
}

fn class(style: Style) -> &'static str {
    match style {
        Style::Joint => "joint",
        Style::Rod => "rod",
        Style::Constraint => "constraint",
        Style::Force => "force",
    }
}

/// Lines first, so that boxes cover their ends. Lines that meet at one side of a box are spread over it.
fn write_lines(out: &mut String, graph: &Graph, layout: &Layout) -> std::fmt::Result {
    for (i, line) in layout.lines.iter().enumerate() {
        let element = &graph.elements[line.element];
        let upper = &layout.places[line.upper];
        let (x1, y1) = (port(layout, i, line.upper, false), upper.y + upper.height);
        let (x2, y2) = match line.lower {
            Some(lower) => (port(layout, i, lower, true), layout.places[lower].y),
            None => (x1, layout.ground),
        };
        let middle = (y1 + y2) / 2.0;
        let heavy = if element.in_loop { " loop" } else { "" };
        writeln!(
            out,
            r#"<path class="line {}{heavy}" d="M{x1:.1} {y1:.1}C{x1:.1} {middle:.1} {x2:.1} {middle:.1} {x2:.1} {y2:.1}"/>"#,
            class(element.style)
        )?;
    }
    Ok(())
}

/// Intersection of line `index` with the upper or lower side of `place`.
fn port(layout: &Layout, index: usize, place: usize, at_top: bool) -> f64 {
    let mut others: Vec<(f64, usize)> = layout
        .lines
        .iter()
        .enumerate()
        .filter(|(_, line)| if at_top { line.lower == Some(place) } else { line.upper == place })
        .map(|(i, line)| {
            let other = if at_top { Some(line.upper) } else { line.lower };
            (other.map_or(layout.places[place].x, |other| layout.places[other].x), i)
        })
        .collect();
    others.sort_by(|a, b| a.0.total_cmp(&b.0));
    let rank = others.iter().position(|&(_, i)| i == index).expect("the line ends here") as f64;
    let spacing = (0.8 * layout.places[place].width / others.len() as f64).min(24.0);
    layout.places[place].x + (rank - (others.len() - 1) as f64 / 2.0) * spacing
}

fn write_ground(out: &mut String, layout: &Layout) -> std::fmt::Result {
    let (left, right, top) = (MARGIN, layout.width - MARGIN, layout.ground);
    write!(out, r#"<path class="hatch" d=""#)?;
    let mut x = left + 8.0;
    while x <= right {
        write!(out, "M{x:.0} {:.0}l-8 8", top + GROUND_HEIGHT)?;
        x += 10.0;
    }
    writeln!(out, r#""/>"#)?;
    writeln!(
        out,
        r#"<rect class="body" x="{left:.0}" y="{top:.0}" width="{:.0}" height="{GROUND_HEIGHT:.0}"/>"#,
        right - left
    )?;
    writeln!(
        out,
        r#"<text class="name" x="{:.1}" y="{:.1}">ground</text>"#,
        layout.width / 2.0,
        top + GROUND_HEIGHT / 2.0 + 0.35 * NAME_SIZE
    )
}

fn write_box(
    out: &mut String,
    place: &RowItem,
    class: &str,
    radius: f64,
    name: &str,
    lines: &[String],
) -> std::fmt::Result {
    writeln!(
        out,
        r#"<rect class="{class}" x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}" rx="{radius:.0}"/>"#,
        place.x - place.width / 2.0,
        place.y,
        place.width,
        place.height
    )?;
    let x = place.x;
    let mut y = place.y + 5.0 + NAME_SIZE * 0.85;
    writeln!(out, r#"<text class="name" x="{x:.1}" y="{y:.1}">{}</text>"#, escape(name))?;
    for line in lines {
        y += LINE_HEIGHT;
        writeln!(out, r#"<text x="{x:.1}" y="{y:.1}">{}</text>"#, escape(line.as_str()))?;
    }
    Ok(())
}

fn write_caption(out: &mut String, graph: &Graph, top: f64) -> std::fmt::Result {
    let count = |number: usize, one: &str, many: &str| format!("{number} {}", if number == 1 { one } else { many });
    let of = |style: Style| graph.elements.iter().filter(|e| e.style == style).map(|e| e.count).sum::<usize>();
    let mut parts = vec![count(graph.bodies.len() - 1, "body", "bodies")];
    for (style, one, many) in [
        (Style::Joint, "joint", "joints"),
        (Style::Rod, "rod", "rods"),
        (Style::Constraint, "point constraint", "point constraints"),
        (Style::Force, "force element", "force elements"),
    ] {
        if of(style) > 0 {
            parts.push(count(of(style), one, many));
        }
    }
    parts.push(count(graph.loops, "independent loop", "independent loops"));
    let y = top + LINE_SIZE;
    writeln!(out, r#"<text class="caption" x="{MARGIN:.0}" y="{y:.1}">{}</text>"#, parts.join(", "))?;
    let mut legend = Vec::new();
    if graph.loops > 0 {
        legend.push("heavy: part of a closed loop");
    }
    if of(Style::Force) > 0 {
        legend.push("dashed: force only");
    }
    if !legend.is_empty() {
        let y = y + LINE_HEIGHT;
        writeln!(out, r#"<text class="caption" x="{MARGIN:.0}" y="{y:.1}">{}</text>"#, legend.join("; "))?;
    }
    Ok(())
}
