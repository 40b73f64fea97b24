//! Client for the JSON API of the operator's SearXNG service.

use std::time::Duration;

use reqwest::{StatusCode, Url};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::WebSearchSettings;
use crate::http_client;
use crate::kernel::{MAX_QUERY_CHARS, is_query};
use crate::tool::ToolError;

/// A search query.
pub(super) struct SearxngQuery<'a> {
    pub(super) query: &'a str,
    pub(super) time_range: Option<TimeRange>,
    /// The page of results, counted from 1.
    pub(super) page: Option<u32>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum TimeRange {
    Day,
    Month,
    Year,
}

/// Response of SearXNG, reduced to the fields used here. The engines of SearXNG decide which fields a result has.
#[derive(Deserialize)]
pub(super) struct SearxngResponse {
    #[serde(default)]
    pub(super) results: Vec<SearxngHit>,
    /// Direct answers: strings in older versions of SearXNG, objects with an `answer` in newer ones.
    #[serde(default)]
    pub(super) answers: Vec<Value>,
    /// Pairs of an engine that failed and its error.
    #[serde(default)]
    pub(super) unresponsive_engines: Vec<Value>,
}

#[derive(Deserialize)]
pub(super) struct SearxngHit {
    pub(super) url: Option<String>,
    pub(super) title: Option<String>,
    pub(super) content: Option<String>,
    #[serde(rename = "publishedDate")]
    pub(super) published: Option<String>,
}

/// Client of the search service.
#[derive(Clone)]
pub(super) struct Searxng {
    settings: WebSearchSettings,
    search: Url,
    http: reqwest::Client,
}

impl Searxng {
    /// Returns a client of the service at this URL.
    ///
    /// # Errors
    /// Fails with the reason if the URL is invalid or the HTTP client cannot be created.
    pub(super) fn new(settings: &WebSearchSettings, url: &str) -> Result<Self, String> {
        let search = Url::parse(&format!("{}/search", url.trim_end_matches('/'))).map_err(|error| error.to_string())?;
        let time = Duration::from_secs(settings.timeout_seconds);
        let http = http_client::client(&search).timeout(time).build().map_err(|error| error.to_string())?;
        Ok(Self { settings: settings.clone(), search, http })
    }

    pub(super) fn settings(&self) -> &WebSearchSettings {
        &self.settings
    }

    fn address(&self, query: &SearxngQuery) -> Url {
        let mut url = self.search.clone();
        let mut fields = url.query_pairs_mut();
        fields.append_pair("q", query.query).append_pair("format", "json");
        if !self.settings.language.is_empty() {
            fields.append_pair("language", &self.settings.language);
        }
        if let Some(range) = query.time_range {
            fields.append_pair("time_range", range.as_str());
        }
        if let Some(page) = query.page {
            fields.append_pair("pageno", &page.max(1).to_string());
        }
        drop(fields);
        url
    }

    /// Sends a query and returns the response.
    pub(super) async fn ask(&self, query: &SearxngQuery<'_>) -> Result<SearxngResponse, ToolError> {
        if !is_query(query.query) {
            return Err(ToolError::new(
                "arguments_invalid",
                format!("the query is empty or too long; use 1 to {MAX_QUERY_CHARS} characters"),
            ));
        }
        let mut response = self.http.get(self.address(query)).send().await.map_err(|error| self.unreachable(error))?;
        if !response.status().is_success() {
            return Err(status_error(response.status()));
        }
        let mut body = vec![];
        while let Some(piece) = response.chunk().await.map_err(|error| self.unreachable(error))? {
            body.extend_from_slice(&piece);
            if body.len() > self.settings.max_response_bytes {
                let message = "the response of the search service is too large; use a more specific query";
                return Err(ToolError::new("too_large", message));
            }
        }
        let no_json = |_| ToolError::new("tool_failed", "the search service did not return JSON of SearXNG");
        serde_json::from_slice(&body).map_err(no_json)
    }

    /// Returns an error without the URL, which can contain a password.
    fn unreachable(&self, error: reqwest::Error) -> ToolError {
        let failure = if error.is_timeout() {
            let message =
                format!("the search service timed out after {} s; continue without it", self.settings.timeout_seconds);
            ToolError::new("tool_timed_out", message)
        } else {
            ToolError::new("tool_unavailable", "the search service cannot be reached; continue without it")
        };
        failure.caused_by(error.without_url())
    }
}

impl TimeRange {
    fn as_str(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Month => "month",
            Self::Year => "year",
        }
    }
}

fn status_error(status: StatusCode) -> ToolError {
    let message = match status {
        StatusCode::FORBIDDEN => {
            "the search service does not return JSON; its operator must add `json` to search.formats in settings.yml"
                .into()
        }
        StatusCode::TOO_MANY_REQUESTS => {
            "the search service was asked too often; continue without it for a while".into()
        }
        _ => format!("the search service returned status {}; continue without it", status.as_u16()),
    };
    ToolError::new("tool_unavailable", message).caused_by(format!("HTTP status {}", status.as_u16()))
}
