//! Every text of the page, once per language. The macro wants both languages on each line, so a missing text does not
//! compile. Names of Kubernetes, Helm and Argo CD stay as they are in both.

use crate::lang::Lang;

macro_rules! texts {
    ($($name:ident: $en:literal, $ko:literal;)*) => {
        /// The page's texts in one language. `{}` in a text is filled in by [`fill`], left to right.
        #[derive(Debug, PartialEq, Eq)]
        pub struct Texts {
            $(#[doc = $en] pub $name: &'static str,)*
        }

        /// English.
        pub static EN: Texts = Texts { $($name: $en,)* };
        /// Korean.
        pub static KO: Texts = Texts { $($name: $ko,)* };

        #[cfg(test)]
        const ALL: &[(&str, &str, &str)] = &[$((stringify!($name), $en, $ko),)*];
    };
}

texts! {
    title: "Tidepool: a GitOps playground", "Tidepool: GitOps 플레이그라운드";
    lesson: "Lesson", "실습";
    step_of: "step {} of {}", "{} / {} 단계";
    language: "Language", "언어";
    theme: "Light or dark", "밝게 또는 어둡게";
    theme_system: "Theme: as the system", "테마: 시스템 설정";
    theme_light: "Theme: light", "테마: 밝게";
    theme_dark: "Theme: dark", "테마: 어둡게";
    starting: "Starting the playground…", "플레이그라운드를 시작하고 있습니다…";
    starting_slow: "Still starting. The engine is being fetched and compiled.", "아직 시작하는 중입니다. 엔진을 내려받아 컴파일하고 있습니다.";
    skip_to_editor: "Skip to the editor", "편집기로 건너뛰기";

    goals: "Goals", "목표";
    goal_met: "done", "완료";
    goal_open: "not yet", "아직";
    hints: "Hint", "힌트";
    fill_in: "Fill in for me", "대신 채우기";
    fill_in_title: "Writes this step's files as the lesson would", "이 단계의 파일을 실습이 대신 작성합니다";
    run_until: "Run until done ▸▸", "목표까지 실행 ▸▸";
    run_until_title: "Lets time pass until this step's goals are met, five minutes at most", "이 단계의 목표를 달성할 때까지, 길어도 5분까지 시간을 진행합니다";
    next_step: "Next step", "다음 단계";
    previous_step: "Previous step", "이전 단계";
    step_done: "This step is done.", "이 단계를 마쳤습니다.";
    lesson_done: "All steps are done.", "모든 단계를 마쳤습니다.";
    start_over: "Start over", "처음부터";
    start_over_confirm: "Start this lesson from its beginning? What you typed is thrown away.", "이 실습을 처음부터 시작할까요? 입력한 내용은 사라집니다.";

    files: "Files", "파일";
    new_file: "New file", "새 파일";
    new_file_path: "Path of the new file", "새 파일 경로";
    rename_file: "Rename", "이름 바꾸기";
    delete_file: "Delete", "삭제";
    delete_confirm: "Delete {}?", "{} 파일을 삭제할까요?";
    git_modified: "changed, not committed", "변경됨, 커밋 전";
    git_untracked: "new, not in Git", "새 파일, Git에 없음";
    git_deleted: "deleted, not committed", "삭제됨, 커밋 전";
    git_conflicted: "conflict", "충돌";
    editor: "Editor", "편집기";
    editor_of: "Editor: {}", "편집기: {}";
    no_file: "Choose a file on the left, or add one.", "왼쪽에서 파일을 고르거나 새로 추가하세요.";
    close_tab: "Close {}", "{} 닫기";
    open: "Open", "열기";
    add: "Add", "추가";
    cancel: "Cancel", "취소";

    rendered: "Rendered", "렌더링 결과";
    who_set: "Who set this", "누가 정했나";
    application: "Application", "Application";
    values: "Values", "값";
    problems: "Problems", "문제";
    rendered_empty: "No chart to render yet. Once a chart with templates exists, what it renders appears here as you type.", "아직 렌더링할 차트가 없습니다. 템플릿이 있는 차트를 만들면 입력하는 대로 결과가 여기에 나타납니다.";
    stale: "Out of date: the last render that worked, before the errors above.", "최신이 아님: 위 오류가 나기 전, 마지막으로 성공한 렌더링 결과입니다.";
    rendered_from: "rendered from {}", "{} 기준";
    pending_commit: "with edits that are not committed: Argo CD does not see them yet", "커밋하지 않은 변경 포함: Argo CD에는 아직 보이지 않습니다";
    pending_push: "with commits that are not pushed: Argo CD does not see them yet", "푸시하지 않은 커밋 포함: Argo CD에는 아직 보이지 않습니다";
    click_line: "Choose a line to see who set it.", "줄을 고르면 누가 정했는지 보여 줍니다.";
    who_empty: "Choose a line of a rendered manifest, or a field of a live object, and the chain back to its source appears here.", "렌더링 결과의 한 줄이나 실제 상태의 필드를 고르면, 그 값이 어디에서 왔는지 여기에 나타납니다.";
    manifest: "Manifest", "매니페스트";
    template: "Template", "템플릿";
    cluster: "Cluster", "클러스터";
    argocd: "Argo CD", "Argo CD";
    git_commit_hop: "Git", "Git";
    not_in_git: "Not in Git", "Git에 없음";
    line_of: "{}, line {}", "{} {}행";
    wins: "wins", "적용됨";
    overridden: "overridden", "덮어써짐";
    removed: "removed", "제거됨";
    ignored: "ignored", "무시됨";
    place: "Place", "위치";
    value: "Value", "값";
    result: "Result", "결과";
    key: "Key", "키";
    decided_by: "Decided by", "정한 곳";
    also_set_by: "Also set by", "다른 곳의 값";
    reason: "Reason", "이유";
    values_empty: "No values yet. The table appears once an Application or a chart can be rendered.", "아직 값이 없습니다. Application이나 차트를 렌더링할 수 있게 되면 표가 나타납니다.";
    unused: "used by no template", "쓰는 템플릿 없음";
    problems_none: "No problems.", "문제가 없습니다.";
    call_trace: "called from", "호출한 곳";

    app_empty: "No Application yet. Apply its manifest with kubectl apply and it appears here.", "아직 Application이 없습니다. kubectl apply로 적용하면 여기에 나타납니다.";
    sync: "Sync", "동기화";
    health: "Health", "상태";
    operation: "Operation", "작업";
    operation_none: "none yet", "아직 없음";
    revision: "Revision", "리비전";
    conditions: "Conditions", "조건";
    message: "Message", "메시지";
    refresh: "Refresh", "새로 고침";
    hard_refresh: "Hard refresh", "하드 새로 고침";
    sync_now: "Sync now", "지금 동기화";
    resources: "Resources", "리소스";
    history: "History", "이력";
    at: "at", "시각";
    wave: "wave {}", "웨이브 {}";
    live: "live", "실제 상태";

    object_tab: "Object", "오브젝트";
    object_empty: "Choose an object in the resource tree, and it appears here: live, desired, last applied, and what differs.", "리소스 트리에서 오브젝트를 고르면 실제 상태, 원하는 상태, 마지막 적용 내용과 차이가 여기에 나타납니다.";
    object_gone: "The object is not there at this moment.", "이 시점에는 오브젝트가 없습니다.";
    side_diff: "Difference", "차이";
    side_live: "Live", "실제 상태";
    side_desired: "Desired", "원하는 상태";
    side_last: "Last applied", "마지막 적용";
    no_difference: "No difference: an apply would change nothing. Ignored fields do not count.", "차이가 없습니다. 다시 적용해도 바뀌는 것이 없습니다. 무시하도록 정한 필드는 비교하지 않습니다.";
    diff_live: "− live", "− 실제 상태";
    diff_desired: "+ desired", "+ 원하는 상태";
    not_wanted: "No Application wants this object: controllers or people made it.", "이 오브젝트를 원하는 Application이 없습니다. 컨트롤러나 사람이 만든 것입니다.";
    never_applied: "There is no last-applied-configuration annotation.", "last-applied-configuration 애너테이션이 없습니다.";
    click_field: "Choose a line to see who set it.", "줄을 고르면 누가 정했는지 보여 줍니다.";
    scale: "Scale", "스케일";
    edit: "Edit", "편집";
    save: "Save", "저장";
    terminate: "Terminate", "작업 중단";
    prompt: "Command line: kubectl, argocd, git", "명령줄: kubectl, argocd, git";
    looking_at: "Looking back at {}", "{} 시점을 보는 중";
    back_to_now: "Back to now", "현재로 돌아가기";
    go_on_from_here: "Go on from here", "여기서부터 다시 진행";
    go_on_title: "Forgets everything in the cluster and in Git after this moment; what you typed stays", "이 시점 이후 클러스터와 Git에서 일어난 일을 지웁니다. 입력한 텍스트는 그대로 둡니다";
    scrub_title: "Click or drag to look at an earlier moment", "클릭하거나 끌어서 지난 시점을 볼 수 있습니다";
    zoom: "Shown time", "표시 범위";
    zoom_operation: "Latest operation", "최근 작업";
    zoom_minute: "Last minute", "최근 1분";
    zoom_all: "All", "전체";
    all_apps: "All", "모두";
    waits_now: "Waiting", "대기 중";
    by_argocd: "automated", "자동";
    plan: "Plan of the next sync", "다음 동기화 계획";
    plan_create: "create", "생성";
    plan_change: "change", "변경";
    plan_keep: "unchanged", "그대로";
    plan_prune: "prune", "제거(prune)";
    plan_hook: "hook", "훅";
    timeline: "Timeline", "타임라인";
    tree: "Resource tree", "리소스 트리";
    events: "Events", "이벤트";
    git: "Git", "Git";
    terminal: "Terminal", "터미널";
    play: "Play", "재생";
    pause: "Pause", "멈춤";
    next_event: "Next event ▸|", "다음 이벤트 ▸|";
    until_idle: "Until quiet ▸▸", "안정될 때까지 ▸▸";
    speed: "Speed", "속도";
    now: "Now", "현재 시각";
    next_at: "next event in {}", "다음 이벤트까지 {}";
    nothing_due: "nothing is due", "예정된 일 없음";
    timeline_empty: "Nothing has happened yet. Apply an Application and let time pass.", "아직 아무 일도 일어나지 않았습니다. Application을 적용하고 시간을 진행해 보세요.";
    tree_empty: "The cluster has no resources of an Application yet.", "클러스터에 아직 Application의 리소스가 없습니다.";
    events_empty: "No events yet.", "아직 이벤트가 없습니다.";
    terminal_empty: "The commands that you run by button or key appear here with what the real tools print.", "버튼이나 키로 실행한 명령과 실제 도구의 출력이 여기에 나타납니다.";
    time: "Time", "시각";
    object: "Object", "대상";
    age: "Age", "경과";
    waiting_for: "waiting for {}", "{} 기다리는 중";

    branch: "Branch", "브랜치";
    commit_message: "Commit message", "커밋 메시지";
    commit: "Commit", "커밋";
    push: "Push", "push";
    apply: "kubectl apply -f {}", "kubectl apply -f {}";
    apply_title: "Applies this file to the cluster", "이 파일을 클러스터에 적용합니다";
    nothing_to_commit: "Nothing to commit.", "커밋할 변경이 없습니다.";
    ahead: "{} commit(s) not pushed", "푸시하지 않은 커밋 {}개";
    pushed: "remote main is up to date", "원격 main과 같습니다";
    uncommitted: "{} uncommitted", "커밋하지 않은 파일 {}개";
    changes: "Changes", "변경 사항";
    commits: "Commits", "커밋";
    render_time: "render {} ms", "렌더링 {} ms";
    simulated: "simulation · no cluster", "시뮬레이션 · 클러스터 없음";

    worker_restarted: "The engine stopped answering and was started again. Nothing you typed was lost.", "엔진이 응답하지 않아 다시 시작했습니다. 입력한 내용은 그대로입니다.";
    worker_set_aside: "This action stopped the engine twice and is set aside: {}", "이 동작이 엔진을 두 번 멈추게 하여 실행하지 않고 둡니다: {}";
    worker_version: "The page and its engine are of different versions. Reload the page.", "페이지와 엔진의 버전이 다릅니다. 페이지를 다시 불러오세요.";
    worker_failed: "The engine could not be started: {}", "엔진을 시작할 수 없습니다: {}";
    storage_failed: "The browser refuses to keep your work, so it lives in this tab only. Copy what matters before closing it.", "브라우저가 저장을 거부하여 작업 내용이 이 탭에만 있습니다. 닫기 전에 필요한 내용을 복사해 두세요.";
    draft_restored: "Your work from last time is back.", "지난번 작업을 다시 불러왔습니다.";
    dismiss: "Close this message", "메시지 닫기";
    reload: "Reload", "다시 불러오기";
    retry: "Try again", "다시 시도";
    busy: "working…", "처리 중…";

    nav_lesson: "Lesson", "실습";
    nav_editor: "Editor", "편집기";
    nav_right: "Results", "결과";
    nav_bottom: "Cluster", "클러스터";
}

/// The texts of a language.
pub fn texts(lang: Lang) -> &'static Texts {
    match lang {
        Lang::En => &EN,
        Lang::Ko => &KO,
    }
}

/// `text` with each `{}` replaced by the next of `args`; a missing argument leaves nothing.
pub fn fill(text: &str, args: &[&str]) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut args = args.iter();
    let mut pieces = text.split("{}");
    out.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        out.push_str(args.next().copied().unwrap_or_default());
        out.push_str(piece);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_languages_have_the_same_gaps() {
        for (name, en, ko) in ALL {
            assert_eq!(en.matches("{}").count(), ko.matches("{}").count(), "{name}");
            assert!(!en.is_empty() && !ko.is_empty(), "{name}");
        }
    }

    #[test]
    fn gaps_are_filled_in_order() {
        assert_eq!(fill(EN.step_of, &["1", "2"]), "step 1 of 2");
        assert_eq!(fill(KO.line_of, &["a.yaml", "3"]), "a.yaml 3행");
        assert_eq!(fill("{}{}", &["x"]), "x");
    }
}
