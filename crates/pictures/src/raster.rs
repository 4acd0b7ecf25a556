//! Pictures as pixels: SVG to PNG.
//!
//! Text uses embedded fonts, so that the result does not depend on the machine: Ubuntu Light, and Hack for missing
//! glyphs. A PNG has the light colours, because it cannot adapt to a dark page.

use resvg::tiny_skia::{IntSize, Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};
use std::sync::Arc;

/// Largest number of pixels of a side; larger pictures are drawn with fewer pixels per unit.
pub const MAX_PIXELS: u32 = 8192;

/// A PNG.
pub struct Png {
    /// Its width in pixels.
    pub width: u32,
    /// Its height in pixels.
    pub height: u32,
    /// The file.
    pub bytes: Vec<u8>,
}

/// The picture `svg` as PNG with `scale` pixels per unit, at most [`MAX_PIXELS`] along a side.
///
/// Invalid SVG, or a picture without extent, as text.
pub fn png(svg: &str, scale: u8) -> Result<Png, String> {
    let tree = parse(svg)?;
    let natural = tree.size().to_int_size();
    let size = natural.scale_by(scale.into()).ok_or(NO_EXTENT)?;
    draw(&tree, if size.width().max(size.height()) > MAX_PIXELS { within(size, MAX_PIXELS)? } else { size })
}

/// The picture `svg` as PNG whose longer side has `longer` pixels.
pub fn png_within(svg: &str, longer: u32) -> Result<Png, String> {
    let tree = parse(svg)?;
    let size = within(tree.size().to_int_size(), longer)?;
    draw(&tree, size)
}

const NO_EXTENT: &str = "a picture without extent";

fn parse(svg: &str) -> Result<Tree, String> {
    let mut fonts = fontdb::Database::new();
    for font in [epaint_default_fonts::UBUNTU_LIGHT, epaint_default_fonts::HACK_REGULAR] {
        fonts.load_font_data(font.to_vec());
    }
    fonts.set_sans_serif_family("Ubuntu");
    let options = Options { font_family: "Ubuntu".into(), fontdb: Arc::new(fonts), ..Options::default() };
    Tree::from_str(svg, &options).map_err(|error| error.to_string())
}

fn within(size: IntSize, longer: u32) -> Result<IntSize, String> {
    let scaled = if size.width() > size.height() { size.scale_to_width(longer) } else { size.scale_to_height(longer) };
    scaled.ok_or_else(|| NO_EXTENT.to_string())
}

fn draw(tree: &Tree, size: IntSize) -> Result<Png, String> {
    let (width, height) = (size.width(), size.height());
    let mut pixels = Pixmap::new(width, height).ok_or(NO_EXTENT)?;
    let (drawn, natural) = (size.to_size(), tree.size());
    let to_pixels = Transform::from_scale(drawn.width() / natural.width(), drawn.height() / natural.height());
    resvg::render(tree, to_pixels, &mut pixels.as_mut());
    Ok(Png { width, height, bytes: pixels.encode_png().map_err(|error| error.to_string())? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pixels(svg: &str, scale: u8) -> Pixmap {
        Pixmap::decode_png(&png(svg, scale).unwrap().bytes).unwrap()
    }

    fn picture(text: &str) -> String {
        let style =
            "<style>text{font:12px system-ui,sans-serif}@media (prefers-color-scheme:dark){rect{fill:#000}}</style>";
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 40 20\" width=\"40\" height=\"20\">{style}\
             <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/><text x=\"2\" y=\"15\">{text}</text></svg>"
        )
    }

    #[test]
    fn shapes_and_text_become_pixels_of_the_size_asked_for() {
        let empty = pixels(&picture(""), 2);
        assert_eq!((empty.width(), empty.height()), (80, 40));
        assert!(empty.pixels().iter().all(|pixel| (pixel.red(), pixel.alpha()) == (255, 255)), "light, and covered");
        // Letters, signs of units, and characters that only the second font has; each is drawn differently.
        let drawn: Vec<Vec<u8>> =
            ["Ab", "µs", "10⁻³", "○", "→"].map(|text| png(&picture(text), 2).unwrap().bytes).into();
        let empty_png = png(&picture(""), 2).unwrap().bytes;
        for (i, picture) in drawn.iter().enumerate() {
            assert!(!drawn[..i].contains(picture) && *picture != empty_png, "{i}");
        }
    }

    #[test]
    fn a_huge_picture_is_drawn_with_fewer_pixels_and_none_without_extent() {
        let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100\" height=\"9000\"/>";
        let found = pixels(svg, 2);
        assert_eq!((found.width(), found.height()), (92, MAX_PIXELS));
        assert!(png("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"0\" height=\"3\"/>", 2).is_err());
        assert!(png("no picture", 2).is_err());
    }
}
