//! One stable sort for all types: a merge sort over indices behind a `dyn` comparison. The standard library's sorts
//! are compiled anew, several kilobytes each, for every type and comparison; in a browser every one of them is fetched
//! before the first lesson shows.

use std::cmp::Ordering;

/// Sorts by the order of the type, stable; at most `n log n` comparisons.
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, T::cmp);
}

/// Sorts by a key, stable. The key is made anew at each comparison.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], mut key: impl FnMut(&T) -> K) {
    sort_by(items, |a, b| key(a).cmp(&key(b)));
}

/// Sorts by a comparison, stable. A comparison that is no order gives some order, never a panic.
pub fn sort_by<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    let order = arrange(items.len(), &mut |a, b| compare(&items[a], &items[b]));
    settle(order, &mut |a, b| items.swap(a, b));
}

/// The indices `0..len` in sorted order.
#[inline(never)]
pub fn arrange(len: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    if (1..len).all(|i| compare(i - 1, i) != Ordering::Greater) {
        return order;
    }
    let mut merged = Vec::with_capacity(len);
    let mut width = 1;
    while width < len {
        merged.clear();
        for pair in order.chunks(width * 2) {
            let (mut left, mut right) = pair.split_at(width.min(pair.len()));
            while let (Some((&a, rest_left)), Some((&b, rest_right))) = (left.split_first(), right.split_first()) {
                if compare(b, a) == Ordering::Less {
                    merged.push(b);
                    right = rest_right;
                } else {
                    merged.push(a);
                    left = rest_left;
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        std::mem::swap(&mut order, &mut merged);
        width *= 2;
    }
    order
}

/// Brings items into `order` by swaps: place `i` gets what was at `order[i]`.
#[inline(never)]
fn settle(mut order: Vec<usize>, swap: &mut dyn FnMut(usize, usize)) {
    for start in 0..order.len() {
        let mut at = start;
        while order[at] != start {
            let from = order[at];
            swap(at, from);
            order[at] = at;
            at = from;
        }
        order[at] = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_as_the_standard_library_does() {
        let mut seed = 1u64;
        for len in 0..200usize {
            let mut next = || {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                seed >> 59
            };
            let items: Vec<(u64, usize)> = (0..len).map(|i| (next(), i)).collect();
            let (mut ours, mut theirs) = (items.clone(), items);
            sort_by_key(&mut ours, |item| item.0);
            theirs.sort_by_key(|item| item.0);
            assert_eq!(ours, theirs);
        }
    }

    #[test]
    fn a_comparison_that_is_no_order_ends() {
        let mut items: Vec<u32> = (0..100).collect();
        sort_by(&mut items, |_, _| Ordering::Greater);
        let mut again = items.clone();
        again.sort_unstable();
        assert_eq!(again, (0..100).collect::<Vec<_>>());
    }
}
