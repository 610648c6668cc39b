//! The same log gives the same state, byte for byte, natively and in wasm: both run this test against one recorded
//! digest. An engine whose behaviour changes changes the digest too; run natively with `UPDATE=1` to record it anew.

use playground::Playground;
use protocol::{ClockMove, Command, Opening, Request, RequestKind};

#[cfg_attr(not(target_arch = "wasm32"), test)]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
fn the_lesson_ends_in_the_recorded_state() {
    let mut playground = Playground::new();
    let apply = || RequestKind::Command(Command::KubectlApply { path: "/root/capa-src/app-src-helm.yaml".into() });
    let run = || RequestKind::Clock(ClockMove::RunUntilIdle { max_ms: 60_000 });
    let log = [
        RequestKind::Open(Opening::Lesson { id: "lab-values".into() }),
        RequestKind::FillIn { step: 0 },
        RequestKind::Command(Command::GitCommit { message: "chart web".into() }),
        RequestKind::Command(Command::GitPush),
        apply(),
        run(),
        RequestKind::FillIn { step: 1 },
        apply(),
        run(),
    ];
    for kind in log {
        playground.answer(Request { id: 1, revision: 1, kind });
    }
    let digest = playground.digest();
    record(&digest);
    assert_eq!(playground.steps_done(), [true, true]);
    assert_eq!(digest, include_str!("digest.txt").trim());
}

#[cfg(not(target_arch = "wasm32"))]
#[expect(clippy::disallowed_methods, reason = "the test rewrites its own record on demand")]
fn record(digest: &str) {
    if std::env::var("UPDATE").is_ok() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/digest.txt"), format!("{digest}\n"))
            .expect("writable");
    }
}

#[cfg(target_arch = "wasm32")]
fn record(_: &str) {}
