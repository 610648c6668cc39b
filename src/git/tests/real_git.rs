//! Ids, blame and refusals as the real git gave them for the same work.

use base::Time;
use git::{ChangeKind, Files, GitError, PushError, PushUpdate, Repository, ResolveError, Signature};

fn files(list: &[(&str, &str)]) -> Files {
    list.iter().map(|(path, text)| ((*path).into(), text.as_bytes().into())).collect()
}

fn at(seconds: i64, zone: i32) -> Signature {
    Signature { zone, ..Signature::new("홍길동", "hong@example.com", Time::from_secs(seconds)) }
}

fn three_commits() -> (Repository, Files) {
    let mut repo = Repository::init("main");
    let mut work = files(&[
        ("charts/web/Chart.yaml", "name: web\n"),
        ("charts/web/values.yaml", "a: 1\nb: 2\nc: 3\n"),
        ("charts/web.txt", "x"),
        ("charts/web-x/f", "y"),
        ("charts/web/templates/empty", ""),
    ]);
    repo.commit_files(&work, "첫 커밋  \n\nbody", &at(1_767_323_045, 540)).expect("first");
    work.insert("charts/web/values.yaml".into(), b"a: 1\nb: 5\nc: 3\n".as_slice().into());
    repo.commit_files(&work, "b to 5", &at(1_767_323_105, -90)).expect("second");
    let head = repo.head_commit().expect("head");
    repo.create_tag("v1", head, Some((at(1_767_323_105, -90), "release one"))).expect("tag");
    work.remove("charts/web-x/f");
    repo.commit_files(&work, "rm", &at(1_767_323_105, -90)).expect("third");
    (repo, work)
}

#[test]
fn ids_are_those_of_git() {
    let (repo, work) = three_commits();
    let id = |rev: &str| repo.resolve(rev).expect(rev).to_string();
    assert_eq!(id("main"), "8c5017a1231dde53adef93573c772c76238b72cf");
    assert_eq!(id("HEAD~1"), "aaf95c2546a073de229b5d23d8566f310b084447");
    assert_eq!(id("HEAD^^"), "993222c38d09dac083c0e64f9de6aac6f09f4e56");
    assert_eq!(id("v1"), id("HEAD~1"));
    assert_eq!(id("9932"), id("main~2"));
    assert_eq!(repo.tags().next().expect("v1").1.to_string(), "48b46656261ef025a678e03c1a853d8d0f182989");
    let first = repo.commit(repo.resolve("main~2").expect("first")).expect("commit").clone();
    assert_eq!(first.tree.to_string(), "093f92937e2805e2591910370a94e93808006b2f");
    assert_eq!(first.message.as_ref(), "첫 커밋\n\nbody\n");
    assert_eq!(repo.files(repo.head_commit().expect("head")), work);
    assert_eq!(repo.resolve("nope"), Err(ResolveError::Unknown("nope".into())));
    assert_eq!(repo.log(repo.head_commit().expect("head")).len(), 3);
}

#[test]
fn blame_finds_the_commit_of_a_line() {
    let (repo, _) = three_commits();
    let head = repo.head_commit().expect("head");
    let who = |line| repo.blame(head, "charts/web/values.yaml", line).map(|oid| oid.short());
    assert_eq!(who(1).as_deref(), Some("993222c"));
    assert_eq!(who(2).as_deref(), Some("aaf95c2"));
    assert_eq!(who(3).as_deref(), Some("993222c"));
    assert_eq!(who(4), None);
}

#[test]
fn status_and_diff_name_paths() {
    let (repo, mut work) = three_commits();
    assert_eq!(repo.status(&work), vec![]);
    work.insert("new".into(), b"1".as_slice().into());
    work.remove("charts/web.txt");
    let changes: Vec<_> = repo.status(&work).into_iter().map(|c| (c.kind.letter(), c.path.to_string())).collect();
    assert_eq!(changes, vec![('D', "charts/web.txt".to_string()), ('A', "new".to_string())]);
    let diff = repo.diff(repo.resolve("HEAD~2").ok(), repo.resolve("HEAD").expect("head"));
    assert_eq!(diff[0].kind, ChangeKind::Deleted);
    assert_eq!(diff.len(), 2);
}

#[test]
fn nothing_to_commit_in_the_words_of_git() {
    let (mut repo, work) = three_commits();
    let error = repo.commit_files(&work, "x", &at(0, 0));
    assert_eq!(error, Err(GitError("On branch main\nnothing to commit, working tree clean".into())));
}

#[test]
fn push_refuses_what_is_no_fast_forward() {
    let (mut ours, work) = three_commits();
    let mut bare = Repository::init_bare("main");
    let result = ours.push(&mut bare, "main", false).expect("push");
    assert_eq!(result.text("./b.git"), "To ./b.git\n * [new branch]      main -> main\n");
    assert_eq!(ours.push(&mut bare, "main", false).expect("push").update, PushUpdate::UpToDate);
    let mut theirs = Repository::clone_from(&bare);
    assert_eq!(theirs.resolve("origin/main"), ours.resolve("main"));
    let mut edited = work.clone();
    edited.insert("z".into(), b"theirs".as_slice().into());
    theirs.commit_files(&edited, "theirs", &at(1_767_323_200, 0)).expect("commit");
    theirs.push(&mut bare, "main", false).expect("push");
    edited.insert("z".into(), b"ours".as_slice().into());
    ours.commit_files(&edited, "ours", &at(1_767_323_201, 0)).expect("commit");
    assert_eq!(ours.push(&mut bare, "main", false), Err(PushError::FetchFirst("main".into())));
    ours.fetch(&bare, "origin");
    assert_eq!(ours.push(&mut bare, "main", false), Err(PushError::NonFastForward("main".into())));
    let base = ours.merge_base(ours.resolve("main").expect("a"), ours.resolve("origin/main").expect("b"));
    assert_eq!(base, ours.resolve("main~1").ok());
    assert!(ours.fast_forward(ours.resolve("origin/main").expect("tip")).is_err());
}
