//! The graphs of the walks of a case, in the language of graphviz and as a picture.
//!
//! A node is dark where it called a provider. An edge goes from a node to one that it waits for; edges that follow from others are left
//! out. Layers go from left to right in the order of time.

use std::fmt::Write;

use planfuzz_workspace::Trace;
use planfuzz_workspace_cases::Played;

use super::layout::{Graph, Layout};

/// The largest walk that is drawn.
const MAX_NODES: usize = 3_000;

/// A walk as a graph.
struct Walk {
    title: String,
    graph: Graph,
    /// Which nodes made calls.
    calls: Vec<bool>,
}

fn walks(played: &Played) -> Vec<Walk> {
    let mut walks = Vec::new();
    for (index, step) in played.steps.iter().enumerate() {
        walks.extend(of_trace(&format!("step {}, plan", index + 1), &step.planned.trace));
        if let Some(applied) = &step.applied {
            walks.extend(of_trace(&format!("step {}, apply", index + 1), &applied.trace));
        }
    }
    walks
}

fn of_trace(title: &str, trace: &Trace) -> Vec<Walk> {
    let walk = |(number, of): (usize, &planfuzz_workspace::order::WalkOrder)| {
        let mut calls = vec![false; of.nodes.len()];
        for made in trace.calls.iter().filter(|made| made.node.walk == number) {
            if let Some(node) = calls.get_mut(made.node.node) {
                *node = true;
            }
        }
        let graph = Graph { labels: of.nodes.clone(), waits_for: of.waits_for.clone() };
        Walk { title: format!("{title}: {}", of.name), graph, calls }
    };
    trace.order.walks.iter().enumerate().map(walk).filter(|walk| !walk.graph.labels.is_empty()).collect()
}

/// The graphs in the language of graphviz.
pub fn dot(played: &Played) -> String {
    let mut out =
        String::from("digraph workspace {\n  rankdir = RL;\n  node [shape = box, fontname = \"sans-serif\"];\n");
    for (number, walk) in walks(played).iter().enumerate() {
        let _ = writeln!(out, "  subgraph cluster_{number} {{\n    label = {};", quoted(&walk.title));
        for (node, label) in walk.graph.labels.iter().enumerate() {
            let style = if walk.calls[node] { ", style = filled, fillcolor = \"#cfe2ff\"" } else { "" };
            let _ = writeln!(out, "    n{number}_{node} [label = {}{style}];", quoted(label));
        }
        for (node, others) in walk.graph.reduced().iter().enumerate() {
            for other in others {
                let _ = writeln!(out, "    n{number}_{node} -> n{number}_{other};");
            }
        }
        out.push_str("  }\n");
    }
    out + "}\n"
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " "))
}

/// The width of a character, and the padding around the text of a node.
const CHAR: f64 = 7.0;
const PADDING: f64 = 10.0;
/// The gap between layers, and the height of half a row.
const GAP: f64 = 46.0;
const HALF_ROW: f64 = 19.0;
const NODE_HEIGHT: f64 = 26.0;
const MARGIN: f64 = 24.0;
const TITLE: f64 = 34.0;

/// The graphs as a picture, one below the other.
pub fn svg(played: &Played) -> String {
    let (mut body, mut height, mut width) = (String::new(), MARGIN, 0.0_f64);
    for walk in walks(played) {
        let _ = writeln!(
            body,
            "<text class=\"title\" x=\"{MARGIN}\" y=\"{:.0}\">{}</text>",
            height + 14.0,
            escaped(&walk.title)
        );
        height += TITLE;
        if walk.graph.labels.len() > MAX_NODES {
            let text = format!("{} nodes: too many to be drawn", walk.graph.labels.len());
            let _ = writeln!(body, "<text x=\"{MARGIN}\" y=\"{:.0}\">{text}</text>", height + 12.0);
            height += TITLE;
            continue;
        }
        let picture = Picture::of(&walk);
        picture.draw(&walk, height, &mut body);
        height += picture.layout.half_rows as f64 * HALF_ROW + MARGIN;
        width = width.max(picture.width());
    }
    let width = (width + 2.0 * MARGIN).max(320.0);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\">\n<style>{STYLE}</style>\n<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n{body}</svg>\n"
    )
}

const STYLE: &str = "text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#1b1f24}\
    .title{font:600 15px system-ui,sans-serif}.page{fill:#fff}.edge{fill:none;stroke:#8b949e;stroke-width:1.2}\
    .node{fill:#f6f8fa;stroke:#8b949e}.calls{fill:#cfe2ff;stroke:#3b6fb6}";

/// A walk with its places.
struct Picture {
    layout: Layout,
    /// Where each layer begins, and how wide it is.
    columns: Vec<(f64, f64)>,
}

impl Picture {
    fn of(walk: &Walk) -> Picture {
        let layout = walk.graph.layout();
        let mut widths = vec![0.0_f64; layout.layers];
        for ((layer, _), label) in layout.places.iter().zip(&walk.graph.labels) {
            widths[*layer] = widths[*layer].max(label_width(label));
        }
        let mut at = MARGIN;
        let column = |width: f64| {
            let begin = at;
            at += width + GAP;
            (begin, width)
        };
        let columns = widths.into_iter().map(column).collect();
        Picture { layout, columns }
    }

    fn width(&self) -> f64 {
        self.columns.last().map_or(0.0, |(begin, width)| begin + width)
    }

    fn row(half: usize, top: f64) -> f64 {
        top + half as f64 * HALF_ROW + HALF_ROW
    }

    fn draw(&self, walk: &Walk, top: f64, body: &mut String) {
        for edge in &self.layout.edges {
            self.edge(edge, top, body);
        }
        for (node, (layer, half)) in self.layout.places.iter().enumerate() {
            let label = &walk.graph.labels[node];
            let (begin, width) = self.columns[*layer];
            let y = Picture::row(*half, top);
            let class = if walk.calls[node] { "calls" } else { "node" };
            let _ = writeln!(
                body,
                "<rect class=\"{class}\" x=\"{begin:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{NODE_HEIGHT}\" rx=\"4\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                y - NODE_HEIGHT / 2.0,
                begin + PADDING,
                y + 4.0,
                escaped(label)
            );
        }
    }

    /// A line from the left side of the waiting node to the right side of the one that it waits for.
    fn edge(&self, edge: &[(usize, usize)], top: f64, body: &mut String) {
        let Some(((layer, half), rest)) = edge.split_first() else { return };
        let mut path = format!("M{:.1} {:.1}", self.columns[*layer].0, Picture::row(*half, top));
        let mut from = (self.columns[*layer].0, Picture::row(*half, top));
        for (layer, half) in rest {
            let (begin, width) = self.columns[*layer];
            let to = (begin + width, Picture::row(*half, top));
            let middle = (from.0 + to.0) / 2.0;
            let _ = write!(path, " C{middle:.1} {:.1} {middle:.1} {:.1} {:.1} {:.1}", from.1, to.1, to.0, to.1);
            // At a bend the line crosses the layer.
            let _ = write!(path, " L{begin:.1} {:.1}", to.1);
            from = (begin, to.1);
        }
        // The last is a node: the line ends at its side.
        let end = path.rfind(" L").unwrap_or(path.len());
        path.truncate(end);
        let _ = writeln!(body, "<path class=\"edge\" d=\"{path}\"/>");
    }
}

fn label_width(label: &str) -> f64 {
    label.chars().count() as f64 * CHAR + 2.0 * PADDING + 4.0
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
