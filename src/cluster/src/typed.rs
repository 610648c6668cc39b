//! Values of the wrong type in a request body, in the words of Go's JSON decoder.

use crate::schema::{Shape, Type, type_of};
use base::Json;

/// How deep bodies are looked at.
const DEPTH: usize = 64;
/// Names of the table that Go spells differently.
const GO_NAMES: &str = "LocalRef=LocalObjectReference LabelRequirement=LabelSelectorRequirement \
Resources=ResourceRequirements EnvFrom=EnvFromSource Exec=ExecAction HTTPGet=HTTPGetAction TCPSocket=TCPSocketAction \
GRPC=GRPCAction Handler=LifecycleHandler SELinux=SELinuxOptions Profile=SeccompProfile DNSConfig=PodDNSConfig \
DNSOption=PodDNSConfigOption TopologySpread=TopologySpreadConstraint ReadinessGate=PodReadinessGate \
SchedulingGate=PodSchedulingGate PreferredNode=PreferredSchedulingTerm WeightedPodAffinity=WeightedPodAffinityTerm \
IngressHTTP=HTTPIngressRuleValue IngressPath=HTTPIngressPath IngressService=IngressServiceBackend \
IngressPort=ServiceBackendPort BudgetSpec=PodDisruptionBudgetSpec AutoscalerSpec=HorizontalPodAutoscalerSpec \
ClaimSpec=PersistentVolumeClaimSpec NetworkPort=NetworkPolicyPort NetworkPeer=NetworkPolicyPeer \
QuotaSpec=ResourceQuotaSpec LimitItem=LimitRangeItem ScaleRef=CrossVersionObjectReference \
EmptyDir=EmptyDirVolumeSource HostPath=HostPathVolumeSource SecretVolume=SecretVolumeSource \
ConfigMapVolume=ConfigMapVolumeSource ClaimVolume=PersistentVolumeClaimVolumeSource NFS=NFSVolumeSource \
FieldRef=ObjectFieldSelector ResourceFieldRef=ResourceFieldSelector";
/// Whole numbers of 64 bits; the others have 32.
const LONG: &[&str] = &[
    "observedGeneration",
    "generation",
    "terminationGracePeriodSeconds",
    "activeDeadlineSeconds",
    "runAsUser",
    "runAsGroup",
    "fsGroup",
    "tolerationSeconds",
    "expirationSeconds",
    "startingDeadlineSeconds",
    "seconds",
];

/// The first value of a wrong type in an object of a built-in kind.
pub(crate) fn mismatch(kind: &str, body: &Json, fields: &Type) -> Option<String> {
    in_struct(kind, body, fields, None, 0)
}

/// Where a value stands: a field of a struct, within another place. Made into words only when they are needed.
struct Place<'a> {
    outer: Option<&'a Place<'a>>,
    holder: &'a str,
    key: &'a str,
}

impl Place<'_> {
    /// True for this field of an object itself.
    fn is(&self, holder: &str, key: &str) -> bool {
        self.outer.is_none() && self.holder == holder && self.key == key
    }

    /// `Container.spec.containers.image`.
    fn text(&self) -> String {
        let mut keys = vec![self.key];
        let mut at = self.outer;
        while let Some(place) = at {
            keys.push(place.key);
            at = place.outer;
        }
        keys.reverse();
        format!("{}.{}", go_name(self.holder), keys.join("."))
    }
}

fn in_struct(name: &str, value: &Json, fields: &Type, outer: Option<&Place<'_>>, depth: usize) -> Option<String> {
    if depth > DEPTH {
        return None;
    }
    value.as_map()?.iter().find_map(|(key, item)| {
        let field = fields.get(&**key)?;
        in_value(&Place { outer, holder: name, key }, item, &field.shape, depth)
    })
}

fn in_value(place: &Place<'_>, value: &Json, shape: &Shape, depth: usize) -> Option<String> {
    let key = place.key;
    let wrong = |value: &Json, wanted: &str| {
        let (what, holder) = (word(value, wanted), place.text());
        Some(format!("json: cannot unmarshal {what} into Go struct field {holder} of type {wanted}"))
    };
    match (shape, value) {
        (_, Json::Null) | (Shape::Any, _) => None,
        (Shape::Text, Json::Str(_)) | (Shape::Bool, Json::Bool(_)) => None,
        (Shape::Text, _) if key == "type" && go_name(place.holder) == "Secret" => wrong(value, "v1.SecretType"),
        (Shape::Text, _) => wrong(value, "string"),
        (Shape::Bool, _) => wrong(value, "bool"),
        (Shape::Int, value) => {
            let long = LONG.contains(&key);
            let fits = value.as_int().is_some_and(|n| long || i32::try_from(n).is_ok());
            if fits { None } else { wrong(value, if long { "int64" } else { "int32" }) }
        }
        (Shape::IntOrText, Json::Float(_)) => wrong(value, "int32"),
        (Shape::Quantities, Json::Map(members)) => members.iter().find_map(|(_, item)| quantity(item)),
        (Shape::Quantities, _) => wrong(value, "v1.ResourceList"),
        (Shape::Map { .. }, _) if place.is("ControllerRevision", "data") => None,
        (Shape::Map { .. }, Json::Map(members)) => {
            let bad = members.iter().map(|(_, item)| item).find(|item| !matches!(item, Json::Str(_) | Json::Null))?;
            let bytes = place.is("Secret", "data") || place.is("ConfigMap", "binaryData");
            wrong(bad, if bytes { "[]uint8" } else { "string" })
        }
        (Shape::Map { .. }, _) => wrong(value, "map[string]string"),
        (Shape::Struct { name, .. }, Json::Map(_)) => in_struct(name, value, type_of(name)?, Some(place), depth + 1),
        (Shape::Struct { name, .. }, _) => wrong(value, &format!("v1.{}", go_name(name))),
        (Shape::List { item, .. }, Json::List(items)) => items.iter().find_map(|x| in_value(place, x, item, depth + 1)),
        (Shape::List { item, .. }, _) => match &**item {
            Shape::Struct { name, .. } => wrong(value, &format!("[]v1.{}", go_name(name))),
            _ => wrong(value, "[]string"),
        },
        _ => None,
    }
}

fn go_name(name: &str) -> &str {
    let pairs = GO_NAMES.split_whitespace().filter_map(|pair| pair.split_once('='));
    let mut found = pairs.filter(|(own, _)| *own == name).map(|(_, go)| go);
    found.next().unwrap_or(name)
}

/// A JSON value's type as Go's decoder names it; a number that does not fit is shown.
fn word(value: &Json, wanted: &str) -> String {
    match value {
        Json::Str(_) => "string".into(),
        Json::Bool(_) => "bool".into(),
        Json::Int(_) | Json::Float(_) if wanted.starts_with("int") => format!("number {}", value.to_raw_text()),
        Json::Int(_) | Json::Float(_) => "number".into(),
        Json::List(_) => "array".into(),
        _ => "object".into(),
    }
}

/// What is wrong with a text that should be a quantity.
fn quantity(value: &Json) -> Option<String> {
    const WORDS: &str = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    let text = match value {
        Json::Int(_) | Json::Float(_) => return None,
        Json::Str(text) => &**text,
        Json::Null => return None,
        _ => return Some(WORDS.to_string()),
    };
    let body = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits = body.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
    let (number, unit) = body.split_at(digits);
    let exponent = unit.strip_prefix(['e', 'E']).is_some_and(|e| e.parse::<i32>().is_ok());
    const UNITS: &[&str] = &["", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    let good = number.bytes().any(|b| b.is_ascii_digit()) && number.matches('.').count() <= 1;
    (!good || !exponent && !UNITS.contains(&unit)).then(|| WORDS.to_string())
}
