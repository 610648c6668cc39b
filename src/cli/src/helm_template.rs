//! `tidepool helm template`: Helm's flags, standard output, standard error and exit code. `--helm-version 4` mirrors
//! Helm 4.

use crate::Machine;
use crate::flags::{Flag, Parsed, Takes, parse};
use base::{LayerKind, Severity};
use helm::notice::Log;
use helm::{Assignment, Flavour, HelmVersion, Session, TemplateOptions, ValuesSource, output};

const fn switch(name: &'static str) -> Flag {
    Flag { name, short: '\0', takes: Takes::Switch }
}

const fn value(name: &'static str) -> Flag {
    Flag { name, short: '\0', takes: Takes::Value }
}

const FLAGS: &[Flag] = &[
    Flag { name: "namespace", short: 'n', takes: Takes::Value },
    Flag { name: "values", short: 'f', takes: Takes::List },
    Flag { name: "api-versions", short: 'a', takes: Takes::List },
    Flag { name: "show-only", short: 's', takes: Takes::Value },
    Flag { name: "generate-name", short: 'g', takes: Takes::Switch },
    Flag { name: "labels", short: 'l', takes: Takes::Value },
    Flag { name: "help", short: 'h', takes: Takes::Switch },
    Flag { name: "dry-run", short: '\0', takes: Takes::Optional("client") },
    value("helm-version"),
    value("set"),
    value("set-string"),
    value("set-file"),
    value("set-json"),
    value("set-literal"),
    value("output-dir"),
    value("kube-version"),
    value("name-template"),
    value("description"),
    value("version"),
    value("keyring"),
    value("repo"),
    value("username"),
    value("password"),
    value("cert-file"),
    value("key-file"),
    value("ca-file"),
    value("timeout"),
    value("post-renderer"),
    value("post-renderer-args"),
    value("kube-context"),
    value("kube-token"),
    value("kube-as-user"),
    value("kube-as-group"),
    value("kube-apiserver"),
    value("kube-ca-file"),
    value("kube-tls-server-name"),
    value("kubeconfig"),
    value("registry-config"),
    value("repository-config"),
    value("repository-cache"),
    value("burst-limit"),
    value("qps"),
    switch("kube-insecure-skip-tls-verify"),
    switch("debug"),
    switch("validate"),
    switch("include-crds"),
    switch("skip-tests"),
    switch("is-upgrade"),
    switch("release-name"),
    switch("create-namespace"),
    switch("force"),
    switch("no-hooks"),
    switch("replace"),
    switch("wait"),
    switch("wait-for-jobs"),
    switch("devel"),
    switch("dependency-update"),
    switch("disable-openapi-validation"),
    switch("atomic"),
    switch("skip-crds"),
    switch("render-subchart-notes"),
    switch("skip-schema-validation"),
    switch("enable-dns"),
    switch("hide-notes"),
    switch("take-ownership"),
    switch("verify"),
    switch("insecure-skip-tls-verify"),
    switch("plain-http"),
    switch("pass-credentials"),
];

/// Runs `helm …`.
pub(crate) fn main(args: &[String], machine: &mut dyn Machine) -> u8 {
    let mut session = Session::new();
    match run(args, &mut session, machine) {
        Ok(()) => 0,
        Err(text) => {
            machine.complain(format!("Error: {text}\n").as_bytes());
            1
        }
    }
}

fn run(args: &[String], session: &mut Session, machine: &mut dyn Machine) -> Result<(), String> {
    let mut flags = parse(args, FLAGS)?;
    if flags.args.first().map(String::as_str) != Some("template") {
        let name = flags.args.first().cloned().unwrap_or_default();
        return Err(format!("unknown command {name:?} for \"helm\""));
    }
    flags.args.remove(0);
    if flags.args.is_empty() {
        return Err(
            "\"helm template\" requires at least 1 argument\n\nUsage:  helm template [NAME] [CHART] [flags]".into()
        );
    }
    let options = options(&flags, machine)?;
    match session.template(machine.world(), &options) {
        Ok(rendered) => {
            print_log(&rendered.log, options.version, machine);
            match flags.value("output-dir").filter(|dir| !dir.is_empty()) {
                Some(dir) => write_files(&rendered, &options, &flags, dir, machine),
                None => machine.print(&output::text(&rendered, &options).map_err(|error| error.message)?),
            }
        }
        Err(failure) => {
            print_log(&failure.log, options.version, machine);
            if flags.on("debug") && failure.started {
                print_raw(&failure.files, machine)?;
                return Err(failure.error.message);
            }
            let hint = if failure.started { "\n\nUse --debug flag to render out invalid YAML" } else { "" };
            Err(format!("{}{hint}", failure.error.message))
        }
    }
}

fn options(flags: &Parsed, machine: &mut dyn Machine) -> Result<TemplateOptions, String> {
    let (name, chart) = name_and_chart(flags)?;
    let mut options = TemplateOptions::new(chart.clone());
    options.version = match flags.value("helm-version") {
        Some("4") => HelmVersion::V4,
        _ => HelmVersion::V3,
    };
    let trimmed = chart.trim();
    if machine.world().kind(trimmed).is_ok() {
        options.chart = machine.absolute(trimmed).trim_end_matches('/').to_string();
    }
    if let Some(name) = name {
        options.release_name = name;
    }
    options.name_template = flags.value("name-template").unwrap_or_default().to_string();
    let namespace = flags.value("namespace").map(str::to_string).or_else(|| machine.variable("HELM_NAMESPACE"));
    if let Some(namespace) = namespace.filter(|text| !text.is_empty()) {
        options.namespace = namespace;
    }
    for (i, path) in flags.all("values").into_iter().enumerate() {
        options.values.push(if path.trim() == "-" {
            let text = machine.input()?;
            ValuesSource::Text { kind: LayerKind::ValuesFile(i as u32), file: None, text: text.into() }
        } else {
            ValuesSource::File(path)
        });
    }
    let kinds: [(&'static str, &'static str, Flavour); 5] = [
        ("set", "--set", Flavour::Typed),
        ("set-string", "--set-string", Flavour::Text),
        ("set-file", "--set-file", Flavour::File),
        ("set-json", "--set-json", Flavour::Json),
        ("set-literal", "--set-literal", Flavour::Literal),
    ];
    for (name, flag, flavour) in kinds {
        for (i, text) in flags.all(name).into_iter().enumerate() {
            let kind = LayerKind::Flag(flag, i as u32);
            options.assignments.push(Assignment { flavour, text, kind, file: None });
        }
    }
    options.kube_version = flags.value("kube-version").map(str::to_string);
    options.api_versions = flags.all("api-versions");
    options.include_crds = flags.on("include-crds");
    options.is_upgrade = flags.on("is-upgrade");
    options.no_hooks = flags.on("no-hooks");
    options.skip_tests = flags.on("skip-tests");
    options.skip_schema_validation = flags.on("skip-schema-validation");
    options.render_subchart_notes = flags.on("render-subchart-notes");
    options.show_only = flags.all("show-only");
    Ok(options)
}

/// The release's name, when one is given, and the chart.
fn name_and_chart(flags: &Parsed) -> Result<(Option<String>, String), String> {
    match flags.args.as_slice() {
        [chart] => {
            if flags.on("generate-name") && flags.value("name-template").unwrap_or_default().is_empty() {
                // The command sets a name beforehand, so that none is ever generated.
                return Ok((None, chart.clone()));
            }
            Ok((None, chart.clone()))
        }
        [name, chart] => {
            if flags.on("generate-name") {
                return Err("cannot set --generate-name and also specify a name".to_string());
            }
            if flags.value("name-template").is_some_and(|text| !text.is_empty()) {
                return Err("cannot set --name-template and also specify a name".to_string());
            }
            Ok((Some(name.clone()), chart.clone()))
        }
        more => Err(format!("expected at most two arguments, unexpected arguments: {}", more[2..].join(", "))),
    }
}

/// With `--debug`, what was rendered before a document turned out not to be YAML.
fn print_raw(files: &[helm::manifest::RenderedFile], machine: &mut dyn Machine) -> Result<(), String> {
    let mut out = Vec::new();
    for file in files {
        if String::from_utf8_lossy(&file.text.bytes).trim().is_empty() {
            continue;
        }
        out.extend_from_slice(format!("---\n# Source: {}\n", file.source).as_bytes());
        out.extend_from_slice(&file.text.bytes);
        out.push(b'\n');
    }
    let text = String::from_utf8_lossy(&out).trim().to_string();
    machine.print(format!("{text}\n").as_bytes())
}

fn print_log(log: &Log, version: HelmVersion, machine: &mut dyn Machine) {
    for notice in &log.notices {
        let text = &notice.diagnostic.message;
        let line = if version.is_v4() {
            let level = match notice.diagnostic.severity {
                Severity::Error => "ERROR",
                Severity::Warning if notice.stamp.is_empty() => "WARN",
                _ => "INFO",
            };
            let mut line = format!("level={level} msg={}", slog(text));
            for (key, value) in &notice.attrs {
                line.push_str(&format!(" {key}={}", slog(value)));
            }
            line
        } else if notice.stamp.is_empty() {
            text.to_string()
        } else {
            format!("{}: {text}", notice.stamp)
        };
        machine.complain(format!("{line}\n").as_bytes());
    }
}

/// A value of a log line: quoted when it has blanks, quotes or `=`.
fn slog(text: &str) -> String {
    let plain = !text.is_empty() && !text.chars().any(|c| c.is_whitespace() || c == '"' || c == '=' || c.is_control());
    if plain { text.to_string() } else { format!("{text:?}") }
}

/// `--output-dir`: each document is appended to the file of its source.
fn write_files(
    rendered: &helm::Rendered,
    options: &TemplateOptions,
    flags: &Parsed,
    dir: &str,
    machine: &mut dyn Machine,
) -> Result<(), String> {
    let named = if flags.on("release-name") { format!("{dir}/{}", rendered.release_name) } else { dir.to_string() };
    let mut written: Vec<String> = Vec::new();
    let mut out = String::new();
    let mut write = |dir: &str, source: &str, data: &[u8], append: bool| -> Result<(), String> {
        let path = format!("{dir}/{source}");
        let mut document = format!("---\n# Source: {source}\n").into_bytes();
        document.extend_from_slice(data);
        document.push(b'\n');
        machine.write(&path, &document, append).map_err(|error| format!("open {path}: {error}"))?;
        out.push_str(&format!("wrote {path}\n"));
        Ok(())
    };
    for (source, data) in &rendered.crds {
        write(dir, source, data, false)?;
    }
    for manifest in &rendered.manifests {
        let append = written.iter().any(|source| **source == *manifest.source);
        write(&named, &manifest.source, &manifest.text.bytes, append)?;
        written.push(manifest.source.to_string());
    }
    for hook in output::hooks(rendered, options) {
        let append = written.iter().any(|source| **source == *hook.source);
        write(&named, &hook.source, &hook.text.bytes, append)?;
        written.push(hook.source.to_string());
    }
    out.push('\n');
    machine.print(out.as_bytes())
}
