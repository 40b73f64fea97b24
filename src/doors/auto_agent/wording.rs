//! The server's own words in the stream, in the language of the run.

use std::sync::Arc;

use crate::kernel::{FinishReason, Language};

/// Why a run that came to no end of its own is over.
pub(super) fn limit(reason: FinishReason, language: Language) -> Option<Arc<str>> {
    let (zh, en) = match reason {
        FinishReason::Completed => return None,
        FinishReason::MessageLimit => (
            "本次运行的消息数已达上限，以下是目前的结果",
            "the run holds as many messages as it may; the result is what it has so far",
        ),
        FinishReason::StepLimit => (
            "本次运行的步骤数已达上限，以下是目前的结果",
            "the run took as many steps as it may; the result is what it has so far",
        ),
        FinishReason::TurnLimit => (
            "智能体每一轮都在调用工具，轮数已达上限，以下是目前的结果",
            "the agent called tools in every turn that it had; the result is what it has so far",
        ),
    };
    Some(either(language, zh, en).into())
}

/// Why a text is not whole that its model's token limit cut.
pub(super) fn truncated(is_truncated: bool, language: Language) -> Option<Arc<str>> {
    let words =
        either(language, "回答达到模型的 token 上限，已被截断", "the answer was cut at the model's token limit");
    is_truncated.then(|| words.into())
}

/// What ends a run that somebody ended without a reason.
pub(super) fn cancelled(reason: &Arc<str>, language: Language) -> Arc<str> {
    match reason.trim().is_empty() {
        true => either(language, "运行已被取消", "the run was cancelled").into(),
        false => reason.clone(),
    }
}

fn either(language: Language, zh: &'static str, en: &'static str) -> &'static str {
    match language {
        Language::Zh => zh,
        Language::En => en,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_speaks_its_own_language() {
        assert_eq!(limit(FinishReason::Completed, Language::Zh), None);
        assert!(limit(FinishReason::StepLimit, Language::Zh).is_some_and(|words| words.contains("上限")));
        assert_eq!(&*cancelled(&"".into(), Language::Zh), "运行已被取消");
        assert_eq!(&*cancelled(&"enough".into(), Language::Zh), "enough");
    }
}
