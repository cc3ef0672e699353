//! Draws lines over the nights, as SVG.
//!
//! The drawing uses placeholder colours, one for each role; the page's style replaces them, in light and in dark.

use plotters::prelude::*;

use super::number::short;

/// The size of a drawing: that of a telephone's screen, so that its text can be read there.
const SIZE: (u32, u32) = (340, 170);

/// The placeholders for the colours of text and of grid lines.
const INK: RGBColor = RGBColor(0xAA, 0, 0xA1);
const GRID: RGBColor = RGBColor(0xAA, 0, 0xA2);

/// The placeholders for the colours of the lines.
const SERIES: [RGBColor; 4] =
    [RGBColor(0xAA, 0, 0xB1), RGBColor(0xAA, 0, 0xB2), RGBColor(0xAA, 0, 0xB3), RGBColor(0xAA, 0, 0xB4)];

/// Up to this number of nights each value has a dot.
const DOTS: usize = 45;

/// One line: a value for each night, where it has one.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// Its values.
    pub values: Vec<Option<f64>>,
}

/// Draws lines from zero up.
///
/// # Errors
/// An error of the drawing library.
pub fn plot(series: &[Series]) -> Result<String, String> {
    let mut svg = String::new();
    draw(series, &mut svg).map_err(|problem| format!("cannot draw: {problem}"))?;
    Ok(svg)
}

fn draw(series: &[Series], svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let nights = series.iter().map(|series| series.values.len()).max().unwrap_or(0);
    let top = series.iter().flat_map(|series| &series.values).flatten().copied().fold(0.0, f64::max);
    let top = if top > 0.0 { 1.08 * top } else { 1.0 };
    // Small counts have whole numbers as labels.
    let labels = if top < 5.0 { top as usize + 1 } else { 5 };
    // A single night is in the middle.
    let (from, to) = if nights < 2 { (-1.0, 1.0) } else { (0.0, (nights - 1) as f64) };
    let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    let mut chart = ChartBuilder::on(&root)
        .margin(4)
        .margin_right(8)
        .y_label_area_size(44)
        .build_cartesian_2d(from..to, 0.0..top)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(0)
        .y_labels(labels)
        .axis_style(GRID)
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .label_style(("sans-serif", 12).into_font().color(&INK))
        .y_label_formatter(&|value| short(*value))
        .draw()?;
    for (series, colour) in series.iter().zip(SERIES) {
        for run in runs(&series.values) {
            let style = ShapeStyle::from(&colour).stroke_width(2);
            chart.draw_series(LineSeries::new(run.iter().copied(), style))?;
            if nights <= DOTS || run.len() == 1 {
                chart.draw_series(run.iter().map(|place| Circle::new(*place, 2, colour.filled())))?;
            }
        }
    }
    root.present()?;
    Ok(())
}

/// The values as points, one list for each stretch of nights without a gap.
fn runs(values: &[Option<f64>]) -> Vec<Vec<(f64, f64)>> {
    let places: Vec<Option<(f64, f64)>> =
        values.iter().enumerate().map(|(night, value)| value.map(|value| (night as f64, value))).collect();
    places
        .split(Option::is_none)
        .filter(|run| !run.is_empty())
        .map(|run| run.iter().flatten().copied().collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nights_without_a_value_are_gaps() {
        assert_eq!(
            runs(&[None, Some(1.0), Some(2.0), None, Some(3.0)]),
            [vec![(1.0, 1.0), (2.0, 2.0)], vec![(4.0, 3.0)]]
        );
    }

    #[test]
    fn a_drawing_has_the_colours_of_roles() {
        let values = vec![Some(1.0), Some(2_000.0)];
        let svg = plot(&[Series { name: "a".to_owned(), values }]).unwrap();
        assert!(svg.starts_with("<svg") && svg.contains("#AA00B1") && svg.contains("2k"), "{svg}");
        let empty = plot(&[]).unwrap();
        assert!(empty.starts_with("<svg"));
    }
}
