//! Messages survive the way through bytes, and a view that did not change costs next to nothing.

use crate::*;

#[test]
fn requests_round_trip() {
    let request = Request {
        id: 7,
        revision: 3,
        kind: RequestKind::Edit {
            path: "/root/capa-src/repo/charts/web/values.yaml".into(),
            change: Change::Splice { from: 14, to: 15, insert: "3".into() },
        },
    };
    assert_eq!(decode::<Request>(&encode(&request)), Some(request));
    assert_eq!(decode::<FromWorker>(b"another version"), None);
}

#[test]
fn unchanged_views_cost_a_byte_each() {
    let message = FromWorker::Reply(Reply { id: 1, revision: 1, micros: 0, body: Body::Update(Box::default()) });
    let bytes = encode(&message);
    assert!(bytes.len() <= 20, "{}", bytes.len());
    assert_eq!(decode::<FromWorker>(&bytes), Some(message));
}
