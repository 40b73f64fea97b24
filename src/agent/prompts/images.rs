//! Images for a model. They are checked once, when they arrive, and are small enough to be sent again with every turn.

use std::{fmt, sync::Arc};

use base64::{Engine, engine::general_purpose::STANDARD};
use imagesize::ImageType;

use crate::agent::{ModelMessage, TurnError};

/// Maximum size of an image, in bytes: 5 MiB in base64, the limit of the strictest provider.
pub const MAX_IMAGE_BYTES: usize = 5 * 1024 * 1024 / 4 * 3;

/// Maximum number of images in one request. If a request has more images, Claude requires each of them to be smaller.
pub const MAX_IMAGES: usize = 20;

/// Maximum total size of a request's images, in bytes. Claude accepts requests of up to 32 MB, in base64.
pub const MAX_TOTAL_IMAGE_BYTES: usize = 16 * 1024 * 1024;

/// Maximum number of tokens per image for Claude, which scales larger images down.
const MAX_PATCHES: u64 = 4_784;

/// An image in a format that every provider reads.
#[derive(Clone, PartialEq, Eq)]
pub struct Image {
    media: &'static str,
    base64: Arc<str>,
    width: u64,
    height: u64,
}

/// Reason that an image is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// The string is not a data URL in base64.
    #[error("not a data URL in base64; use data:image/png;base64,…")]
    NotADataUrl,
    /// The content is not PNG, JPEG, GIF or WebP.
    #[error("not an image that models can read; use PNG, JPEG, GIF or WebP")]
    NotAnImage,
    /// The image has more than [`MAX_IMAGE_BYTES`] bytes.
    #[error("the image is larger than {} KiB; scale it down", MAX_IMAGE_BYTES / 1024)]
    TooLarge,
}

impl Image {
    /// Reads an image from a file's content. The first bytes, not the file name, determine its type.
    ///
    /// # Errors
    /// Fails if the content is too large or is not a supported image.
    pub fn new(content: &[u8]) -> Result<Self, ImageError> {
        if content.len() > MAX_IMAGE_BYTES {
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

    /// Reads an image from a data URL.
    ///
    /// # Errors
    /// Fails if the string is not a data URL in base64, or if its content is too large or is not a supported image.
    pub fn from_data_url(url: &str) -> Result<Self, ImageError> {
        let (head, data) = url.split_once(',').ok_or(ImageError::NotADataUrl)?;
        if !head.starts_with("data:image/") || !head.ends_with(";base64") {
            return Err(ImageError::NotADataUrl);
        }
        if data.len() > MAX_IMAGE_BYTES / 3 * 4 {
            return Err(ImageError::TooLarge);
        }
        Self::new(&STANDARD.decode(data).map_err(|_| ImageError::NotADataUrl)?)
    }

    /// Media type: `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
    pub fn media_type(&self) -> &'static str {
        self.media
    }

    /// Returns the decoded content.
    pub fn content(&self) -> Vec<u8> {
        STANDARD.decode(self.base64.as_bytes()).expect("`new` encoded it")
    }

    /// Returns the content in base64.
    pub fn base64(&self) -> &str {
        &self.base64
    }

    /// Returns the image as a data URL, as OpenAI's API expects it.
    pub fn data_url(&self) -> String {
        format!("data:{};base64,{}", self.media, self.base64)
    }

    /// Estimates the image's tokens for this model, too high rather than too low: the larger of OpenAI's published rule
    /// (tiles of 512 pixels in high detail) and Claude's rule (patches of 28 pixels).
    pub fn tokens(&self, model: &str) -> u64 {
        let tiles = self.tiles();
        // An image costs as much with this model as with larger models. Because the model's tokens are cheaper, an
        // image counts as more tokens.
        if model.rsplit('/').next().is_some_and(|name| name.starts_with("gpt-4o-mini")) {
            return 2_833 + 5_667 * tiles;
        }
        let patches = self.width.div_ceil(28).saturating_mul(self.height.div_ceil(28)).min(MAX_PATCHES);
        patches.max(85 + 170 * tiles)
    }

    /// Returns the number of tiles of 512 × 512 pixels after the image is scaled down to at most 2048 × 2048 pixels and
    /// a shorter side of at most 768 pixels.
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

/// Checks that the images of a conversation fit into one request.
pub(crate) fn check_images(messages: &[ModelMessage]) -> Result<(), TurnError> {
    let images = messages.iter().flat_map(ModelMessage::images);
    let (count, bytes) = images.fold((0, 0), |(count, bytes), image| (count + 1, bytes + image.base64.len() / 4 * 3));
    if count > MAX_IMAGES || bytes > MAX_TOTAL_IMAGE_BYTES {
        let max_mib = MAX_TOTAL_IMAGE_BYTES / 1024 / 1024;
        return Err(TurnError::context_too_large(format!(
            "{count} images are too many or too large for one turn (at most {MAX_IMAGES} images, {max_mib} MiB in total); \
             remove some"
        )));
    }
    Ok(())
}

#[cfg(test)]
#[path = "images_tests.rs"]
mod tests;
