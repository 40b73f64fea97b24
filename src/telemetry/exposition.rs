//! Text formats of metrics: OpenMetrics, and the older one of Prometheus, selected by the `Accept` header.

/// Text format of metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exposition {
    /// OpenMetrics 1.0.
    OpenMetrics,
    /// The text format of Prometheus, version 0.0.4.
    Text,
}

impl Exposition {
    /// Returns the format that an `Accept` header prefers. Returns OpenMetrics only if the header names it.
    pub fn accepted(accept: &str) -> Self {
        let mut weights = [0.0_f32; 2];
        for range in accept.split(',') {
            let mut parts = range.split(';').map(str::trim);
            let at = match parts.next().unwrap_or_default().to_ascii_lowercase().as_str() {
                "application/openmetrics-text" => 0,
                "text/plain" | "text/*" => 1,
                _ => continue,
            };
            let weight = parts.find_map(|part| part.strip_prefix("q=")).map_or(Some(1.0), |weight| weight.parse().ok());
            weights[at] = weights[at].max(weight.unwrap_or(0.0));
        }
        if weights[0] > 0.0 && weights[0] >= weights[1] { Self::OpenMetrics } else { Self::Text }
    }

    /// Returns the value of `Content-Type`.
    pub fn content_type(self) -> &'static str {
        match self {
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
            Self::Text => "text/plain; version=0.0.4; charset=utf-8",
        }
    }

    /// Converts OpenMetrics text to this format.
    pub fn write(self, open_metrics: String) -> String {
        match self {
            Self::OpenMetrics => open_metrics,
            Self::Text => prometheus_text(&open_metrics),
        }
    }
}

/// Converts OpenMetrics text to the older format, which has no units and no end marker, and names a counter like its
/// samples.
fn prometheus_text(open_metrics: &str) -> String {
    let types = open_metrics.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    let counters: Vec<&str> = types.filter_map(|line| line.strip_suffix(" counter")).collect();
    let mut text = String::with_capacity(open_metrics.len());
    for line in open_metrics.lines() {
        if line == "# EOF" || line.starts_with("# UNIT ") {
            continue;
        }
        let comment = line.strip_prefix("# ").and_then(|rest| rest.split_once(' '));
        match comment.and_then(|(kind, rest)| Some((kind, rest.split_once(' ')?))) {
            Some((kind, (name, rest))) if counters.contains(&name) => {
                text.push_str(&format!("# {kind} {name}_total {rest}"));
            }
            _ => text.push_str(line),
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_is_what_the_reader_prefers() {
        use Exposition::{OpenMetrics, Text};
        let prometheus = "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,\
                          application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=0.0.4;q=0.2,*/*;q=0.1";
        let cases = [
            (prometheus, OpenMetrics),
            ("application/openmetrics-text", OpenMetrics),
            ("", Text),
            ("*/*", Text),
            ("text/plain", Text),
            ("text/plain;version=0.0.4;q=1,application/openmetrics-text;q=0.5", Text),
            ("application/openmetrics-text;q=0", Text),
            ("application/openmetrics-text;q=nonsense, */*", Text),
        ];
        for (accept, format) in cases {
            assert_eq!(Exposition::accepted(accept), format, "{accept}");
        }
    }

    #[test]
    fn the_older_format_calls_counters_by_their_samples() {
        let open = "# HELP a_b Things.\n# TYPE a_b counter\na_b_total{x=\"# TYPE\"} 1\n# HELP t_seconds Time.\n\
                    # TYPE t_seconds histogram\n# UNIT t_seconds seconds\nt_seconds_sum 0.5\n# EOF\n";
        let classic = "# HELP a_b_total Things.\n# TYPE a_b_total counter\na_b_total{x=\"# TYPE\"} 1\n\
                       # HELP t_seconds Time.\n# TYPE t_seconds histogram\nt_seconds_sum 0.5\n";
        assert_eq!(Exposition::Text.write(open.to_owned()), classic);
    }
}
