//! Upload and download of file contents.

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;

use crate::files::{ContentTooLargeError, FileRepository};
use crate::kernel::{File, ParticipantId, SessionId};
use crate::limits::RequestPermit;
use crate::protocol::{Code, Problem};

/// Content security policy for file contents: no scripts, frames or requests, so that a browser only displays a file.
pub(super) const FILE_CSP_VALUE: &str =
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

impl From<ContentTooLargeError> for Problem {
    fn from(error: ContentTooLargeError) -> Self {
        Self::too_large(error.to_string(), error.max_bytes)
    }
}

/// Reads the body of an upload, up to the maximum size of a file.
pub(crate) async fn receive(files: &FileRepository, who: ParticipantId, request: Request) -> Result<Bytes, Problem> {
    receive_checked(files, who, request, |bytes| files.check(bytes)).await
}

/// Reads the body of an upload that has its own size limit, which `check` enforces.
pub(super) async fn receive_checked(
    files: &FileRepository,
    who: ParticipantId,
    request: Request,
    check: impl Fn(usize) -> Result<(), ContentTooLargeError>,
) -> Result<Bytes, Problem> {
    let announced_len =
        request.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    check(announced_len.unwrap_or(0))?;
    let busy = || {
        let message = "too many concurrent uploads, in total or from you; retry later";
        Problem::new(Code::Busy, message).retry_after(1_000)
    };
    let _place = files.place(who).ok_or_else(busy)?;
    let request_place = request.extensions().get::<RequestPermit>().cloned();
    if let Some(place) = &request_place {
        place.pause();
    }
    let mut pieces = request.into_body().into_data_stream();
    // Do not reserve memory for the announced length, because content that never arrives would still take memory.
    let mut content = Vec::new();
    let read = async {
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(|_| Problem::new(Code::BadFrame, "the body is incomplete; send it again"))?;
            check(content.len() + piece.len())?;
            content.extend_from_slice(&piece);
        }
        Ok::<_, Problem>(Bytes::from(content))
    };
    let late =
        |_| Problem::new(Code::TimedOut, "the upload took longer than files.transfer_timeout_seconds; send it again");
    let content = tokio::time::timeout(files.settings().timeout(), read).await.map_err(late)??;
    if let Some(place) = &request_place {
        place.resume(None)?;
    }
    Ok(content)
}

/// Returns a response with a file's content: with `preview` for display, otherwise as a download. Fails for a `preview`
/// of a file that is neither text nor an image.
pub(super) fn file_response(
    files: &FileRepository,
    session: SessionId,
    file: &File,
    preview: bool,
    request_headers: &HeaderMap,
) -> Result<Response, Problem> {
    let kind = match preview {
        false => &*file.media_type,
        true if file.is_image() => &*file.media_type,
        true if file.is_text() => "text/plain; charset=utf-8",
        true => {
            return Err(Problem::new(Code::InvalidArgument, "only texts and images have a preview; download the file"));
        }
    };
    // A weak tag, because the response can be compressed later.
    let tag = format!("W/\"{}\"", file.digest);
    let known = request_headers.get(header::IF_NONE_MATCH).and_then(|tags| tags.to_str().ok());
    let is_known = known.is_some_and(|tags| tags.contains(&*file.digest));
    let mut response = match is_known {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => Body::from_stream(files.stream(session, file)).into_response(),
    };
    let headers = response.headers_mut();
    let mut set = |name, value: &str| {
        headers.insert(name, HeaderValue::from_str(value).map_err(Problem::internal)?);
        Ok::<(), Problem>(())
    };
    set(header::ETAG, &tag)?;
    set(header::CACHE_CONTROL, "private, no-cache")?;
    set(header::CONTENT_SECURITY_POLICY, FILE_CSP_VALUE)?;
    if !is_known {
        set(header::CONTENT_TYPE, kind)?;
        set(header::CONTENT_LENGTH, &file.bytes.to_string())?;
        set(header::CONTENT_DISPOSITION, &disposition(&file.name, preview))?;
    }
    Ok(response)
}

/// Returns `Content-Disposition` with the name of the file. The first name is in ASCII, for programs that do not
/// support the second one, which is in UTF-8.
fn disposition(name: &str, preview: bool) -> String {
    let how = if preview { "inline" } else { "attachment" };
    let plain = |c: char| if c.is_ascii_alphanumeric() || " -_.".contains(c) { c } else { '_' };
    let plain: String = name.chars().map(plain).collect();
    let mut whole = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => whole.push(char::from(byte)),
            _ => whole.push_str(&format!("%{byte:02X}")),
        }
    }
    format!("{how}; filename=\"{plain}\"; filename*=UTF-8''{whole}")
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_name_cannot_break_out_of_its_header() {
        let header = super::disposition("报告 \"a\".md", false);
        assert_eq!(header, "attachment; filename=\"__ _a_.md\"; filename*=UTF-8''%E6%8A%A5%E5%91%8A%20%22a%22.md");
    }
}
