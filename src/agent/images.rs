//! Images for a model: checked once, when they are taken, and small enough to be sent again with every turn.

use std::{fmt, sync::Arc};

use base64::{Engine, engine::general_purpose::STANDARD};
use imagesize::ImageType;

use super::{Failure, Message};

/// Bytes of one image: five MiB when it is written in base64, which is what the strictest provider takes.
pub const IMAGE_BYTES: usize = 5 * 1024 * 1024 / 4 * 3;

/// Images of one request. Where there are more, Claude wants each of them smaller.
pub const IMAGES: usize = 20;

/// Bytes of a request's images together: a request may have 32 MB at Claude, written in base64.
pub const IMAGES_BYTES: usize = 16 * 1024 * 1024;

/// The most tokens that Claude's rule gives an image: larger ones are made smaller before the model sees them.
const MOST_PATCHES: u64 = 4_784;

/// An image that every provider can read.
#[derive(Clone, PartialEq, Eq)]
pub struct Image {
    media: &'static str,
    base64: Arc<str>,
    width: u64,
    height: u64,
}

/// Why something is no image for a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// It has another form.
    #[error("not a data URL in base64; accepted is data:image/png;base64,…")]
    NotADataUrl,
    /// It holds something else.
    #[error("not an image that models can read; accepted are PNG, JPEG, GIF and WebP")]
    NotAnImage,
    /// It is too large.
    #[error("the image is larger than {} KiB; make it smaller", IMAGE_BYTES / 1024)]
    TooLarge,
}

impl Image {
    /// The image in a file with this content. Its kind is what its first bytes say, whatever it was called.
    pub fn new(content: &[u8]) -> Result<Self, ImageError> {
        if content.len() > IMAGE_BYTES {
            return Err(ImageError::TooLarge);
        }
        let media = match imagesize::image_type(content).map_err(|_| ImageError::NotAnImage)? {
            ImageType::Png => "image/png",
            ImageType::Jpeg => "image/jpeg",
            ImageType::Gif => "image/gif",
            ImageType::Webp => "image/webp",
            _ => return Err(ImageError::NotAnImage),
        };
        let size = imagesize::blob_size(content).map_err(|_| ImageError::NotAnImage)?;
        if size.width == 0 || size.height == 0 {
            return Err(ImageError::NotAnImage);
        }
        let base64 = STANDARD.encode(content).into();
        Ok(Self { media, base64, width: size.width as u64, height: size.height as u64 })
    }

    /// The image in a data URL.
    pub fn from_data_url(url: &str) -> Result<Self, ImageError> {
        let (head, data) = url.split_once(',').ok_or(ImageError::NotADataUrl)?;
        if !head.starts_with("data:image/") || !head.ends_with(";base64") {
            return Err(ImageError::NotADataUrl);
        }
        if data.len() > IMAGE_BYTES / 3 * 4 {
            return Err(ImageError::TooLarge);
        }
        Self::new(&STANDARD.decode(data).map_err(|_| ImageError::NotADataUrl)?)
    }

    /// `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
    pub fn media_type(&self) -> &'static str {
        self.media
    }

    /// Its content.
    pub fn content(&self) -> Vec<u8> {
        // It was encoded here.
        STANDARD.decode(self.base64.as_bytes()).unwrap_or_default()
    }

    /// Its content in base64.
    pub fn base64(&self) -> &str {
        &self.base64
    }

    /// The data URL, as OpenAI's format wants it.
    pub fn data_url(&self) -> String {
        format!("data:{};base64,{}", self.media, self.base64)
    }

    /// About how many tokens it is for this model, too many rather than too few: by OpenAI's published tiles of 512
    /// pixels in high detail, or by Claude's patches of 28, whichever are more.
    pub fn tokens(&self, model: &str) -> u64 {
        let tiles = self.tiles();
        // The one model whose images cost as much as larger models', and therefore more of its cheaper tokens.
        if model.rsplit('/').next().is_some_and(|name| name.starts_with("gpt-4o-mini")) {
            return 2_833 + 5_667 * tiles;
        }
        let patches = self.width.div_ceil(28).saturating_mul(self.height.div_ceil(28)).min(MOST_PATCHES);
        patches.max(85 + 170 * tiles)
    }

    /// Squares of 512 pixels, once it fits into 2048 × 2048 and its shorter side has at most 768 pixels.
    fn tiles(&self) -> u64 {
        let (width, height) = (self.width as f64, self.height as f64);
        let shrink = (2048.0 / width.max(height)).min(1.0);
        let shrink = shrink * (768.0 / (width.min(height) * shrink)).min(1.0);
        let across = |side: f64| ((side * shrink).round() / 512.0).ceil().max(1.0) as u64;
        across(width) * across(height)
    }
}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Image({}, {}×{})", self.media, self.width, self.height)
    }
}

/// Whether the images of a conversation can be sent in one request.
pub(super) fn bounded(messages: &[Message]) -> Result<(), Failure> {
    let images = messages.iter().flat_map(Message::images);
    let (count, bytes) = images.fold((0, 0), |(count, bytes), image| (count + 1, bytes + image.base64.len() / 4 * 3));
    if count > IMAGES || bytes > IMAGES_BYTES {
        let most = IMAGES_BYTES / 1024 / 1024;
        return Err(Failure::context_too_large(format!(
            "{count} images are too many or too large for one turn, which takes {IMAGES} with {most} MiB together; leave \
             some out"
        )));
    }
    Ok(())
}

#[cfg(test)]
#[path = "images_tests.rs"]
mod tests;
