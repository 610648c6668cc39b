//! Times, ages and commit ids as the page writes them.

/// A moment of the virtual clock: `00:21.4`, `1:02:03.0`.
pub fn clock(ms: u64) -> String {
    let (s, tenths) = (ms / 1000, ms % 1000 / 100);
    let (h, m, s) = (s / 3600, s / 60 % 60, s % 60);
    if h > 0 { format!("{h}:{m:02}:{s:02}.{tenths}") } else { format!("{m:02}:{s:02}.{tenths}") }
}

/// A stretch of time: `350 ms`, `2.5 s`, `3m 20s`, `2h 5m`.
pub fn span(ms: u64) -> String {
    match ms {
        0..1000 => format!("{ms} ms"),
        1000..60_000 if ms.is_multiple_of(1000) => format!("{} s", ms / 1000),
        1000..60_000 => format!("{}.{} s", ms / 1000, ms % 1000 / 100),
        60_000..3_600_000 => format!("{}m {}s", ms / 60_000, ms / 1000 % 60),
        _ => format!("{}h {}m", ms / 3_600_000, ms / 60_000 % 60),
    }
}

/// An age as `kubectl get` prints it: `12s`, `2m5s`, `10m`, `3h12m`, `2d`.
pub fn ago(ms: u64) -> String {
    let s = ms / 1000;
    let (m, h, d) = (s / 60, s / 3600, s / 86_400);
    match s {
        0..120 => format!("{s}s"),
        120..600 if !s.is_multiple_of(60) => format!("{m}m{}s", s % 60),
        120..10_800 => format!("{m}m"),
        10_800..28_800 if !m.is_multiple_of(60) => format!("{h}h{}m", m % 60),
        10_800..172_800 => format!("{h}h"),
        172_800..691_200 if !h.is_multiple_of(24) => format!("{d}d{}h", h % 24),
        _ => format!("{d}d"),
    }
}

/// The first seven digits of a commit id, as git abbreviates it.
pub fn short(commit: &str) -> &str {
    commit.get(..7).unwrap_or(commit)
}

/// The column of the first key of a line of YAML, from 1: after the indent and the dashes of list items.
pub fn key_column(line: &str) -> u32 {
    let mut rest = line.trim_start();
    while let Some(item) = rest.strip_prefix("- ") {
        rest = item.trim_start();
    }
    u32::try_from(line[..line.len() - rest.len()].encode_utf16().count()).unwrap_or_default() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_stand_after_dashes() {
        assert_eq!([key_column("a: 1"), key_column("  - - b: 2"), key_column("-"), key_column("")], [1, 7, 1, 1]);
    }

    #[test]
    fn clock_and_spans() {
        assert_eq!((clock(21_400), clock(3_723_000)), ("00:21.4".into(), "1:02:03.0".into()));
        assert_eq!(
            (span(350), span(2000), span(2500), span(200_000)),
            ("350 ms".into(), "2 s".into(), "2.5 s".into(), "3m 20s".into())
        );
        assert_eq!((span(7_500_000), short("7d1c0aa93"), short("x")), ("2h 5m".into(), "7d1c0aa", "x"));
    }

    #[test]
    fn ages_as_kubectl() {
        let cases = [(119, "119s"), (125, "2m5s"), (600, "10m"), (7200, "120m"), (11_520, "3h12m"), (172_800, "2d")];
        for (s, want) in cases {
            assert_eq!(ago(s * 1000), want);
        }
    }
}
