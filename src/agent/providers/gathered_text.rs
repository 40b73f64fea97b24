//! Text of a response, shown once for all events that arrive together.

use std::future::poll_fn;
use std::pin::Pin;

use futures_util::Stream;

/// Collects the text of a response while more of it is ready, and shows the collected text before it waits for more. A
/// fast model sends many events in one packet. If each event were shown separately, each would wake every viewer.
pub(super) struct GatheredText<'a> {
    text: String,
    show: &'a mut (dyn FnMut(&str) + Send),
}

impl<'a> GatheredText<'a> {
    pub(super) fn new(show: &'a mut (dyn FnMut(&str) + Send)) -> Self {
        Self { text: String::new(), show }
    }

    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Returns the next item of the response; `None` at the end. Shows the collected text first if the item is not
    /// ready.
    pub(super) async fn next<S: Stream + ?Sized>(&mut self, mut items: Pin<&mut S>) -> Option<S::Item> {
        poll_fn(|cx| {
            let next = items.as_mut().poll_next(cx);
            if next.is_pending() {
                self.show();
            }
            next
        })
        .await
    }

    fn show(&mut self) {
        if !self.text.is_empty() {
            (self.show)(&self.text);
            self.text.clear();
        }
    }
}

/// Shows the remaining text, even if the response ends with an error, because the text received so far is kept.
impl Drop for GatheredText<'_> {
    fn drop(&mut self) {
        self.show();
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::Poll;

    use futures_util::stream;

    use super::*;

    #[tokio::test]
    async fn text_that_arrives_together_is_shown_once() {
        let mut arrivals = [Some("a"), Some("b"), None, Some("c"), None, None, Some("d"), Some("e")].into_iter();
        let mut items = pin!(stream::poll_fn(|cx| match arrivals.next() {
            Some(None) => {
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            arrival => Poll::Ready(arrival.flatten()),
        }));
        let mut shown = vec![];
        let mut show = |text: &str| shown.push(text.to_owned());
        let mut gathered = GatheredText::new(&mut show);
        while let Some(text) = gathered.next(items.as_mut()).await {
            gathered.push(text);
        }
        drop(gathered);
        assert_eq!(shown, ["ab", "c", "de"]);
    }
}
