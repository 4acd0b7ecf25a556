//! OpenCRG files: heights on a grid along a curved reference line.
//!
//! The source is ASAM OpenCRG 1.1, User Manual ("Curved Regular Grid", data formats LRFI, LDFI, KRBI, KDBI): a header
//! in blocks that begin with `$NAME` and end with `$`, a line of `$`, then one record per cross section, as text in
//! columns or as big-endian numbers.

use super::{Fault, HeightMap, MAX_HEIGHT, MAX_POSITION, MAX_VALUES, MIN_SPACING};
use ballesta_solver::math::elementary::{cos, sin};
use ballesta_solver::math::interpolation::between;
use std::f64::consts::TAU;

/// Largest distance of a point to the inner side of a bend, as a fraction of the radius.
const MAX_INNER_DISTANCE: f64 = 0.9;

/// The required part of the header.
#[derive(Default)]
struct Header {
    /// Keys of `$ROAD_CRG` in small letters, with their values.
    numbers: Vec<(String, f64)>,
    /// `#:` of `$KD_DEFINITION`, and its line.
    format: (String, usize),
    /// Names of the channels after `D:`, in small letters, each with its line.
    channels: Vec<(String, usize)>,
    /// Increment of the virtual channel `U:reference line u`.
    increment: Option<f64>,
    /// Start of the data: byte and line.
    data: (usize, usize),
}

impl Header {
    fn number(&self, key: &str) -> Option<f64> {
        self.numbers.iter().find(|(name, _)| name == key).map(|(_, value)| *value)
    }
}

fn fault<T>(line: usize, found: impl Into<String>, expected: &'static str) -> Result<T, Fault> {
    Err(Fault { line, column: 1, found: found.into(), expected })
}

/// Reads a file: the map, and for each row the line where the data begin.
pub(super) fn read(bytes: &[u8]) -> Result<(HeightMap, Vec<usize>), Fault> {
    let header = header(bytes)?;
    let sections = sections(&header)?;
    let count = header.channels.len();
    let data = match header.format.0.as_str() {
        "LRFI" => text(bytes, &header, 10)?,
        "LDFI" => text(bytes, &header, 20)?,
        "KRBI" => binary(bytes, &header, |bytes: &[u8; 4]| f64::from(f32::from_be_bytes(*bytes)))?,
        "KDBI" => binary(bytes, &header, |bytes: &[u8; 8]| f64::from_be_bytes(*bytes))?,
        other => return fault(header.format.1, format!("found the format {other}"), "write LRFI, LDFI, KRBI or KDBI"),
    };
    let rows = data.len() / count;
    if rows < 2 {
        return fault(header.data.1, format!("found {rows} cross section(s)"), "write at least two");
    }
    let spacing = spacing(&header, rows)?;
    let channel = |name: &str| {
        let column = header.channels.iter().position(|(channel, _)| channel == name)?;
        let mut values: Vec<f64> = (0..rows).map(|row| data[row * count + column]).collect();
        // A missing value is the value of the row before; only banking uses the first one.
        values[0] = if values[0].is_nan() { values[1] } else { values[0] };
        for row in 1..rows {
            if values[row].is_nan() {
                values[row] = values[row - 1];
            }
        }
        Some(values)
    };
    let rise = match channel("reference line slope") {
        Some(slopes) => {
            let ends = [header.number("reference_line_start_z"), header.number("reference_line_end_z")];
            let end = ends[1].map(|end| end - ends[0].unwrap_or(0.0));
            summed(slopes[1..].iter().map(|slope| spacing * slope), end)
        }
        None => summed((1..rows).map(|_| spacing * header.number("reference_line_start_s").unwrap_or(0.0)), None),
    };
    let banking = channel("reference line banking")
        .unwrap_or_else(|| vec![header.number("reference_line_start_b").unwrap_or(0.0); rows]);
    let mut heights = Vec::with_capacity(rows * sections.count);
    for row in 0..rows {
        let values: Vec<f64> = sections.columns.iter().map(|column| data[row * count + column]).collect();
        let values = filled(&values, &sections.places);
        let Some(values) = values else {
            let found = format!("cross section {} holds no height", row + 1);
            return fault(header.data.1, found, "omit the cross section, or give at least one height");
        };
        for place in 0..sections.count {
            let v = sections.first + place as f64 * sections.spacing;
            heights.push(rise[row] + banking[row] * v + interpolated(&sections.places, &values, v));
        }
    }
    // The surface at the start of the reference line has the height 0.
    let row = &heights[..sections.count];
    let places: Vec<f64> = (0..sections.count).map(|k| sections.first + k as f64 * sections.spacing).collect();
    let start = interpolated(&places, row, 0.0);
    heights.iter_mut().for_each(|height| *height -= start);
    if let Some(height) = heights.iter().find(|height| !(height.abs() <= MAX_HEIGHT)) {
        return fault(header.data.1, format!("found {height:e} m"), "write heights within 1e5 m");
    }
    let line = match channel("reference line phi") {
        Some(headings) => Some(line(&header, &headings, spacing, &sections)?),
        None => None,
    };
    let map = HeightMap {
        origin: [0.0, sections.first],
        spacing: [spacing, sections.spacing],
        points: [rows, sections.count],
        heights,
        line: line.filter(|line| line.len() > 2 && line.iter().any(|point| point[1] != 0.0)),
    };
    Ok((map, vec![header.data.1; rows]))
}

/// Splits off the header. Bytes are read as Latin-1: they have no effect outside of comments.
fn header(bytes: &[u8]) -> Result<Header, Fault> {
    let mut header = Header::default();
    let mut block = String::new();
    let mut at = 0;
    for (index, raw) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        at += raw.len();
        let number = index + 1;
        let line: String = raw.iter().map(|byte| char::from(*byte)).collect();
        let line = line.trim_end();
        if let Some(name) = line.strip_prefix('$') {
            let dollars = name.len() >= 3 && name.bytes().all(|byte| byte == b'$');
            if name.starts_with('$') && (block.is_empty() || dollars) {
                header.data = (at, number + 1);
                if header.channels.is_empty() {
                    return fault(number, "the header has no channel `D:`", "define them in $KD_DEFINITION");
                }
                return Ok(header);
            }
            if name.starts_with('$') {
                // A line of the block that begins with one `$`.
                continue;
            }
            block = name.split([' ', '!', '\t']).next().unwrap_or_default().to_ascii_uppercase();
            if block == "ROAD_CRG_FILE" {
                return fault(number, "the data are in another file", "name that file in `height_map`");
            }
            continue;
        }
        let words = line.split('!').next().unwrap_or_default().trim();
        if words.is_empty() || line.starts_with('*') {
            continue;
        }
        match block.as_str() {
            "ROAD_CRG" => header.numbers.extend(pair(words, number)?),
            "ROAD_CRG_MODS" | "ROAD_CRG_OPTS" => {
                if let Some((key, value)) = pair(words, number)? {
                    changes_nothing(&key, value, number)?;
                }
            }
            "KD_DEFINITION" => {
                let lower = words.to_ascii_lowercase();
                if let Some(format) = lower.strip_prefix("#:") {
                    header.format = (format.trim().to_ascii_uppercase(), number);
                } else if let Some(channel) = lower.strip_prefix("d:") {
                    let (name, unit) = channel.split_once(',').unwrap_or((channel, ""));
                    let (name, unit) = (name.trim(), unit.trim());
                    let wanted = match name {
                        "reference line phi" => "rad",
                        "reference line slope" | "reference line banking" => "m/m",
                        _ if name.starts_with("long section") => "m",
                        _ => unit,
                    };
                    if unit != wanted {
                        return fault(
                            number,
                            format!("found \"{name}\" in \"{unit}\""),
                            "write rad, m/m or m, and no other unit",
                        );
                    }
                    header.channels.push((name.to_string(), number));
                } else if let Some(channel) = lower.strip_prefix("u:reference line u,m,") {
                    header.increment = channel.split(',').nth(1).and_then(|value| value.trim().parse().ok());
                }
            }
            _ => {}
        }
    }
    fault(1, "the header does not end with a line of `$`", "add a line of `$` between the header and the data")
}

/// `KEY = number`; `None` if the value is not a number: a key of another program.
fn pair(words: &str, line: usize) -> Result<Option<(String, f64)>, Fault> {
    let Some((key, value)) = words.split_once('=') else {
        return fault(line, format!("found \"{}\"", words.escape_debug()), "write KEY = number");
    };
    // Exponents in Fortran notation.
    let value = value.trim().replace(['d', 'D'], "e").parse::<f64>().ok();
    Ok(value.filter(|value| value.is_finite()).map(|value| (key.trim().to_ascii_lowercase(), value)))
}

/// Rejects a modifier or option that would change heights; the model defines the position of the road.
fn changes_nothing(key: &str, value: f64, line: usize) -> Result<(), Fault> {
    let neutral = match key {
        _ if key.starts_with("scale_") => 1.0,
        "grid_nan_mode" | "border_mode_u" | "border_mode_v" => 2.0,
        "grid_nan_offset"
        | "border_offset_u"
        | "border_offset_v"
        | "border_smooth_ubeg"
        | "border_smooth_uend"
        | "refline_continuation" => 0.0,
        _ => return Ok(()),
    };
    if value == neutral {
        return Ok(());
    }
    let expected = "save the file with the changes applied; these modifiers must keep the heights unchanged (scale_* \
                    = 1, grid_nan_mode = 2, border_mode_* = 2, no offsets)";
    fault(line, format!("found {key} = {value}"), expected)
}

/// Long sections, from right to left.
struct Sections {
    /// Columns of the data.
    columns: Vec<usize>,
    /// Positions v, m.
    places: Vec<f64>,
    /// The even grid that contains all positions.
    first: f64,
    spacing: f64,
    count: usize,
}

fn sections(header: &Header) -> Result<Sections, Fault> {
    let (mut placed, mut numbered) = (Vec::new(), Vec::new());
    let mut last = 1;
    // Channels with a position, and channels with a number.
    for (column, (name, line)) in header.channels.iter().enumerate() {
        let Some(rest) = name.strip_prefix("long section") else { continue };
        let rest = rest.trim();
        let (list, value) = match rest.strip_prefix("at v").map(|rest| rest.trim_start().trim_start_matches('=')) {
            Some(place) => (&mut placed, place.trim()),
            None => (&mut numbered, rest),
        };
        match value.parse::<f64>() {
            Ok(value) if value.abs() <= MAX_POSITION => list.push((value, column)),
            _ => {
                return fault(
                    *line,
                    format!("found \"{name}\""),
                    "write `long section 1` or `long section at v = 0.5`",
                );
            }
        }
        last = *line;
    }
    // Only one kind is allowed, and numbers must be consecutive.
    if placed.is_empty() == numbered.is_empty() {
        let found = format!("found {} long sections by position and {} by number", placed.len(), numbered.len());
        return fault(last, found, "define all of them in the same way");
    }
    let by_number = placed.is_empty();
    let mut found = if by_number { numbered } else { placed };
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    if found.len() < 2 {
        return fault(last, "found one long section", "define at least two");
    }
    if by_number && found.iter().enumerate().any(|(index, (number, _))| *number != (index + 1) as f64) {
        return fault(last, "the numbers of the long sections have gaps", "number them 1, 2, 3 from the right");
    }
    // Positions: from the channels, or from the header.
    let columns: Vec<usize> = found.iter().map(|(_, column)| *column).collect();
    let mut places: Vec<f64> = found.iter().map(|(place, _)| *place).collect();
    if by_number {
        let gaps = places.len() as f64 - 1.0;
        let [right, left] = ["long_section_v_right", "long_section_v_left"].map(|key| header.number(key));
        let step = match (header.number("long_section_v_increment"), right, left) {
            (Some(step), ..) => step,
            (None, Some(right), Some(left)) => (left - right) / gaps,
            _ => {
                return fault(
                    last,
                    "the header does not give the positions of the long sections",
                    "add LONG_SECTION_V_RIGHT",
                );
            }
        };
        let right = right.unwrap_or(-0.5 * gaps * step);
        places = (0..places.len()).map(|k| right + k as f64 * step).collect();
    }
    // They must be multiples of their smallest distance, which is the spacing of the grid.
    let spacing = places.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
    let width = places[places.len() - 1] - places[0];
    if !(spacing >= MIN_SPACING && width <= MAX_POSITION) {
        return fault(last, format!("long sections are {spacing:e} m apart"), "place them at least 0.1 mm apart");
    }
    let count = (width / spacing).round();
    let even = width / count;
    let off = places.iter().map(|place| ((place - places[0]) / even).fract()).map(|part| part.min(1.0 - part));
    if !(off.fold(0.0, f64::max) <= 1e-3) || count >= MAX_VALUES as f64 {
        let found = format!("long sections are unevenly spaced; the smallest distance is {spacing} m");
        return fault(last, found, "place them at multiples of their smallest distance");
    }
    Ok(Sections { columns, first: places[0], places, spacing: even, count: count as usize + 1 })
}

/// Distance of cross sections, m.
fn spacing(header: &Header, rows: usize) -> Result<f64, Fault> {
    let ends = ["reference_line_start_u", "reference_line_end_u"].map(|key| header.number(key));
    let by_ends = ends[1].map(|end| (end - ends[0].unwrap_or(0.0)) / (rows - 1) as f64);
    let spacing = header.number("reference_line_increment").or(by_ends).or(header.increment).unwrap_or(0.01);
    if !(spacing >= MIN_SPACING && spacing * rows as f64 <= MAX_POSITION) {
        return fault(
            header.data.1,
            format!("cross sections are {spacing} m apart"),
            "place them at least 0.1 mm apart",
        );
    }
    Ok(spacing)
}

/// Text in columns of `width` characters, 80 to the line; a record begins on a new line.
fn text(bytes: &[u8], header: &Header, width: usize) -> Result<Vec<f64>, Fault> {
    let count = header.channels.len();
    let (start, mut line) = header.data;
    let mut data = Vec::new();
    let mut left = 0;
    for raw in bytes[start..].split(|byte| *byte == b'\n') {
        let text = raw.strip_suffix(b"\r").unwrap_or(raw);
        if !text.is_ascii() {
            return fault(line, "found a byte that is not ASCII", "write numbers in columns");
        }
        if left == 0 {
            if text.iter().all(u8::is_ascii_whitespace) {
                line += 1;
                continue;
            }
            left = count;
        }
        for (index, field) in text.chunks(width).take((80 / width).min(left)).enumerate() {
            let field = std::str::from_utf8(field).unwrap_or_default().trim();
            // `*missing*`, `**unused**`.
            let value = if field.starts_with('*') || field.eq_ignore_ascii_case("nan") {
                f64::NAN
            } else {
                match field.parse::<f64>() {
                    Ok(value) if value.is_finite() => value,
                    _ => {
                        let (column, found) = (index * width + 1, format!("found \"{field}\""));
                        return Err(Fault { line, column, found, expected: "write a finite number or *missing*" });
                    }
                }
            };
            data.push(value);
            left -= 1;
        }
        if data.len() > MAX_VALUES {
            return fault(line, format!("there are more than {MAX_VALUES} values"), "use a coarser or smaller grid");
        }
        line += 1;
    }
    if left > 0 {
        return fault(line - 1, format!("the last cross section has {left} values too few"), "the file is incomplete");
    }
    Ok(data)
}

/// Big-endian numbers, padded with NaN.
fn binary<const N: usize>(bytes: &[u8], header: &Header, value: impl Fn(&[u8; N]) -> f64) -> Result<Vec<f64>, Fault> {
    let count = header.channels.len();
    let (start, line) = header.data;
    let (numbers, _) = bytes[start..].as_chunks::<N>();
    if numbers.len() > MAX_VALUES {
        return fault(line, format!("there are more than {MAX_VALUES} values"), "use a coarser or smaller grid");
    }
    let mut data: Vec<f64> = numbers.iter().map(value).collect();
    if data.iter().any(|value| value.is_infinite()) {
        return fault(line, "found a number that is not finite", "the file may have been modified as text");
    }
    let whole = data.len() / count * count;
    if data[whole..].iter().any(|value| !value.is_nan()) {
        return fault(line, "the last cross section is incomplete", "the file is truncated");
    }
    data.truncate(whole);
    while data.len() >= count && data[data.len() - count..].iter().all(|value| value.is_nan()) {
        data.truncate(data.len() - count);
    }
    Ok(data)
}

/// Sums from 0; if the `end` is known, the error is distributed along the line, as the reference implementation does.
fn summed(steps: impl Iterator<Item = f64>, end: Option<f64>) -> Vec<f64> {
    let mut sum = 0.0;
    let mut sums: Vec<f64> = std::iter::once(0.0)
        .chain(steps.map(|step| {
            sum += step;
            sum
        }))
        .collect();
    if let Some(end) = end {
        let gaps = (sums.len() - 1) as f64;
        sums.iter_mut().enumerate().for_each(|(k, value)| *value += k as f64 / gaps * (end - sum));
    }
    sums
}

/// Heights with missing values replaced by the value of the neighbour nearer to the reference line (`grid_nan_mode =
/// 2`), or from the nearest one outside if there is none.
fn filled(values: &[f64], places: &[f64]) -> Option<Vec<f64>> {
    let nearest = |wanted: f64| {
        let known = (0..values.len()).filter(|k| !values[*k].is_nan());
        // Between the position and the reference line first.
        known.min_by(|a, b| {
            let cost = |k: usize| {
                let inside = places[k].abs() <= wanted.abs() && places[k] * wanted >= 0.0;
                (!inside, (places[k] - wanted).abs())
            };
            let (a, b) = (cost(*a), cost(*b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        })
    };
    if values.iter().all(|value| !value.is_nan()) {
        return Some(values.to_vec());
    }
    (0..values.len())
        .map(|k| if values[k].is_nan() { Some(values[nearest(places[k])?]) } else { Some(values[k]) })
        .collect()
}

/// Linear between the values at ascending `places`, constant beyond.
fn interpolated(places: &[f64], values: &[f64], at: f64) -> f64 {
    let (k, part) = between(places, at);
    values[k] + part * (values[k + 1] - values[k])
}

/// Headings without jumps by whole turns: programs write them within ±π or within 0 to 2π.
fn unwrapped(headings: &[f64]) -> Vec<f64> {
    let mut last = headings[0];
    let next = |&heading: &f64| {
        last = heading + TAU * ((last - heading) / TAU).round();
        last
    };
    headings.iter().map(next).collect()
}

/// The reference line: its first point is the origin, its first heading is along x.
fn line(header: &Header, headings: &[f64], spacing: f64, sections: &Sections) -> Result<Vec<[f64; 2]>, Fault> {
    // The heading of a row is the direction of the step to it; the first is not used.
    let headings = &headings[1..];
    let first = headings[0];
    let key = |key: &str| header.number(key);
    let ends = [
        [key("reference_line_start_x"), key("reference_line_start_y")],
        [key("reference_line_end_x"), key("reference_line_end_y")],
    ];
    let end = match ends {
        [start, [Some(x), Some(y)]] => {
            let (x, y) = (x - start[0].unwrap_or(0.0), y - start[1].unwrap_or(0.0));
            Some([x * cos(first) + y * sin(first), y * cos(first) - x * sin(first)])
        }
        _ => None,
    };
    if let Some(heading) = headings.iter().find(|heading| !(heading.abs() <= 1e6)) {
        return fault(header.data.1, format!("found the heading {heading} rad"), "write headings in rad");
    }
    let x = summed(headings.iter().map(|heading| spacing * cos(heading - first)), end.map(|end| end[0]));
    let y = summed(headings.iter().map(|heading| spacing * sin(heading - first)), end.map(|end| end[1]));
    let length = spacing * headings.len() as f64;
    let points: Vec<[f64; 2]> = x.into_iter().zip(y).map(|(x, y)| [x, y]).collect();
    for (index, pair) in points.windows(2).enumerate() {
        let [x, y] = [0, 1].map(|axis| pair[1][axis] - pair[0][axis]);
        let step = (x * x + y * y).sqrt();
        if !((step - spacing).abs() <= 0.01 * spacing) {
            let found = format!("the end of the reference line does not fit: step {} would be {step} m", index + 1);
            return fault(header.data.1, found, "make headings and REFERENCE_LINE_END_X, _END_Y agree within 1 %");
        }
    }
    // Averaged over a metre, because measured headings are noisy.
    let window = ((1.0 / spacing) as usize).min(headings.len() - 1).max(1);
    let headings = unwrapped(headings);
    for row in window..headings.len() {
        let curvature = (headings[row] - headings[row - window]) / (window as f64 * spacing);
        let side = if curvature > 0.0 { sections.places[sections.places.len() - 1] } else { sections.places[0] };
        if !(curvature * side <= MAX_INNER_DISTANCE) {
            let found = format!("{:.2} m along the line its radius is {:.3} m", row as f64 * spacing, 1.0 / curvature);
            return fault(header.data.1, found, "keep centres of curvature off the road: v below 0.9 of the radius");
        }
    }
    if !(length <= MAX_POSITION) {
        return fault(header.data.1, format!("the reference line is {length:e} m long"), "write lengths in m");
    }
    Ok(points)
}
