//! Messages survive the way through JSON, and a view that did not change costs nothing.

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
    let text = serde_json::to_string(&request).unwrap();
    assert_eq!(serde_json::from_str::<Request>(&text).unwrap(), request);
}

#[test]
fn unchanged_views_are_left_out() {
    let reply = Reply { id: 1, revision: 1, micros: 0, body: Body::Update(Box::default()) };
    let text = serde_json::to_string(&FromWorker::Reply(reply.clone())).unwrap();
    assert_eq!(text, r#"{"Reply":{"id":1,"revision":1,"micros":0,"body":{"Update":{}}}}"#);
    assert_eq!(serde_json::from_str::<FromWorker>(&text).unwrap(), FromWorker::Reply(reply));
}
