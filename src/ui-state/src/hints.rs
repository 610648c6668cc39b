//! Texts behind the keys that the worker sends: hints of diagnostics, reasons in the "who set this" chain, names of
//! value layers. An unknown key shows itself with its arguments, so that nothing is silently lost.

use crate::{Lang, fill};
use protocol::{LayerView, Message};

/// Key, English, Korean.
const MESSAGES: &[(&str, &str, &str)] = &[
    (
        "value-file-is-relative-to-chart",
        "Value file paths start at the chart's folder, not at the repository's root.",
        "값 파일 경로는 저장소 루트가 아니라 차트 폴더를 기준으로 씁니다.",
    ),
    ("only-in-application", "This value stands only in the Application.", "이 값은 Application에만 있습니다."),
    ("not-committed", "This line is not committed yet.", "이 줄은 아직 커밋되지 않았습니다."),
    (
        "not-pushed",
        "This commit is not pushed yet, so Argo CD does not see it.",
        "이 커밋은 아직 푸시되지 않아 Argo CD가 보지 못합니다.",
    ),
    (
        "tracking-annotation",
        "Argo CD adds this annotation to know its own resources.",
        "Argo CD가 자기 리소스를 알아보려고 붙이는 추적 표식입니다.",
    ),
    (
        "destination-namespace",
        "Argo CD sets the Application's destination namespace.",
        "Argo CD가 Application의 대상 네임스페이스를 넣습니다.",
    ),
    (
        "release-name",
        "The release name: the Application's name unless releaseName is set.",
        "릴리스 이름입니다. releaseName이 없으면 Application 이름을 씁니다.",
    ),
    ("release-namespace", "The namespace that the release goes to.", "릴리스가 들어갈 네임스페이스입니다."),
    ("chart-yaml", "From the chart's Chart.yaml.", "차트의 Chart.yaml에서 왔습니다."),
    ("capabilities", "What the cluster says about itself.", "클러스터가 알려 주는 정보입니다."),
    (
        "values-object-hides-values",
        "valuesObject is set, so values is ignored.",
        "valuesObject가 있으면 values는 무시됩니다.",
    ),
    (
        "nil-pointer",
        "A parent of this value is missing. Check the spelling and the values files, or guard it with `if`.",
        "이 값의 상위 키가 없습니다. 철자와 값 파일을 확인하거나 if로 감싸세요.",
    ),
    (
        "edit-out-of-range",
        "The editor and the engine disagree about the text; it was sent again.",
        "편집기와 엔진의 텍스트가 달라 다시 보냈습니다.",
    ),
    ("no-such-file", "There is no file {}.", "{} 파일이 없습니다."),
    ("no-such-lesson", "There is no lesson {}.", "{} 실습이 없습니다."),
    ("no-such-step", "The lesson has no step {}.", "실습에 {} 단계가 없습니다."),
    ("file-exists", "There is a file {} already.", "{} 파일이 이미 있습니다."),
    (
        "saved-unreadable",
        "The kept playground cannot be read; the lesson starts from its beginning.",
        "저장된 플레이그라운드를 읽을 수 없어 실습을 처음부터 시작합니다.",
    ),
    ("nothing-open", "No lesson is open yet.", "아직 열린 실습이 없습니다."),
    (
        "schema-remote",
        "Nothing is fetched here: put that schema into the chart and refer to it by a relative path.",
        "여기서는 외부에서 아무것도 내려받지 않습니다. 스키마를 차트에 넣고 상대 경로로 참조하세요.",
    ),
    (
        "replay-differs",
        "The kept playground was made by another version ({}) and ends differently here.",
        "저장된 플레이그라운드는 다른 버전({})에서 만들어져 여기서는 결과가 다릅니다.",
    ),
    ("no-such-moment", "There is no remembered moment {}.", "저장된 시점 {}이(가) 없습니다."),
    (
        "saved-from-newer-version",
        "The kept playground was made by a newer version; the lesson starts from its beginning.",
        "저장된 플레이그라운드가 더 새로운 버전에서 만들어져 실습을 처음부터 시작합니다.",
    ),
    ("nothing-to-commit", "Nothing to commit.", "커밋할 변경이 없습니다."),
    (
        "only-looks",
        "This command only looks. What it would print is in the panes: resource tree, object, events.",
        "조회만 하는 명령입니다. 결과는 리소스 트리, 오브젝트, 이벤트 창에서 볼 수 있습니다.",
    ),
    ("not-simulated", "This command is not simulated yet.", "아직 시뮬레이션하지 않는 명령입니다."),
    ("cause-available", "{} of {} available", "{}/{}개 사용 가능"),
    ("cause-job", "{} of {} pods of the Job succeeded", "Job 파드 {}/{}개 성공"),
    ("cause-job-failed", "{} failed", "{}개 실패"),
    ("cause-probe", "readiness probe of {} begins after {} s", "{}의 readinessProbe는 {}초 뒤 시작"),
    ("cause-waiting", "container waits: {} {}", "컨테이너 대기: {} {}"),
    ("cause-wave-delay", "{} s between two waves", "웨이브 사이 {}초"),
    (
        "cause-address",
        "nothing gives it an address: a cluster without a load balancer or ingress controller never does",
        "주소를 줄 로드 밸런서나 인그레스 컨트롤러가 없으면 끝나지 않습니다",
    ),
    ("cause-unbound", "the claim is not bound to a volume", "볼륨에 바인딩되지 않았습니다"),
    ("verdict-settled", "At rest: nothing is left to do.", "안정됨: 더 할 일이 없습니다."),
    (
        "verdict-error",
        "Stuck on {}: nothing is compared or synced until the message below is solved.",
        "{} 때문에 멈춤: 아래 메시지를 해결할 때까지 비교도 동기화도 하지 않습니다.",
    ),
    (
        "verdict-old-revision",
        "Frozen: the operation retries {} and does not look at {}. Terminate it, or wait for its last attempt.",
        "멈춤: 작업이 {}을(를) 재시도하느라 {}을(를) 보지 않습니다. 작업을 중단하거나 마지막 시도까지 기다리세요.",
    ),
    (
        "verdict-retries",
        "Retrying: {} failed attempt(s) so far. The revision stays the same.",
        "재시도 중: 지금까지 {}번 실패했습니다. 같은 리비전을 다시 시도합니다.",
    ),
    (
        "verdict-fight",
        "Flapping: {} syncs of the same revision, one every {} s. Somebody else writes what self-heal puts back; ignoreDifferences with RespectIgnoreDifferences ends it.",
        "되풀이 중: 같은 리비전을 {}번, 약 {}초마다 동기화했습니다. selfHeal이 되돌리는 값을 다른 쪽이 다시 쓰고 있습니다. ignoreDifferences와 RespectIgnoreDifferences로 멈출 수 있습니다.",
    ),
    ("verdict-manual", "Waits for a person: automated sync is off.", "사람을 기다림: 자동 동기화가 꺼져 있습니다."),
    (
        "verdict-not-retried",
        "Frozen: {} failed, and automated sync does not try a revision twice. Push a new commit or sync by hand.",
        "멈춤: {} 동기화가 실패했고, 자동 동기화는 같은 리비전을 다시 시도하지 않습니다. 새 커밋을 push하거나 직접 동기화하세요.",
    ),
    (
        "verdict-no-self-heal",
        "Stays OutOfSync: the cluster was changed, and selfHeal is off.",
        "OutOfSync 유지: 클러스터가 바뀌었지만 selfHeal이 꺼져 있습니다.",
    ),
    ("won", "wins", "적용됨"),
    ("overridden", "overridden", "덮어써짐"),
    ("list-replaced", "list replaced whole", "목록 전체가 바뀜"),
    ("removed-by-null", "removed by null", "null로 제거됨"),
    ("type-conflict", "other type", "형식이 다름"),
    ("ignored-for-values-object", "ignored: valuesObject is set", "무시됨: valuesObject가 있음"),
    ("parent-global", "from the parent's global", "상위 차트의 global"),
];

/// Kind of layer, English, Korean; `{}` is the file, flag or chart.
const LAYERS: &[(&str, &str, &str)] = &[
    ("chart-default", "chart default", "차트 기본값"),
    ("parent-chart", "parent chart {}", "상위 차트 {}"),
    ("import-values", "import-values {}", "import-values {}"),
    ("values-file", "{}", "{}"),
    ("app-values", "Application · values", "Application · values"),
    ("app-values-object", "Application · valuesObject", "Application · valuesObject"),
    ("app-parameter", "Application · parameters", "Application · parameters"),
    ("app-file-parameter", "Application · fileParameters", "Application · fileParameters"),
    ("flag", "{}", "{}"),
    ("builtin", "built in", "내장 값"),
];

/// A message's text.
pub fn message(lang: Lang, message: &Message) -> String {
    let args: Vec<&str> = message.args.iter().map(String::as_str).collect();
    match look(MESSAGES, lang, &message.key) {
        Some(text) => fill(text, &args),
        None if args.is_empty() => message.key.clone(),
        None => format!("{} ({})", message.key, args.join(", ")),
    }
}

/// A value layer's name.
pub fn layer(lang: Lang, layer: &LayerView) -> String {
    let name = layer.name.rsplit('/').next().unwrap_or_default();
    match look(LAYERS, lang, &layer.kind) {
        Some("{}") if name.is_empty() => layer.kind.clone(),
        Some(text) => fill(text, &[name]).trim_end().to_owned(),
        None => format!("{} {name}", layer.kind).trim_end().to_owned(),
    }
}

fn look(table: &'static [(&str, &str, &str)], lang: Lang, key: &str) -> Option<&'static str> {
    table.iter().find(|(k, ..)| *k == key).map(|(_, en, ko)| match lang {
        Lang::En => *en,
        Lang::Ko => *ko,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_match_and_keys_are_unique() {
        for table in [MESSAGES, LAYERS] {
            for (i, (key, en, ko)) in table.iter().enumerate() {
                assert_eq!(en.matches("{}").count(), ko.matches("{}").count(), "{key}");
                assert!(table[..i].iter().all(|(k, ..)| k != key), "{key} twice");
            }
        }
    }

    #[test]
    fn unknown_keys_show_themselves() {
        let m = Message { key: "new-key".into(), args: vec!["x".into()] };
        assert_eq!(message(Lang::Ko, &m), "new-key (x)");
        let file = LayerView { kind: "values-file".into(), name: "charts/web/values-prod.yaml".into(), index: 0 };
        assert_eq!(layer(Lang::En, &file), "values-prod.yaml");
        assert_eq!(layer(Lang::Ko, &LayerView { kind: "chart-default".into(), ..LayerView::default() }), "차트 기본값");
    }
}
