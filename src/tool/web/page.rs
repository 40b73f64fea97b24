//! Opens pages that a search found, by default only at public addresses, with limits on bytes and time, and reads them
//! as text.

use std::sync::Arc;
use std::time::Duration;

use encoding_rs::{Encoding, UTF_8};
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::redirect::Policy;
use reqwest::{Response, Url};

use super::WebSearchSettings;
use super::html_text::{PageText, page_text};
use super::public_address::{PublicResolver, is_allowed};

/// Maximum number of redirects that are followed, enough for a URL shortener, then https, then `www`.
const MAX_REDIRECTS: usize = 5;

/// Number of bytes at the beginning of a page in which it can declare its encoding (HTML, section 4.2.5.4).
const PRESCAN_BYTES: usize = 1024;

/// Opens pages, without sending cookies or a referrer.
#[derive(Clone)]
pub(super) struct PageReader {
    http: reqwest::Client,
    bytes: usize,
    private: bool,
}

impl PageReader {
    /// Returns a reader with these limits.
    ///
    /// # Errors
    /// Fails with the reason if the HTTP client cannot be created.
    pub(super) fn new(settings: &WebSearchSettings) -> Result<Self, String> {
        // reqwest uses the process-wide cryptography provider. Installing it a second time changes nothing.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let private = settings.private_addresses;
        let redirects = Policy::custom(move |attempt| {
            match attempt.previous().len() <= MAX_REDIRECTS && is_allowed(attempt.url(), private) {
                true => attempt.follow(),
                false => attempt.stop(),
            }
        });
        let mut http = reqwest::Client::builder()
            .redirect(redirects)
            .referer(false)
            .timeout(Duration::from_secs(settings.timeout_seconds))
            .user_agent(concat!("roundtable/", env!("CARGO_PKG_VERSION")));
        http = match private {
            // A proxy for the public internet cannot reach an intranet.
            true => http.no_proxy(),
            false => http.dns_resolver(Arc::new(PublicResolver)),
        };
        let http = http.build().map_err(|error| error.to_string())?;
        Ok(Self { http, bytes: settings.max_response_bytes, private })
    }

    /// Reads the page at this URL.
    ///
    /// # Errors
    /// Fails with the reason, for agents, if the page cannot be read.
    pub(super) async fn read(&self, url: &str) -> Result<PageText, String> {
        let url = Url::parse(url).map_err(|_| "its URL is not valid".to_owned())?;
        if !is_allowed(&url, self.private) {
            return Err("its URL is not on the public web".into());
        }
        let request = self.http.get(url).header(ACCEPT, "text/html, text/plain;q=0.9, application/json;q=0.5");
        let response = request.send().await.map_err(|error| fetch_error(&error))?;
        let status = response.status();
        if !status.is_success() {
            return Err(format!("the server returned status {}", status.as_u16()));
        }
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or("text/html");
        let kind = kind.to_ascii_lowercase();
        let is_html = kind.starts_with("text/html") || kind.starts_with("application/xhtml");
        if !is_html && !kind.starts_with("text/") && !kind.starts_with("application/json") {
            return Err(format!("it is not text but {}", super::excerpt(&kind, 60)));
        }
        let body = self.body(response).await?;
        let text = encoding(&kind, &body).decode(&body).0.into_owned();
        if !is_html {
            return Ok(PageText { title: String::new(), text });
        }
        tokio::task::spawn_blocking(move || page_text(&text)).await.map_err(|_| "it cannot be read".into())
    }

    /// Reads the body, up to the limit for a page.
    async fn body(&self, mut response: Response) -> Result<Vec<u8>, String> {
        let mut body = vec![];
        while let Some(piece) = response.chunk().await.map_err(|error| fetch_error(&error))? {
            body.extend_from_slice(&piece[..piece.len().min(self.bytes - body.len())]);
            if body.len() >= self.bytes {
                break;
            }
        }
        Ok(body)
    }
}

fn fetch_error(error: &reqwest::Error) -> String {
    if error.is_timeout() { "it timed out".into() } else { "it cannot be reached".into() }
}

/// Returns the encoding of a page: from the header, otherwise from the beginning of the page, otherwise UTF-8.
fn encoding(kind: &str, body: &[u8]) -> &'static Encoding {
    let start = String::from_utf8_lossy(&body[..body.len().min(PRESCAN_BYTES)]).to_ascii_lowercase();
    let named = |text: &str| {
        let label = text.split_once("charset=")?.1.trim_start_matches(['"', '\'', ' ']);
        let label = label.split(|end: char| !(end.is_ascii_alphanumeric() || "-_:.".contains(end))).next()?;
        Encoding::for_label(label.as_bytes())
    };
    named(kind).or_else(|| named(&start)).unwrap_or(UTF_8)
}

#[cfg(test)]
mod tests {
    use encoding_rs::{GBK, WINDOWS_1252};

    use super::*;

    #[test]
    fn a_page_says_how_it_is_encoded() {
        assert_eq!(encoding("text/html; charset=gb2312", b""), GBK);
        assert_eq!(encoding("text/html", b"<html><head><meta charset=\"GBK\">"), GBK);
        assert_eq!(encoding("text/html", b"<meta content='text/html; charset=iso-8859-1'>"), WINDOWS_1252);
        assert_eq!(encoding("text/html; charset=nonsense", b""), UTF_8);
    }
}
