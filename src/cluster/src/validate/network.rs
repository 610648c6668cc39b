//! Rules of network policies and ingresses. Mirrors the API server's networking validation.

use super::container::{port, port_name};
use super::{LABEL, selector};
use crate::metadata;
use crate::status::Cause;
use base::Json;
use std::net::IpAddr;

type Causes = Vec<Cause>;

const CIDR: &str = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

/// An address range as numbers; `None` when it is none.
pub(super) fn range(text: &str) -> Option<(IpAddr, u32)> {
    let (address, bits) = text.split_once('/')?;
    let address: IpAddr = address.parse().ok()?;
    let bits: u32 = bits.parse().ok()?;
    (bits <= if address.is_ipv4() { 32 } else { 128 }).then_some((address, bits))
}

/// A network policy.
pub(super) fn policy(object: &Json, causes: &mut Causes) {
    let spec = object.get("spec").unwrap_or(&Json::Null);
    selector(spec.get("podSelector"), "spec.podSelector", causes);
    for (which, peers) in [("ingress", "from"), ("egress", "to")] {
        for (i, rule) in spec.items_at(&[which]).iter().enumerate() {
            let at = format!("spec.{which}[{i}]");
            for (j, one) in rule.items_at(&["ports"]).iter().enumerate() {
                let at = format!("{at}.ports[{j}]");
                port(one.get("port"), &format!("{at}.port"), causes);
                if let Some(end) = one.int_at(&["endPort"]) {
                    match one.get("port") {
                        Some(Json::Str(_)) => {
                            let words = "may not be specified when `port` is non-numeric";
                            causes.push(Cause::invalid(format!("{at}.endPort"), &Json::Int(end), words));
                        }
                        Some(Json::Int(start)) if end < *start => {
                            let words = "must be greater than or equal to `port`";
                            causes.push(Cause::invalid(format!("{at}.endPort"), &Json::Int(*start), words));
                        }
                        Some(_) => {}
                        None => {
                            let words = "may not be specified when `port` is not specified";
                            causes.push(Cause::invalid(format!("{at}.endPort"), &Json::Int(end), words));
                        }
                    }
                }
            }
            for (j, peer) in rule.items_at(&[peers]).iter().enumerate() {
                network_peer(peer, &format!("{at}.{peers}[{j}]"), causes);
            }
        }
    }
    let types = spec.get("policyTypes").unwrap_or(&Json::Null);
    let list = types.as_list().unwrap_or(&[]);
    if list.len() > 2 {
        causes.push(Cause::invalid("spec.policyTypes", types, "may not specify more than two policyTypes"));
        return;
    }
    for (i, one) in list.iter().enumerate() {
        if !matches!(one.as_str(), Some("Ingress" | "Egress")) {
            causes.push(Cause::not_supported(format!("spec.policyTypes[{i}]"), one, &["Ingress", "Egress"]));
        }
    }
}

fn network_peer(peer: &Json, at: &str, causes: &mut Causes) {
    let mut count = 0;
    for key in ["podSelector", "namespaceSelector"] {
        if let Some(one) = peer.get(key) {
            count += 1;
            selector(Some(one), &format!("{at}.{key}"), causes);
        }
    }
    if let Some(block) = peer.get("ipBlock") {
        let text = block.text_at(&["cidr"]);
        let field = format!("{at}.ipBlock.cidr");
        let outer = range(text);
        if text.is_empty() {
            causes.push(Cause::required(field, ""));
        } else if outer.is_none() {
            causes.push(Cause::invalid(field, &Json::str(text), CIDR));
        }
        for (i, except) in block.items_at(&["except"]).iter().enumerate() {
            let field = format!("{at}.ipBlock.except[{i}]");
            let inner = except.as_str().and_then(range);
            match (outer, inner) {
                (_, None) => causes.push(Cause::invalid(field, except, CIDR)),
                (Some(outer), Some(inner)) if !strictly_inside(inner, outer) => {
                    causes.push(Cause::invalid(field, except, "must be a strict subset of `cidr`"));
                }
                _ => {}
            }
        }
        if count > 0 {
            causes.push(Cause::forbidden(at, "may not specify both ipBlock and another peer"));
        }
        count += 1;
    }
    if count == 0 {
        causes.push(Cause::required(at, "must specify a peer"));
    }
}

fn strictly_inside(inner: (IpAddr, u32), outer: (IpAddr, u32)) -> bool {
    let bits = |address: IpAddr| match address {
        IpAddr::V4(four) => (u128::from(u32::from(four)) << 96, true),
        IpAddr::V6(six) => (u128::from(six), false),
    };
    let ((a, four), (b, other)) = (bits(inner.0), bits(outer.0));
    let mask = if outer.1 == 0 { 0 } else { u128::MAX << (128 - outer.1.min(128)) };
    four == other && a & mask == b & mask && inner.1 > outer.1
}

/// An ingress.
pub(super) fn ingress(object: &Json, causes: &mut Causes) {
    let spec = object.get("spec").unwrap_or(&Json::Null);
    let rules = spec.items_at(&["rules"]);
    let backend = spec.get("defaultBackend");
    if rules.is_empty() && backend.is_none() {
        let words = "either `defaultBackend` or `rules` must be specified";
        causes.push(Cause::invalid("spec", spec.get("rules").unwrap_or(&Json::Null), words));
    }
    for (i, tls) in spec.items_at(&["tls"]).iter().enumerate() {
        for (j, host) in tls.items_at(&["hosts"]).iter().enumerate() {
            ingress_host(host.as_str().unwrap_or(""), &format!("spec.tls[{i}].hosts[{j}]"), causes);
        }
    }
    for (i, rule) in rules.iter().enumerate() {
        let at = format!("spec.rules[{i}]");
        let host = rule.text_at(&["host"]);
        if host.parse::<IpAddr>().is_ok() {
            let words = "must be a DNS name, not an IP address";
            causes.push(Cause::invalid(format!("{at}.host"), &Json::str(host), words));
        } else if !host.is_empty() {
            ingress_host(host, &format!("{at}.host"), causes);
        }
        let Some(http) = rule.get("http") else { continue };
        let paths = http.items_at(&["paths"]);
        if paths.is_empty() {
            causes.push(Cause::required(format!("{at}.http.paths"), ""));
        }
        for (j, path) in paths.iter().enumerate() {
            ingress_path(path, &format!("{at}.http.paths[{j}]"), causes);
        }
    }
    if let Some(backend) = backend {
        ingress_backend(backend, "spec.defaultBackend", causes);
    }
    let class = spec.text_at(&["ingressClassName"]);
    if !class.is_empty() {
        metadata::subdomain(class, "spec.ingressClassName", causes);
    }
}

const WILDCARD: &str = "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

fn ingress_host(host: &str, field: &str, causes: &mut Causes) {
    if host.contains('*') {
        let good = host.strip_prefix("*.").is_some_and(|rest| rest.split('.').all(metadata::is_label));
        if !good {
            causes.push(Cause::invalid(field, &Json::str(host), WILDCARD));
        }
        return;
    }
    metadata::subdomain(host, field, causes);
}

fn ingress_path(path: &Json, at: &str, causes: &mut Causes) {
    let text = path.text_at(&["path"]);
    match path.get("pathType").and_then(Json::as_str) {
        None => causes.push(Cause::required(format!("{at}.pathType"), "pathType must be specified")),
        Some("Exact" | "Prefix") => {
            if !text.starts_with('/') {
                causes.push(Cause::invalid(format!("{at}.path"), &Json::str(text), "must be an absolute path"));
            }
            for part in ["//", "/./", "/../", "%2f", "%2F"] {
                if text.contains(part) {
                    let words = format!("must not contain '{part}'");
                    causes.push(Cause::invalid(format!("{at}.path"), &Json::str(text), &words));
                }
            }
            for end in ["/..", "/."] {
                if text.ends_with(end) {
                    let words = format!("cannot end with '{end}'");
                    causes.push(Cause::invalid(format!("{at}.path"), &Json::str(text), &words));
                }
            }
        }
        Some("ImplementationSpecific") => {
            if !text.is_empty() && !text.starts_with('/') {
                causes.push(Cause::invalid(format!("{at}.path"), &Json::str(text), "must be an absolute path"));
            }
        }
        Some(other) => {
            let known = ["Exact", "ImplementationSpecific", "Prefix"];
            causes.push(Cause::not_supported(format!("{at}.pathType"), &Json::str(other), &known));
        }
    }
    ingress_backend(path.get("backend").unwrap_or(&Json::Null), &format!("{at}.backend"), causes);
}

fn ingress_backend(backend: &Json, at: &str, causes: &mut Causes) {
    let (service, resource) = (backend.get("service"), backend.get("resource"));
    match (service, resource) {
        (Some(_), Some(_)) => {
            causes.push(Cause::invalid(at, &"".into(), "cannot set both resource and service backends"));
        }
        (None, None) => {
            causes.push(Cause::invalid(at, &"".into(), "resource or service backend is required"));
        }
        (Some(service), None) => {
            let name = service.text_at(&["name"]);
            if name.is_empty() {
                causes.push(Cause::required(format!("{at}.service.name"), ""));
            } else if !metadata::is_label(name) {
                causes.push(Cause::invalid(format!("{at}.service.name"), &Json::str(name), LABEL));
            }
            let (named, number) =
                (service.text_at(&["port", "name"]), service.int_at(&["port", "number"]).unwrap_or(0));
            match (named.is_empty(), number) {
                (false, n) if n != 0 => {
                    let words = "cannot set both port name & port number";
                    causes.push(Cause::invalid(at, &"".into(), words));
                }
                (false, _) => port_name(named, &format!("{at}.service.port.name"), causes),
                (true, 0) => causes.push(Cause::required(at, "port name or number is required")),
                (true, number) if !(1..=65_535).contains(&number) => {
                    let words = "must be between 1 and 65535, inclusive";
                    causes.push(Cause::invalid(format!("{at}.service.port.number"), &Json::Int(number), words));
                }
                _ => {}
            }
        }
        (None, Some(_)) => {}
    }
}
