//! House rules as tests: the dependency arrows, file heads and lengths, documentation, versions, lints.
#![expect(clippy::disallowed_methods, reason = "tests read files and the environment")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Crate → the crates of this project that it may name in its Cargo.toml. A crate may also use what these may use.
const ARROWS: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("yaml", &["base"]),
    ("gotmpl", &["base"]),
    ("git", &["base"]),
    ("helm", &["yaml", "gotmpl"]),
    ("cluster", &["yaml"]),
    ("kustomize", &["yaml"]),
    ("argocd", &["helm", "kustomize", "git", "cluster"]),
    ("sim", &["argocd"]),
    ("protocol", &[]),
    ("lesson", &["base", "protocol"]),
    ("playground", &["sim", "protocol", "lesson"]),
    ("worker", &["playground", "protocol"]),
    ("ui-state", &["protocol"]),
    ("app", &["ui-state", "protocol"]),
    ("cli", &["playground", "lesson"]),
];

/// Longest Rust file, in lines.
const FILE_LINES: usize = 700;
/// Longest ARCHITECTURE.md, in lines.
const ARCHITECTURE_LINES: usize = 250;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_path_buf()
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Files that git knows or would add, with `/` paths from the root.
fn files() -> Vec<String> {
    let out = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()
        .expect("git runs");
    String::from_utf8_lossy(&out.stdout).lines().filter(|f| root().join(f).is_file()).map(String::from).collect()
}

fn rust_files() -> Vec<(String, String)> {
    files().into_iter().filter(|f| f.ends_with(".rs")).map(|f| (f.clone(), read(&f))).collect()
}

fn may_use(name: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let mut open = vec![name];
    while let Some(next) = open.pop() {
        for dep in ARROWS.iter().find(|(n, _)| *n == next).map_or(&[][..], |(_, d)| d) {
            if all.insert((*dep).to_string()) {
                open.push(dep);
            }
        }
    }
    all
}

#[test]
fn arrows_point_one_way() {
    let out = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let data: serde_json::Value = serde_json::from_slice(&out.stdout).expect("cargo metadata prints JSON");
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    for package in data["packages"].as_array().expect("packages") {
        let name = package["name"].as_str().unwrap_or("").trim_start_matches("tidepool-").to_string();
        if name == "tests" {
            continue;
        }
        let allowed = may_use(&name);
        seen.insert(name.clone());
        for dep in package["dependencies"].as_array().expect("dependencies") {
            let dev = dep["kind"].as_str() == Some("dev");
            if let Some(dep) = dep["name"].as_str().unwrap_or("").strip_prefix("tidepool-")
                && !dev
                && !allowed.contains(dep)
            {
                wrong.push(format!("{name} → {dep}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new(), "arrows that the table does not allow");
    let table: BTreeSet<String> = ARROWS.iter().map(|(n, _)| (*n).to_string()).collect();
    assert_eq!(seen, table, "every crate stands in the table");
}

#[test]
fn every_crate_has_its_section_in_the_architecture() {
    let text = read("ARCHITECTURE.md");
    assert!(text.lines().count() <= ARCHITECTURE_LINES, "ARCHITECTURE.md is over {ARCHITECTURE_LINES} lines");
    let missing: Vec<&str> = ARROWS
        .iter()
        .map(|(n, _)| *n)
        .filter(|n| !text.lines().any(|l| l.starts_with("### ") && l.contains(&format!("`{n}`"))))
        .collect();
    assert_eq!(missing, Vec::<&str>::new(), "crates without a section");
}

#[test]
fn files_have_a_head_and_a_bound() {
    let mut wrong = Vec::new();
    for (path, text) in rust_files() {
        let head = text.lines().find(|l| !l.starts_with("#![") && !l.trim().is_empty()).unwrap_or("");
        if !head.starts_with("//!") {
            wrong.push(format!("{path}: no head comment"));
        }
        let lines = text.lines().count();
        if lines > FILE_LINES {
            wrong.push(format!("{path}: {lines} lines"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn no_silent_allow_and_no_stub() {
    let banned = [
        concat!("#[al", "low("),
        concat!("#![al", "low("),
        concat!("todo", "!("),
        concat!("unimple", "mented!("),
        concat!("#[ig", "nore"),
    ];
    let wrong: Vec<String> = rust_files()
        .iter()
        .flat_map(|(path, text)| {
            text.lines()
                .enumerate()
                .filter(|(_, l)| banned.iter().any(|b| l.contains(b)))
                .map(move |(i, l)| format!("{path}:{}: {}", i + 1, l.trim()))
        })
        .collect();
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn engines_know_no_platform() {
    let engines = ["base", "yaml", "gotmpl", "git", "helm", "kustomize", "cluster", "argocd", "sim", "playground"];
    let banned = [
        "cfg(target_arch",
        "std::time::SystemTime",
        "std::time::Instant",
        "std::fs::",
        "std::env::",
        "std::net::Tcp",
        "std::net::Udp",
        "std::thread::",
    ];
    let mut wrong = Vec::new();
    for (path, text) in rust_files() {
        if path.ends_with("/tests.rs") || !engines.iter().any(|e| path.starts_with(&format!("src/{e}/src/"))) {
            continue;
        }
        // Tests may read files; they stand last in a file.
        let code = text.split("#[cfg(test)]").next().unwrap_or("");
        for (i, line) in code.lines().enumerate() {
            let code = line.split("//").next().unwrap_or("");
            if let Some(word) = banned.iter().find(|b| code.contains(**b)) {
                wrong.push(format!("{path}:{}: {word}", i + 1));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn one_lock_and_equal_versions() {
    let locks: Vec<String> = files().into_iter().filter(|f| f.ends_with("Cargo.lock")).collect();
    assert_eq!(locks, ["Cargo.lock"]);
    let cargo = read("Cargo.toml");
    let versions = read("scripts/versions");
    let value = |key: &str| versions.lines().find_map(|l| l.strip_prefix(&format!("{key}="))).unwrap_or("").to_string();
    assert!(
        cargo.contains(&format!("wasm-bindgen = \"={}\"", value("WASM_BINDGEN_VERSION"))),
        "wasm-bindgen and its CLI differ"
    );
    let pins: Vec<&str> = cargo
        .lines()
        .skip_while(|l| !l.starts_with("[workspace.dependencies]"))
        .skip(1)
        .take_while(|l| !l.starts_with('['))
        .filter(|l| l.contains('=') && !l.contains("path =") && !l.trim_start().starts_with('#') && !l.contains("\"="))
        .collect();
    assert_eq!(pins, Vec::<&str>::new(), "dependencies without an exact pin");
    for lock in files().iter().filter(|f| f.ends_with("package-lock.json")) {
        assert!(!read(lock).contains("\"resolved\""), "{lock} names a registry");
    }
}

#[test]
fn lints_are_inherited() {
    let missing: Vec<String> = files()
        .into_iter()
        .filter(|f| f.ends_with("Cargo.toml") && f != "Cargo.toml")
        .filter(|f| !read(f).contains("[lints]\nworkspace = true"))
        .filter(|f| !matches!(f.as_str(), "src/app/Cargo.toml" | "src/worker/Cargo.toml"))
        .collect();
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn known_failures_stand_in_compatibility() {
    let text = read("COMPATIBILITY.md");
    let mut missing = BTreeMap::new();
    for case in files().iter().filter(|f| f.starts_with("tests/cases/")) {
        if let Some(why) = read(case).lines().take(12).find_map(|l| l.strip_prefix("known_failure: ").map(String::from))
            && !text.contains(&why)
        {
            missing.insert(case.clone(), why);
        }
    }
    assert_eq!(missing, BTreeMap::new(), "reasons that COMPATIBILITY.md does not give");
}
