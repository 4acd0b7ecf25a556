//! A picture of a model's topology: bodies as boxes, joints, rods, constraints and springs as labels on the lines
//! between them, the ground as a bar at the bottom. Lines that belong to a closed loop are heavy.
//!
//! It shows the model as written, before the solver chooses cuts, and needs only the schema. Three stages: `graph`
//! collects the elements, `layout` places them in rows, `svg` draws them. The layout is the layered one of Sugiyama,
//! Tagawa and Toda (IEEE Trans. SMC 11, 1981): a row per distance from the ground, few crossings by repeated
//! barycentres, positions by least squares with a minimal distance. Every label has a separate place in a row between
//! two rows of bodies, so that parallel elements and labels never cover each other.

mod diagram_content;
mod diagram_drawing;
mod row_layout;

use ballesta::model::schema::Model;

/// The topology of `model` as an SVG element, self-contained, readable in print and on a dark page. Equal models give
/// equal bytes.
pub fn topology_svg(model: &Model) -> String {
    let graph = diagram_content::Graph::new(model);
    let layout = row_layout::Layout::new(&graph);
    diagram_drawing::draw(&model.general.name, &graph, &layout)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `tests/fragments/sample.toml`.
    pub fn sample() -> Model {
        toml::from_str(include_str!("../../../../tests/fragments/sample.toml")).expect("a valid model")
    }

    #[test]
    fn every_element_of_the_model_appears_and_text_is_escaped() {
        let svg = topology_svg(&sample());
        for name in
            ["crank", "rod_a", "slider", "A", "B", "C", "guide", "spring &lt;1&gt;", "push", "tie", "hinge_spring"]
        {
            assert!(svg.contains(&format!(">{name}<")) || svg.contains(&format!(" {name}<")), "{name} in {svg}");
        }
        assert!(!svg.contains("spring <1>"));
        let mut reader = quick_xml::Reader::from_str(&svg);
        while !matches!(reader.read_event().expect("well-formed"), quick_xml::events::Event::Eof) {}
    }

    #[test]
    fn the_picture_is_reproducible() {
        assert_eq!(topology_svg(&sample()), topology_svg(&sample()));
    }
}
