//! Media types of files, determined by content first, then by name. The sender's `Content-Type` is ignored.

/// Returns the media type of a file with this name and content.
pub(crate) fn media_type(name: &str, content: &[u8]) -> &'static str {
    match imagesize::image_type(content) {
        Ok(imagesize::ImageType::Png) => return "image/png",
        Ok(imagesize::ImageType::Jpeg) => return "image/jpeg",
        Ok(imagesize::ImageType::Gif) => return "image/gif",
        Ok(imagesize::ImageType::Webp) => return "image/webp",
        _ => {}
    }
    let named = mime_guess::from_path(name).first_raw().unwrap_or("application/octet-stream");
    let is_text = !content.contains(&0) && std::str::from_utf8(content).is_ok();
    match named {
        "application/json" | "image/svg+xml" if is_text => named,
        "text/xml" | "application/xml" if is_text => "application/xml",
        _ if is_text && named.starts_with("text/") => named,
        _ if is_text => "text/plain",
        // The name says that the file is text or an image, but the content is neither.
        _ if named.starts_with("text/") || named.starts_with("image/") => "application/octet-stream",
        _ => named,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_says_more_than_the_name() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0";
        for (name, content, kind) in [
            ("a.txt", png.as_slice(), "image/png"),
            ("a.png", b"<script>", "text/plain"),
            ("a.png", b"\x00\x01", "application/octet-stream"),
            ("a.md", "报告".as_bytes(), "text/markdown"),
            ("a.html", b"<p>", "text/html"),
            ("a.json", b"{}", "application/json"),
            ("a.rs", b"fn main() {}", "text/x-rust"),
            ("Makefile", b"all:", "text/plain"),
            ("a.pdf", b"%PDF\0", "application/pdf"),
            ("a", b"\xff\xfe", "application/octet-stream"),
        ] {
            assert_eq!(media_type(name, content), kind, "{name}");
        }
    }
}
