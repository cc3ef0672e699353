//! A layered drawing of a graph without cycles: nodes that wait for nothing at the left, every other node right of all that it waits
//! for.
//!
//! Edges that follow from others are left out. An edge over several layers is a row of edges through bends, so that it passes between
//! nodes; in each layer the places are chosen by the mean of the neighbours', in a few sweeps back and forth. The drawing is a function of
//! the graph.

/// A graph: what each node waits for.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    /// The text of each node.
    pub(super) labels: Vec<String>,
    /// The nodes that each waits for.
    pub(super) waits_for: Vec<Vec<usize>>,
}

/// The places of nodes and edges.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    /// The layer and the row of each node; rows are in halves, so that layers can be centred.
    pub(super) places: Vec<(usize, usize)>,
    /// The points of each edge, from a node to one that it waits for, through bends.
    pub(super) edges: Vec<Vec<(usize, usize)>>,
    /// How many layers and half rows there are.
    pub(super) layers: usize,
    /// How many half rows there are.
    pub(super) half_rows: usize,
}

/// How often the places in layers are improved.
const SWEEPS: usize = 8;

impl Graph {
    /// The edges without those that follow from others.
    pub(super) fn reduced(&self) -> Vec<Vec<usize>> {
        let order = planfuzz_workspace::order::in_order(&self.waits_for);
        let words = self.labels.len().div_ceil(64);
        let mut reached: Vec<Vec<u64>> = vec![vec![0; words]; self.labels.len()];
        let mut kept = vec![Vec::new(); self.labels.len()];
        let mut place = vec![0; self.labels.len()];
        order.iter().enumerate().for_each(|(at, node)| place[*node] = at);
        for &node in &order {
            let mut direct = self.waits_for[node].clone();
            direct.sort_by_key(|other| std::cmp::Reverse(place[*other]));
            direct.dedup();
            let mut all = vec![0_u64; words];
            for other in direct {
                if all[other / 64] & (1 << (other % 64)) != 0 {
                    continue;
                }
                kept[node].push(other);
                all[other / 64] |= 1 << (other % 64);
                all.iter_mut().zip(&reached[other]).for_each(|(all, of)| *all |= of);
            }
            reached[node] = all;
        }
        kept
    }

    /// The drawing.
    pub(super) fn layout(&self) -> Layout {
        let waits_for = self.reduced();
        let mut layer = vec![0_usize; self.labels.len()];
        for node in planfuzz_workspace::order::in_order(&waits_for) {
            layer[node] = waits_for[node].iter().map(|other| layer[*other] + 1).max().unwrap_or(0);
        }
        let mut bends = Bends::of(&waits_for, layer);
        bends.order();
        bends.layout(self.labels.len())
    }
}

/// Nodes and bends, all of whose edges go from one layer to the one before.
struct Bends {
    layer: Vec<usize>,
    /// The neighbours in the layer before and after.
    before: Vec<Vec<usize>>,
    after: Vec<Vec<usize>>,
    rows: Vec<Vec<usize>>,
    chains: Vec<Vec<usize>>,
}

impl Bends {
    fn of(waits_for: &[Vec<usize>], layer: Vec<usize>) -> Bends {
        let count = layer.len();
        let mut bends = Bends {
            layer,
            before: vec![Vec::new(); count],
            after: vec![Vec::new(); count],
            rows: Vec::new(),
            chains: Vec::new(),
        };
        for (node, others) in waits_for.iter().enumerate() {
            for &other in others {
                let mut chain = vec![node];
                for between in (bends.layer[other] + 1..bends.layer[node]).rev() {
                    chain.push(bends.layer.len());
                    bends.layer.push(between);
                    bends.before.push(Vec::new());
                    bends.after.push(Vec::new());
                }
                chain.push(other);
                for pair in chain.windows(2) {
                    bends.before[pair[0]].push(pair[1]);
                    bends.after[pair[1]].push(pair[0]);
                }
                bends.chains.push(chain);
            }
        }
        let layers = bends.layer.iter().max().map_or(0, |most| most + 1);
        bends.rows = vec![Vec::new(); layers];
        for (node, layer) in bends.layer.iter().enumerate() {
            bends.rows[*layer].push(node);
        }
        bends
    }

    /// Chooses the places in the layers.
    fn order(&mut self) {
        let mut place = vec![0.0_f64; self.layer.len()];
        let note = |row: &[usize], place: &mut Vec<f64>| {
            let half = row.len() as f64 / 2.0;
            row.iter().enumerate().for_each(|(at, node)| place[*node] = at as f64 - half);
        };
        self.rows.iter().for_each(|row| note(row, &mut place));
        for sweep in 0..SWEEPS {
            let layers: Vec<usize> = match sweep % 2 {
                0 => (1..self.rows.len()).collect(),
                _ => (0..self.rows.len().saturating_sub(1)).rev().collect(),
            };
            for layer in layers {
                let neighbours = if sweep % 2 == 0 { &self.before } else { &self.after };
                let mean = |node: &usize| match neighbours[*node].len() {
                    0 => place[*node],
                    count => neighbours[*node].iter().map(|other| place[*other]).sum::<f64>() / count as f64,
                };
                let mut row = std::mem::take(&mut self.rows[layer]);
                row.sort_by(|one, other| mean(one).total_cmp(&mean(other)).then(one.cmp(other)));
                note(&row, &mut place);
                self.rows[layer] = row;
            }
        }
    }

    fn layout(&self, nodes: usize) -> Layout {
        let most = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut places = vec![(0, 0); self.layer.len()];
        for (layer, row) in self.rows.iter().enumerate() {
            for (at, node) in row.iter().enumerate() {
                places[*node] = (layer, most - row.len() + 2 * at);
            }
        }
        let edges = self.chains.iter().map(|chain| chain.iter().map(|node| places[*node]).collect()).collect();
        places.truncate(nodes);
        Layout { places, edges, layers: self.rows.len(), half_rows: 2 * most }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(waits_for: &[&[usize]]) -> Graph {
        let labels = (0..waits_for.len()).map(|node| node.to_string()).collect();
        Graph { labels, waits_for: waits_for.iter().map(|of| of.to_vec()).collect() }
    }

    #[test]
    fn edges_that_follow_from_others_are_left_out() {
        assert_eq!(graph(&[&[], &[0], &[0, 1]]).reduced(), [vec![], vec![0], vec![1]]);
    }

    #[test]
    fn everything_is_right_of_what_it_waits_for_and_alone_at_its_place() {
        let layout = graph(&[&[], &[0], &[1], &[0], &[2, 3], &[]]).layout();
        let layers: Vec<usize> = layout.places.iter().map(|(layer, _)| *layer).collect();
        assert_eq!(layers, [0, 1, 2, 1, 3, 0]);
        let places: std::collections::BTreeSet<_> = layout.places.iter().collect();
        assert_eq!(places.len(), 6);
        // The edge from the fifth to the fourth bends in the layer between.
        assert!(layout.edges.iter().any(|edge| edge.len() == 3));
        assert!(layout.places.iter().all(|(layer, row)| *layer < layout.layers && *row < layout.half_rows));
    }
}
