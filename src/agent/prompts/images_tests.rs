//! Images: accepted formats, token counts and limits.

use std::sync::Arc;

use super::*;
use crate::agent::Transcript;

/// Returns the header of a PNG of this size. The tests do not decode pixels.
fn png(width: u32, height: u32) -> Vec<u8> {
    let mut content = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
    content.extend(width.to_be_bytes());
    content.extend(height.to_be_bytes());
    content.extend([8, 6, 0, 0, 0]);
    content
}

fn gif(width: u16, height: u16) -> Vec<u8> {
    [b"GIF89a".as_slice(), &width.to_le_bytes(), &height.to_le_bytes(), &[0; 16]].concat()
}

fn jpeg(width: u16, height: u16) -> Vec<u8> {
    let app = [0xff, 0xd8, 0xff, 0xe0, 0, 16].iter().chain(b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0").copied();
    let size = [0xff, 0xc0, 0, 17, 8].into_iter().chain(height.to_be_bytes()).chain(width.to_be_bytes());
    app.chain(size).chain([3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]).chain([0; 32]).collect()
}

fn webp(width: u32, height: u32) -> Vec<u8> {
    let head = b"RIFF\x40\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0";
    [head.as_slice(), &(width - 1).to_le_bytes()[..3], &(height - 1).to_le_bytes()[..3], &[0; 32]].concat()
}

#[test]
fn four_kinds_are_read_and_know_their_size() {
    let table = [
        (png(640, 480), "image/png"),
        (gif(640, 480), "image/gif"),
        (jpeg(640, 480), "image/jpeg"),
        (webp(640, 480), "image/webp"),
    ];
    for (content, media) in table {
        let image = Image::new(&content).expect(media);
        assert_eq!((image.media_type(), image.width, image.height), (media, 640, 480));
        assert_eq!(Image::from_data_url(&image.data_url()), Ok(image));
    }
}

#[test]
fn the_bytes_say_what_it_is_and_not_the_url() {
    let url = format!("data:image/webp;base64,{}", STANDARD.encode(png(1, 1)));
    assert_eq!(Image::from_data_url(&url).expect("an image").media_type(), "image/png");
}

#[test]
fn files_other_than_images_are_rejected_with_a_reason() {
    let bmp = [b"BM".as_slice(), &[0; 64]].concat();
    for content in [b"".as_slice(), b"hello", b"<svg/>", &bmp, &png(0, 5), &png(5, 5)[..12]] {
        assert_eq!(Image::new(content), Err(ImageError::NotAnImage), "{content:?}");
    }
    for url in [
        "",
        "hello",
        "https://example.com/a.png",
        "data:image/png,abc",
        "data:text/plain;base64,aGk=",
        "data:image/png;base64,*",
    ] {
        assert_eq!(Image::from_data_url(url), Err(ImageError::NotADataUrl), "{url}");
    }
    let mut large = png(5, 5);
    large.resize(MAX_IMAGE_BYTES + 1, 0);
    assert_eq!(Image::new(&large), Err(ImageError::TooLarge));
    let url = format!("data:image/png;base64,{}", "A".repeat(MAX_IMAGE_BYTES * 2));
    assert_eq!(Image::from_data_url(&url), Err(ImageError::TooLarge));
    large.truncate(MAX_IMAGE_BYTES);
    assert!(Image::new(&large).is_ok_and(|image| image.base64().len() <= 5 * 1024 * 1024));
}

#[test]
fn tiles_are_counted_as_published() {
    let tiles = |width, height| Image::new(&png(width, height)).expect("an image").tiles();
    assert_eq!([tiles(1024, 1024), tiles(2048, 4096), tiles(512, 512), tiles(1, 1), tiles(513, 500)], [4, 6, 1, 1, 2]);
    assert_eq!(tiles(100_000, 1), 4);
}

#[test]
fn an_image_costs_too_much_rather_than_too_little() {
    let tokens = |model: &str, width, height| Image::new(&png(width, height)).expect("an image").tokens(model);
    assert_eq!(tokens("gpt-4o", 1024, 1024), 1_369, "37 × 37 patches are more than four tiles");
    assert_eq!(tokens("gpt-4o", 100, 100), 255);
    assert_eq!(tokens("claude-haiku-5-5", 1920, 1080), 69 * 39);
    assert_eq!(tokens("claude-haiku-5-5", u32::MAX, u32::MAX), MAX_PATCHES);
    assert_eq!(tokens("openai/gpt-4o-mini", 1024, 1024), 25_501);
}

#[test]
fn a_request_has_room_for_so_many_images() {
    let showing = |images: Vec<Image>| vec![ModelMessage::Transcript(Transcript { images, ..Transcript::default() })];
    let small = Image::new(&png(5, 5)).expect("an image");
    assert!(check_images(&showing(vec![small.clone(); MAX_IMAGES])).is_ok());
    let failure = check_images(&showing(vec![small; MAX_IMAGES + 1])).expect_err("too many");
    assert_eq!((&*failure.error.code, failure.retryable), ("context_too_large", false));
    let mut content = png(5, 5);
    content.resize(MAX_IMAGE_BYTES, 0);
    let large = Image::new(&content).expect("an image");
    assert!(check_images(&showing(vec![large.clone(); 4])).is_ok());
    assert!(check_images(&showing(vec![large.clone(); 5])).is_err());
    assert!(Arc::ptr_eq(&large.base64, &large.clone().base64), "an image is not copied");
}
