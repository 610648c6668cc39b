//! The chain of a field that no template wrote: the line of its file, and the steps of a Kustomize build that changed it.

use crate::explain::{Context, shown};
use crate::field;
use crate::session::message;
use argocd::explain::PathSeg;
use argocd::source::{Generated, Target};
use base::{Json, Place};
use kustomize::{Resource, Step, Transformer};
use protocol::{ExplainStep, PlaceView};

/// The longest source line that is shown, in characters.
const SHOWN: usize = 120;

impl Context<'_> {
    /// The newest step first, then the line of the file, then the commit of whatever decided.
    pub(crate) fn plain_steps(&self, made: &Generated, index: usize, path: &[PathSeg], steps: &mut Vec<ExplainStep>) {
        let Some(target) = made.objects.get(index) else { return };
        let built = made.overlay.as_ref();
        let resource = built.and_then(|build| build.resources.get(index));
        let touches: Vec<_> = resource.map(|r| r.history(&slashed(path)).collect()).unwrap_or_default();
        let mut decided: Option<Place> = None;
        let mut only_application = None;
        for touch in touches.into_iter().rev() {
            let Some(step) = built.and_then(|build| build.steps.get(touch.step)) else { continue };
            let place = self.asked_for(step);
            let view = match &place {
                Some(place) if !step.overridden => Some(self.places().view(place)),
                _ => self.in_manifest(step),
            };
            if decided.is_none() && only_application.is_none() {
                match step.overridden {
                    true => only_application = Some(view.clone()),
                    false => decided = place,
                }
            }
            steps.push(ExplainStep::Change {
                transformer: word(step.transformer).to_string(),
                place: view,
                before: touch.before.as_ref().map(|before| shown(Some(before))).unwrap_or_default(),
                after: shown(Some(&touch.after)),
                overridden: step.overridden,
            });
        }
        if let Some(place) = self.in_file(target, resource, path) {
            let excerpt = field::cut(&self.places().excerpt(&place), SHOWN);
            let view = self.places().view(&place);
            steps.push(ExplainStep::Template { place: view, action: excerpt, literal: true, calls: Vec::new() });
            decided = decided.or(Some(place));
        }
        match (only_application, decided) {
            (Some(place), _) => steps.push(ExplainStep::NotInGit { place, text: message("only-in-application", &[]) }),
            (None, Some(place)) => steps.push(self.blamed(&place).unwrap_or_else(|| ExplainStep::NotInGit {
                place: Some(self.places().view(&place)),
                text: message("not-committed", &[]),
            })),
            (None, None) => {}
        }
    }

    /// Where a kustomization asks for a step.
    fn asked_for(&self, step: &Step) -> Option<Place> {
        let text = self.places().text(&self.places().path(&step.file));
        let document = yaml::parse_first(text.as_bytes()).ok()??;
        let (key, value) = yaml::span_of(&document, &[PathSeg::Key(word(step.transformer).into())])?;
        Some(Place::new(step.file.clone(), key.map_or(value, |key| key.join(value))))
    }

    /// Where the Application's manifest asks for a step.
    fn in_manifest(&self, step: &Step) -> Option<PlaceView> {
        let file = self.app_file.as_ref()?;
        let text = self.playground.text(file)?;
        let document = yaml::parse_first(text.as_bytes()).ok()??;
        let path = ["spec", "source", "kustomize", word(step.transformer)].map(|key| PathSeg::Key(key.into()));
        let (key, value) = yaml::span_of(&document, &path)?;
        let span = key.map_or(value, |key| key.join(value));
        Some(crate::place::of_text(file.clone(), &text, span.start as usize, span.end as usize))
    }

    /// The field in the file that the object was read from.
    fn in_file(&self, target: &Target, resource: Option<&Resource>, path: &[PathSeg]) -> Option<Place> {
        let text = self.places().text(&self.places().path(&target.file));
        let documents = yaml::parse(text.as_bytes()).ok()?;
        let first = resource.and_then(|resource| resource.names.first()).map(|name| name.to_string());
        let own = |object: &Json| {
            let name = object.text_at(&["metadata", "name"]);
            let wanted = first.as_deref().unwrap_or(target.object.text_at(&["metadata", "name"]));
            object.text_at(&["kind"]) == target.object.text_at(&["kind"]) && (name == wanted || wanted.is_empty())
        };
        let is_own = |document: &&yaml::Document| yaml::document_to_json(document).is_ok_and(|object| own(&object));
        let (key, value) = yaml::span_of(documents.iter().find(is_own)?, path)?;
        Some(Place::new(target.file.clone(), key.map_or(value, |key| key.join(value))))
    }
}

/// The field of a kustomization that asks for a step.
fn word(transformer: Transformer) -> &'static str {
    match transformer {
        Transformer::Namespace => "namespace",
        Transformer::NamePrefix => "namePrefix",
        Transformer::NameSuffix => "nameSuffix",
        Transformer::Labels => "labels",
        Transformer::Annotations => "commonAnnotations",
        Transformer::Replicas => "replicas",
        Transformer::Images => "images",
        Transformer::NameReference => "nameReference",
    }
}

/// A path as the build's history writes it: `spec/template/spec/containers/0/image`.
fn slashed(path: &[PathSeg]) -> String {
    let part = |seg: &PathSeg| match seg {
        PathSeg::Key(key) => key.to_string(),
        PathSeg::Index(index) => index.to_string(),
    };
    path.iter().map(part).collect::<Vec<_>>().join("/")
}
