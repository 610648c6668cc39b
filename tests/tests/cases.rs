//! Runs `tests/cases/helm/*.jsonl` in process: one trial per area and Helm version. Expected output is the real tool's.
#![expect(clippy::disallowed_methods, reason = "tests read files and the environment")]

use base::world::{EntryKind, clean};
use base::{FileError, MemWorld, Time, World};
use base64::Engine as _;
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

const CHART: &str = "apiVersion: v2\nname: c\nversion: 0.1.0\n";
/// Differences shown of one area.
const SHOWN: usize = 5;

fn main() {
    let args = Arguments::from_args();
    if std::env::var("UPDATE").is_ok_and(|v| v == "1") {
        update();
    }
    let known = known_failures();
    let mut trials = Vec::new();
    for path in area_files() {
        let area = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        for version in [3u8, 4] {
            let (path, known) = (path.clone(), known[usize::from(version - 3)].clone());
            trials.push(Trial::test(format!("{area} (helm {version})"), move || run_area(&path, version, &known)));
        }
    }
    libtest_mimic::run(&args, trials).exit();
}

fn cases_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/helm")
}

fn area_files() -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(cases_dir())
        .expect("cases/helm")
        .map(|e| e.expect("entry").path())
        .filter(|p| p.extension().is_some_and(|e| e == "jsonl"))
        .collect();
    files.sort();
    files
}

fn cases(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).expect("a readable file");
    text.lines().filter(|l| !l.trim().is_empty()).map(|l| serde_json::from_str(l).expect("a case is JSON")).collect()
}

/// Ids that are known to differ, for Helm 3 and for Helm 4.
fn known_failures() -> [BTreeSet<String>; 2] {
    let text = fs::read_to_string(cases_dir().join("known_failures.json")).expect("known_failures.json");
    let reasons: BTreeMap<String, BTreeMap<String, Vec<String>>> =
        serde_json::from_str(&text).expect("reason → version → ids");
    let compatibility = fs::read_to_string(cases_dir().join("../../../COMPATIBILITY.md")).expect("COMPATIBILITY.md");
    let mut out = [BTreeSet::new(), BTreeSet::new()];
    for (reason, versions) in &reasons {
        assert!(compatibility.contains(reason.as_str()), "COMPATIBILITY.md does not give the reason: {reason}");
        for (i, version) in ["helm3", "helm4"].iter().enumerate() {
            out[i].extend(versions.get(*version).into_iter().flatten().cloned());
        }
    }
    out
}

fn run_area(path: &Path, version: u8, known: &BTreeSet<String>) -> Result<(), Failed> {
    let mut wrong = Vec::new();
    let mut healed = Vec::new();
    for case in cases(path) {
        let id = case["id"].as_str().unwrap_or("?").to_string();
        let difference = judge(&case, version);
        match (difference, known.contains(&id)) {
            (Some(difference), false) => wrong.push(format!("{id}: {difference}")),
            (None, true) => healed.push(id),
            _ => {}
        }
    }
    if wrong.is_empty() && healed.is_empty() {
        return Ok(());
    }
    let mut text = String::new();
    if !wrong.is_empty() {
        text += &format!("{} cases differ\n  {}\n", wrong.len(), wrong[..wrong.len().min(SHOWN)].join("\n  "));
        if std::env::var("LIST").is_ok() {
            text += &wrong.iter().filter_map(|w| w.split(':').next()).collect::<Vec<_>>().join(" ");
        }
    }
    if !healed.is_empty() {
        text += &format!("listed as known failures but equal now: {}\n", healed.join(" "));
    }
    Err(text.into())
}

fn world(case: &Value) -> MemWorld {
    let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    files.insert("chart/Chart.yaml".into(), CHART.into());
    let decode =
        |v: &Value| base64::engine::general_purpose::STANDARD.decode(v.as_str().unwrap_or("")).expect("base64");
    let members = |key: &str| case[key].as_object().cloned().unwrap_or_default();
    for (path, text) in members("files") {
        match text.as_str() {
            Some(text) => files.insert(format!("chart/{path}"), text.replace("<ROOT>", "/CASE").into_bytes()),
            None => files.remove(&format!("chart/{path}")),
        };
    }
    for (path, bytes) in members("files_b64") {
        files.insert(format!("chart/{path}"), decode(&bytes));
    }
    if let Some(values) = case["values"].as_str().filter(|v| !v.is_empty()) {
        files.entry("chart/values.yaml".into()).or_insert_with(|| values.into());
    }
    for (path, text) in members("outer") {
        files.insert(path, text.as_str().unwrap_or("").replace("<ROOT>", "/CASE").into_bytes());
    }
    for (path, bytes) in members("outer_b64") {
        files.insert(path, decode(&bytes));
    }
    // The directory exists even when a case has no template.
    files.entry("chart/templates/.keep".into()).or_default();
    // Some cases compare `now` with dates of the past.
    MemWorld { now: Time::from_secs(1_795_996_800), ..MemWorld::new(files) }
}

/// A machine whose working directory is `/CASE` and whose disk is a case's files.
struct Case {
    world: MemWorld,
    code: u8,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl World for Case {
    fn read(&self, path: &str) -> Result<Rc<[u8]>, FileError> {
        self.world.read(inside(path))
    }
    fn list(&self, path: &str) -> Result<Vec<(String, EntryKind)>, FileError> {
        self.world.list(inside(path))
    }
    fn kind(&self, path: &str) -> Result<EntryKind, FileError> {
        self.world.kind(inside(path))
    }
    fn now(&self) -> Time {
        self.world.now
    }
    fn seed(&self) -> u64 {
        self.world.seed
    }
}

fn inside(path: &str) -> &str {
    path.strip_prefix("/CASE").unwrap_or(path)
}

impl cli::Machine for Case {
    fn world(&self) -> &dyn World {
        self
    }
    fn absolute(&self, path: &str) -> String {
        format!("/CASE/{}", clean(path))
    }
    fn variable(&self, _: &str) -> Option<String> {
        None
    }
    fn input(&mut self) -> Result<Vec<u8>, String> {
        Ok(Vec::new())
    }
    fn print(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.stdout.extend_from_slice(bytes);
        Ok(())
    }
    fn complain(&mut self, bytes: &[u8]) {
        self.stderr.extend_from_slice(bytes);
    }
    fn write(&mut self, path: &str, bytes: &[u8], append: bool) -> Result<(), String> {
        let kept = self.world.read(path).ok().filter(|_| append).map(|old| old.to_vec()).unwrap_or_default();
        self.world.files.insert(clean(path).into(), [&kept, bytes].concat().into());
        Ok(())
    }
}

fn argv(case: &Value) -> Vec<String> {
    let words =
        |v: &Value| v.as_array().into_iter().flatten().filter_map(|w| w.as_str().map(String::from)).collect::<Vec<_>>();
    if case["argv"].is_array() {
        return words(&case["argv"]);
    }
    let mut out: Vec<String> = ["template", "rel", "./chart", "--namespace", "ns"].map(String::from).into();
    out.extend(words(&case["args"]));
    out
}

/// `None` when the output is the real tool's, else the first difference.
fn judge(case: &Value, version: u8) -> Option<String> {
    let want = match &case[format!("helm{version}")] {
        Value::String(_) => &case["helm3"],
        other => other,
    };
    let mut args = argv(case);
    if version == 4 {
        // In front, as the last words of some cases are a flag without its value.
        args.splice(0..0, ["--helm-version".to_string(), "4".to_string()]);
    }
    args.insert(0, "helm".to_string());
    let mut got = Case { world: world(case), code: 0, stdout: Vec::new(), stderr: Vec::new() };
    got.code = cli::run(&args, &mut got);
    let ok = want["ok"].as_bool().unwrap_or(false);
    if ok != (got.code == 0) {
        return Some(format!("exit {}: {}", got.code, String::from_utf8_lossy(&got.stderr).trim()));
    }
    let loose = case["unordered"].as_bool().unwrap_or(false);
    if ok {
        let expected = match want["stdout_b64"].as_str() {
            Some(b64) => base64::engine::general_purpose::STANDARD.decode(b64).expect("base64"),
            None => want["stdout"].as_str().unwrap_or("").into(),
        };
        return difference(&String::from_utf8_lossy(&expected), &String::from_utf8_lossy(&got.stdout), loose);
    }
    let bare = |text: &str| unstamped(text.trim());
    difference(&bare(want["stderr"].as_str().unwrap_or("")), &bare(&String::from_utf8_lossy(&got.stderr)), loose)
}

/// Log lines without the source line of the real tool's code.
fn unstamped(text: &str) -> String {
    text.lines()
        .map(|line| match line.strip_prefix("coalesce.go:").and_then(|rest| rest.split_once(": ")) {
            Some((_, message)) => message,
            None => line,
        })
        .collect::<Vec<_>>()
        .join("\n")
}

fn difference(want: &str, got: &str, loose: bool) -> Option<String> {
    if want == got {
        return None;
    }
    let (mut a, mut b): (Vec<String>, Vec<String>) =
        (want.lines().map(String::from).collect(), got.lines().map(String::from).collect());
    if loose {
        // Names in this message are in random order, too.
        for line in a.iter_mut().chain(&mut b) {
            let names =
                line.split_once("additional properties ").and_then(|(_, rest)| rest.strip_suffix(" not allowed"));
            if let Some(names) = names {
                let mut sorted: Vec<&str> = names.split(", ").collect();
                sorted.sort_unstable();
                *line = line.replace(names, &sorted.join(", "));
            }
        }
        a.sort_unstable();
        b.sort_unstable();
        if a == b {
            return None;
        }
    }
    let at = a.iter().zip(&b).position(|(x, y)| x != y).unwrap_or(a.len().min(b.len()));
    Some(format!("line {}: wanted {:?}, got {:?}", at + 1, a.get(at), b.get(at)))
}

/// Fills in what the real tools print for cases that have no expectation yet.
fn update() {
    for path in area_files() {
        let mut out = String::new();
        for mut case in cases(&path) {
            for version in [3u8, 4] {
                let key = format!("helm{version}");
                if case.get(&key).is_none() {
                    let tool = std::env::var(format!("HELM{version}")).expect("HELM3 and HELM4 name the real tools");
                    case[key] = real(&case, &tool);
                }
            }
            if case["helm4"] == case["helm3"] {
                case["helm4"] = "same".into();
            }
            out += &format!("{case}\n");
        }
        fs::write(&path, out).expect("writable");
    }
}

fn real(case: &Value, tool: &str) -> Value {
    let dir = std::env::temp_dir().join(format!("tidepool-case-{}", std::process::id()));
    drop(fs::remove_dir_all(&dir));
    for (path, bytes) in &world(case).files {
        let full = dir.join(&**path);
        fs::create_dir_all(full.parent().expect("a parent")).expect("writable");
        fs::write(full, bytes).expect("writable");
    }
    let out = std::process::Command::new(tool)
        .args(argv(case))
        .current_dir(&dir)
        .env("TZ", "UTC")
        .output()
        .expect("the real tool runs");
    let masked = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&*dir.to_string_lossy(), "/CASE");
    let mut value = serde_json::json!({ "ok": out.status.success() });
    for (key, text) in [("stdout", masked(&out.stdout)), ("stderr", masked(&out.stderr))] {
        if !text.is_empty() {
            value[key] = text.into();
        }
    }
    value
}
