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
