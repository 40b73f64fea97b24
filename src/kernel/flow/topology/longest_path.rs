//! The longest path of a graph that can have cycles.

/// Returns the nodes of the longest path, where `next` lists the nodes after each node. The nodes of a cycle (more
/// precisely, of a strongly connected component) count as one node, so that a cycle does not hide the depth of the rest
/// of the graph. The path names one node of each component. Takes time linear in the number of edges.
pub fn longest_path(next: &[Vec<usize>]) -> Vec<usize> {
    let components = components_in_order(next);
    let mut component_of = vec![0; next.len()];
    for (index, nodes) in components.iter().enumerate() {
        nodes.iter().for_each(|node| component_of[*node] = index);
    }
    let mut depth = vec![1_usize; components.len()];
    // Last edge of the longest path to each component.
    let mut entered_by: Vec<Option<(usize, usize)>> = vec![None; components.len()];
    for (index, nodes) in components.iter().enumerate() {
        for (&node, &after) in nodes.iter().flat_map(|node| next[*node].iter().map(move |after| (node, after))) {
            let target = component_of[after];
            if target != index && depth[target] < depth[index] + 1 {
                (depth[target], entered_by[target]) = (depth[index] + 1, Some((node, after)));
            }
        }
    }
    let Some(mut component) = (0..components.len()).rev().max_by_key(|index| depth[*index]) else { return vec![] };
    let mut path = vec![];
    while let Some((node, after)) = entered_by[component] {
        path.push(after);
        component = component_of[node];
        if entered_by[component].is_none() {
            path.push(node);
        }
    }
    if path.is_empty() {
        path.extend(components[component].first());
    }
    path.reverse();
    path
}

/// Returns the graph with all edges reversed, from the nodes that each node leads to.
pub(super) fn reversed<'a, T>(edges: &'a [T]) -> Vec<Vec<usize>>
where
    &'a T: IntoIterator<Item = &'a usize>,
{
    let mut reversed = vec![vec![]; edges.len()];
    for (node, others) in edges.iter().enumerate() {
        others.into_iter().for_each(|other| reversed[*other].push(node));
    }
    reversed
}

/// Returns the strongly connected components, each before those that its nodes lead to (Kosaraju's algorithm).
fn components_in_order(next: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut seen = vec![false; next.len()];
    let finished: Vec<usize> = (0..next.len()).flat_map(|node| nodes_from(node, next, &mut seen)).collect();
    let before = reversed(next);
    let mut seen = vec![false; next.len()];
    let components = finished.iter().rev().map(|node| nodes_from(*node, &before, &mut seen));
    components.filter(|nodes| !nodes.is_empty()).collect()
}

/// Returns the nodes that can be reached from a node and have not been seen, each after those that it leads to. Does
/// not recurse, because a path can be as long as the graph.
fn nodes_from(start: usize, next: &[Vec<usize>], seen: &mut [bool]) -> Vec<usize> {
    let mut finished = vec![];
    let mut open = vec![];
    if !std::mem::replace(&mut seen[start], true) {
        open.push((start, 0));
    }
    while let Some((node, at)) = open.last_mut() {
        match next[*node].get(*at) {
            Some(&after) => {
                *at += 1;
                if !std::mem::replace(&mut seen[after], true) {
                    open.push((after, 0));
                }
            }
            None => {
                finished.push(*node);
                open.pop();
            }
        }
    }
    finished
}

#[cfg(test)]
mod tests {
    use super::*;

    fn longest(nodes: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Vec<usize> {
        let mut next = vec![vec![]; nodes];
        edges.into_iter().for_each(|(from, to)| next[from].push(to));
        longest_path(&next)
    }

    #[test]
    fn without_cycles_it_is_the_longest_path_in_nodes() {
        assert_eq!(longest(0, []), Vec::<usize>::new());
        assert_eq!(longest(2, []).len(), 1);
        assert_eq!(longest(4, [(3, 1), (1, 0), (3, 0)]), [3, 1, 0]);
    }

    #[test]
    fn a_cycle_counts_as_one_node_wherever_it_is() {
        let chain = [(0, 1), (1, 2), (2, 3)];
        // Next to the chain, before it, in the middle, and after it.
        assert_eq!(longest(6, chain.into_iter().chain([(4, 5), (5, 4)])), [0, 1, 2, 3]);
        assert_eq!(longest(6, chain.into_iter().chain([(4, 5), (5, 4), (5, 0)])), [5, 0, 1, 2, 3]);
        assert_eq!(longest(6, chain.into_iter().chain([(1, 4), (4, 1), (4, 5)])), [0, 1, 2, 3]);
        assert_eq!(longest(6, chain.into_iter().chain([(3, 4), (4, 5), (5, 4)])), [0, 1, 2, 3, 4]);
        // A path that enters a cycle at one node and leaves it at another.
        assert_eq!(longest(5, [(0, 1), (1, 2), (2, 3), (3, 1), (3, 4)]), [0, 1, 4]);
        assert_eq!(longest(3, [(0, 1), (1, 2), (2, 0)]).len(), 1);
    }

    #[test]
    fn a_dense_graph_and_a_long_chain_take_linear_time() {
        let dense = (0..100).flat_map(|from| (0..100).filter(move |to| *to != from).map(move |to| (from, to)));
        assert_eq!(longest(100, dense).len(), 1);
        // An algorithm that tries every path would never finish, and one that recurses would overflow the stack.
        let ordered = (0..300).flat_map(|from| (from + 1..300).map(move |to| (from, to)));
        assert_eq!(longest(300, ordered).len(), 300);
        assert_eq!(longest(100_000, (1..100_000).map(|to| (to - 1, to))).len(), 100_000);
    }
}
