//! Who set a field, through the whole engine: layers, render, marks, claims.

use base::{Fate, LayerKind, MemWorld};
use helm::explain::{Field, field, values_table};
use helm::origins::Read;
use helm::{Assignment, Flavour, HelmVersion, Session, TemplateOptions, ValuesSource, output};

const DEPLOYMENT: &str = "apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
  labels:
    {{- include \"web.labels\" . | nindent 4 }}
spec:
  {{- if not .Values.autoscaling.enabled }}
  replicas: {{ .Values.replicaCount }}
  {{- end }}
  template:
    spec:
      containers:
        - name: web
          image: \"{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}\"
          resources:
            {{- toYaml .Values.resources | nindent 12 }}
";

fn world() -> MemWorld {
    MemWorld::new([
        ("web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 0.1.0\nappVersion: \"1.16.0\"\n"),
        (
            "web/values.yaml",
            "replicaCount: 1\nimage:\n  repository: nginx\n  tag: \"\"\nautoscaling:\n  enabled: false\nresources:\n  limits:\n    cpu: 100m\nextra: 1\n",
        ),
        (
            "web/templates/_helpers.tpl",
            "{{- define \"web.labels\" -}}\napp: {{ .Values.labels.app }}\ntier: front\n{{- end }}\n",
        ),
        ("web/templates/deployment.yaml", DEPLOYMENT),
        ("prod.yaml", "replicaCount: 3\nlabels:\n  app: shop\nextra: null\n"),
    ])
}

fn options() -> TemplateOptions {
    let mut options = TemplateOptions::new("web");
    options.values.push(ValuesSource::File("prod.yaml".to_string()));
    let kind = LayerKind::Flag("--set", 0);
    options.assignments.push(Assignment { flavour: Flavour::Typed, text: "replicaCount=5".into(), kind, file: None });
    options.trace = true;
    options
}

#[test]
fn a_field_names_its_winner_and_its_losers() {
    let world = world();
    let rendered = helm::template(&world, &options()).expect("renders");
    let why = field(&rendered, 0, &Field::Path("spec.replicas")).expect("explained");
    assert_eq!(why.text, "5");
    assert_eq!(why.data.len(), 1);
    assert_eq!(&*why.data[0].path, "replicaCount");
    let claims: Vec<_> =
        why.data[0].claims.iter().map(|c| (c.origin.layer.kind.clone(), &*c.value, c.fate.clone())).collect();
    assert_eq!(
        claims,
        [
            (LayerKind::Flag("--set", 0), "5", Fate::Won),
            (LayerKind::ValuesFile(0), "3", Fate::Overridden),
            (LayerKind::ChartDefault("web".into()), "1", Fate::Overridden),
        ]
    );
    let file = &why.data[0].claims[1].origin.place.as_ref().expect("a place");
    assert_eq!((&*file.file, file.span.start), ("prod.yaml", 0));
    let action = &why.actions[0].place;
    assert_eq!(&*action.file, "web/templates/deployment.yaml");
    assert_eq!(&DEPLOYMENT[action.span.range()], "{{ .Values.replicaCount }}");
    assert!(why.control.iter().any(|reason| &*reason.path == "autoscaling.enabled"), "{:?}", why.control);
}

#[test]
fn includes_and_pretty_printers_keep_their_places() {
    let world = world();
    let rendered = helm::template(&world, &options()).expect("renders");
    let label = field(&rendered, 0, &Field::Path("metadata.labels.app")).expect("explained");
    assert_eq!((label.text.as_str(), &*label.data[0].path), ("shop", "labels.app"));
    let action = label.actions.iter().find(|action| !action.literal).expect("an action");
    assert_eq!(&*action.place.file, "web/templates/_helpers.tpl");
    assert_eq!(action.stack.len(), 1);
    assert_eq!(&*action.stack[0].0.file, "web/templates/deployment.yaml");
    let tier = field(&rendered, 0, &Field::Path("metadata.labels.tier")).expect("explained");
    assert!(tier.data.is_empty() && tier.actions.iter().all(|action| action.literal), "{tier:?}");
    let cpu =
        field(&rendered, 0, &Field::Path("spec.template.spec.containers[0].resources.limits.cpu")).expect("found");
    assert_eq!(cpu.data.iter().map(|reason| &*reason.path).collect::<Vec<_>>(), ["resources.limits.cpu"]);
    let image = field(&rendered, 0, &Field::Path("spec.template.spec.containers[0].image")).expect("found");
    assert_eq!(image.text, "\"nginx:1.16.0\"");
    assert!(image.data.iter().any(|reason| &*reason.path == "image.repository"));
    assert!(image.control.iter().any(|reason| &*reason.path == "image.tag" && reason.read == Read::Value));
}

#[test]
fn the_table_knows_what_a_null_removed_and_what_was_used() {
    let world = world();
    let rendered = helm::template(&world, &options()).expect("renders");
    let rows = values_table(&world, &options(), Some(&rendered)).expect("values");
    let row = |path: &str| rows.iter().find(|row| &*row.path == path).unwrap_or_else(|| panic!("no row {path}"));
    assert!(row("replicaCount").used && row("labels.app").used);
    assert_eq!(row("extra").effective, None);
    assert!(row("extra").claims.iter().any(|claim| claim.fate == Fate::RemovedByNull && &*claim.value == "1"));
    assert!(!row("extra").used);
}

#[test]
fn a_warm_session_gives_the_same_bytes_and_tracing_changes_none() {
    let world = world();
    for version in [HelmVersion::V3, HelmVersion::V4] {
        let mut session = Session::new();
        let mut options = TemplateOptions { version, ..options() };
        let text = |session: &mut Session, options: &TemplateOptions| {
            let rendered = session.template(&world, options).expect("renders");
            output::text(&rendered, options).expect("prints")
        };
        let cold = text(&mut session, &options);
        assert_eq!(cold, text(&mut session, &options));
        options.trace = false;
        assert_eq!(cold, text(&mut session, &options));
        assert_eq!(cold, text(&mut Session::new(), &options));
    }
}

#[test]
fn errors_have_helms_words_and_a_place_in_the_world() {
    let mut world = world();
    let text = "a: {{ .Values.image.x.y }}\n";
    world.files.insert("web/templates/bad.yaml".into(), text.as_bytes().into());
    let error = helm::template(&world, &options()).expect_err("fails");
    assert_eq!(
        error.message,
        "template: web/templates/bad.yaml:1:13: executing \"web/templates/bad.yaml\" at <.Values.image.x.y>: nil pointer evaluating interface {}.y"
    );
    let place = error.primary.expect("a place");
    assert_eq!(&*place.file, "web/templates/bad.yaml");
    world.files.insert("web/values.yaml".into(), b"a: [\n".as_slice().into());
    let error = helm::template(&world, &options()).expect_err("fails");
    assert!(error.message.starts_with("cannot load values.yaml: error converting YAML to JSON: yaml: line"));
    assert_eq!(error.primary.map(|place| place.file.to_string()).as_deref(), Some("web/values.yaml"));
}

#[test]
fn a_document_that_is_not_yaml_points_at_the_template() {
    let template = "kind: ConfigMap\nmetadata:\n  name: x\ndata:\n  a: {{ .Values.text }}\n";
    let world = MemWorld::new([
        ("web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 0.1.0\n"),
        ("web/values.yaml", "text: \"a: b: c\"\n"),
        ("web/templates/config.yaml", template),
    ]);
    let mut options = TemplateOptions::new("web");
    options.trace = true;
    let error = helm::template(&world, &options).expect_err("fails");
    // The message is what Helm 3.21.4 prints.
    let wanted = "YAML parse error on web/templates/config.yaml: error converting YAML to JSON: yaml: line 5: mapping values are not allowed in this context";
    assert_eq!(error.message, wanted);
    let place = error.primary.expect("has a place");
    assert_eq!(&*place.file, "web/templates/config.yaml");
    assert!(
        template[place.span.range()].starts_with("a: ") || template[place.span.range()].starts_with("{{"),
        "{place:?}"
    );
}
