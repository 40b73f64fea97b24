//! Fixed texts in the stream, in the language of the run.

use std::sync::Arc;

use crate::doors::wording::either;
use crate::kernel::{FinishReason, Language, is_blank};

/// Returns the reason why a run ended at a limit, or `None` if it completed.
pub(super) fn limit_text(reason: FinishReason, language: Language) -> Option<Arc<str>> {
    let (zh, en) = match reason {
        FinishReason::Completed => return None,
        FinishReason::MessageLimit => (
            "本次运行的消息数已达上限，以下是目前的结果",
            "the run reached its message limit; this is the result so far",
        ),
        FinishReason::StepLimit => {
            ("本次运行的步骤数已达上限，以下是目前的结果", "the run reached its step limit; this is the result so far")
        }
        FinishReason::TurnLimit => (
            "智能体每一轮都在调用工具，轮数已达上限，以下是目前的结果",
            "the agent reached its turn limit while calling tools; this is the result so far",
        ),
        FinishReason::Budget => {
            ("会话的预算已用完，以下是目前的结果", "the session's budget is spent; this is the result so far")
        }
    };
    Some(either(language, zh, en).into())
}

/// Returns the error message for text that was cut at the token limit, or `None` if the text was not cut.
pub(super) fn truncated_text(is_truncated: bool, language: Language) -> Option<Arc<str>> {
    let text =
        either(language, "回答达到模型的 token 上限，已被截断", "the response was cut at the model's token limit");
    is_truncated.then(|| text.into())
}

/// Returns the reason for a cancellation, or a default text if no reason was given.
pub(super) fn cancelled_text(reason: &Arc<str>, language: Language) -> Arc<str> {
    match is_blank(reason) {
        true => either(language, "运行已被取消", "the run was cancelled").into(),
        false => reason.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_speaks_its_own_language() {
        assert_eq!(limit_text(FinishReason::Completed, Language::Zh), None);
        assert!(limit_text(FinishReason::StepLimit, Language::Zh).is_some_and(|text| text.contains("上限")));
        assert_eq!(&*cancelled_text(&"".into(), Language::Zh), "运行已被取消");
        assert_eq!(&*cancelled_text(&"enough".into(), Language::Zh), "enough");
    }
}
