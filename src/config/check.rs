//! Validates the values of settings.

use serde_json::Value as Schema;
use toml::Value;

use super::{Config, key, rights_templates};
use crate::kernel::MessageRequest;
use crate::network::TrustedProxies;
use crate::sign_in::ProxySignIn;
use crate::{bus, telemetry};

/// Checks that a value has the type of its setting and is within its range.
///
/// # Errors
/// Fails with a description of the accepted values.
pub(super) fn check_value(schema: &Schema, value: &Value) -> Result<(), String> {
    let (kind, number) = match value {
        Value::String(_) => ("string", None),
        #[allow(clippy::cast_precision_loss, reason = "the ranges of settings are far below 2^53")]
        Value::Integer(number) => ("integer", Some(*number as f64)),
        Value::Float(number) => ("number", Some(*number)),
        Value::Boolean(_) => ("boolean", None),
        Value::Array(_) => ("array", None),
        Value::Table(_) => ("object", None),
        Value::Datetime(_) => ("datetime", None),
    };
    let untyped = schema["type"].is_null();
    let whole = kind == "integer" && key::accepts_kind(schema, "number");
    if !untyped && !whole && !key::accepts_kind(schema, kind) {
        return Err(describe_accepted(schema));
    }
    let below = |bound: &str| schema[bound].as_f64().zip(number).is_some_and(|(bound, number)| number < bound);
    let above = |bound: &str| schema[bound].as_f64().zip(number).is_some_and(|(bound, number)| number > bound);
    if below("minimum") || above("maximum") || number.is_some_and(|number| !number.is_finite()) {
        return Err(format!("{value} is out of range; {}", describe_accepted(schema)));
    }
    match (value.as_str(), key::accepted_values(schema)) {
        (Some(word), Some(values)) if !values.contains(&word) => {
            Err(format!("{value} is not valid; use one of {}", values.join(", ")))
        }
        _ => Ok(()),
    }
}

/// Returns a description of the values that a setting accepts.
pub(super) fn describe_accepted(schema: &Schema) -> String {
    let range = match (schema["minimum"].as_f64(), schema["maximum"].as_f64()) {
        (Some(min), Some(max)) => format!(" from {min} to {max}"),
        (Some(least), None) => format!(" of at least {least}"),
        _ => String::new(),
    };
    let kinds = [
        ("integer", "a whole number"),
        ("number", "a number"),
        ("boolean", "true or false"),
        ("array", "a list"),
        ("object", "a table"),
        ("string", "a text"),
    ];
    let description = kinds
        .iter()
        .find(|(kind, _)| key::accepts_kind(schema, kind))
        .map_or("another value", |(_, description)| description);
    let example = schema["default"].as_str().filter(|text| !text.is_empty());
    let example = example.map_or_else(String::new, |text| format!(", like {text:?}"));
    format!("expected {description}{range}{example}")
}

/// Checks the formats of strings, and the constraints between settings. The schema cannot express either of them.
pub(super) fn check(config: &Config, errors: &mut Vec<String>) {
    let listens = [("listen", Some(&config.listen)), ("metrics_listen", config.metrics_listen.as_ref())];
    for (name, address) in listens.into_iter().filter_map(|(name, address)| Some((name, address?))) {
        let port = address.rsplit_once(':').and_then(|(host, port)| Some((host, port.parse::<u16>().ok()?)));
        if port.is_none_or(|(host, _)| host.is_empty()) {
            errors.push(format!(
                "{name}: {address:?} is not an address with a port; use for example 127.0.0.1:8080 or [::1]:8080"
            ));
        }
    }
    if let Some(url) = &config.public_url {
        let bare = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
        if bare.is_none_or(|rest| rest.is_empty() || rest.trim_end_matches('/').contains(['/', '?', '#', '@', ' '])) {
            errors.push(format!(
                "public_url: {url:?} is not valid; use https://name or http://name:port, without a path"
            ));
        }
    }
    for host in &config.allowed_hosts {
        if host.is_empty() || host.contains(['/', '@', ' ', '*']) {
            errors.push(format!("allowed_hosts: {host:?} is not a host name; use name or name:port"));
        }
    }
    for origin in &config.http.cors_origins {
        if let Err(error) = crate::network::check_origin_syntax(origin) {
            errors.push(format!("http.cors_origins: {error}"));
        }
    }
    if let Some(url) = &config.database_url
        && !["sqlite:", "postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme))
    {
        errors.push(
            "database_url: unknown kind of URL; use sqlite:path/to/file or postgres://user:password@host/name".into(),
        );
    }
    if config.database_file().is_some_and(|file| file.as_os_str().is_empty()) {
        errors.push("database_url: the path of the file is missing; use sqlite:path/to/file".into());
    }
    if let Some(Err(error)) = config.redis_url.as_deref().map(bus::redis::check_url) {
        errors.push(format!("redis_url: {error}"));
    }
    // Redis channel names contain the prefix in braces.
    if config.bus.prefix.is_empty() || config.bus.prefix.contains(|c: char| c.is_whitespace() || "{}".contains(c)) {
        errors.push(format!("bus.prefix: {:?} is not valid; use a word such as roundtable", config.bus.prefix));
    }
    let min_bytes = 6 * config.socket.max_text_bytes + MessageRequest::MAX_BYTES + 4096;
    if config.redis_url.is_some() && config.bus.max_message_bytes < min_bytes {
        errors.push(format!(
            "bus.max_message_bytes: {} is too small for a message of socket.max_text_bytes, {}, with its data, because JSON can \
             encode one byte as six; set it to {min_bytes} or more, or reduce socket.max_text_bytes",
            config.bus.max_message_bytes, config.socket.max_text_bytes
        ));
    }
    let (renew, lease) = (config.cluster.renew_ms, config.cluster.lease_ms);
    if renew > lease / 3 {
        let max_renew_ms = lease / 3;
        errors.push(format!(
            "cluster.renew_ms: {renew} is more than a third of cluster.lease_ms, {lease}, so one or two late renewals would \
             end the lease; set it to at most {max_renew_ms}"
        ));
    }
    if config.http.default_page_size > config.http.max_page_size {
        errors.push(format!(
            "http.default_page_size: {} is more than http.max_page_size, {}; reduce it",
            config.http.default_page_size, config.http.max_page_size
        ));
    }
    if let Err(error) = TrustedProxies::new(&config.http.trusted_proxies, config.http.forwarded_header) {
        errors.push(format!("http.trusted_proxies: {error}"));
    }
    if let Err(error) = ProxySignIn::new(&config.identity.proxy) {
        errors.push(format!("identity.proxy.{error}"));
    }
    if let Err(error) = config.oidc.check() {
        errors.push(format!("oidc.{error}"));
    }
    rights_templates::check(&config.rights_templates, config.sessions.rights_template.as_deref(), errors);
    for name in config.tools.code.bases.keys() {
        if name.is_empty() || name.contains(|c: char| c.is_control() || "/ `".contains(c)) {
            errors.push(format!("tools.code.bases: {name:?} is not a valid name; use a word such as server"));
        }
    }
    let search = config.tools.web_search.url.as_deref();
    if search.is_some_and(|url| !["http://", "https://"].iter().any(|scheme| url.starts_with(scheme))) {
        errors.push("tools.web_search.url: not a URL; use https://name or http://name:port, without /search".into());
    }
    for (name, server) in &config.tools.mcp {
        errors.extend(server.check(name).err().map(|error| format!("tools.mcp.{name}: {error}")));
    }
    let endpoint = config.log.otlp_endpoint.as_deref();
    if endpoint.is_some_and(|url| !["http://", "https://"].iter().any(|scheme| url.starts_with(scheme))) {
        errors.push("log.otlp_endpoint: not a URL; use for example http://host:4318, without /v1/traces".into());
    }
    if let Err(error) = telemetry::parse_filter(&config.log.filter) {
        errors.push(format!("log.filter: {error}"));
    }
}
