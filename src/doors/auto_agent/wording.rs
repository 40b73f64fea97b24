//! The server's own words in the stream, in the language of the run.

use std::sync::Arc;

use crate::kernel::{FinishReason, Language, StepError};

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

/// Why a run has failed. What has no words in the run's language is told as the log has it.
pub(super) fn failure(error: &StepError, language: Language) -> Arc<str> {
    let zh = match &*error.code {
        "model_unauthorized" => "模型服务拒绝了密钥，请联系管理员检查 API 密钥",
        "model_not_found" => "没有可用的模型，请联系管理员检查模型配置",
        "model_quota_exhausted" => "模型服务的额度已用完，请联系管理员",
        "model_rate_limited" => "模型服务请求过多，请稍后重试",
        "model_timeout" => "模型服务未在规定时间内响应，请稍后重试",
        "model_unavailable" | "model_stream_cut" => "模型服务暂时不可用，请稍后重试",
        "model_refused" => "模型拒绝回答该请求，请换一种说法",
        "model_bad_request" | "model_bad_answer" => "模型服务的返回无法使用，请联系管理员检查模型配置",
        "context_too_large" => "内容超出模型的上下文长度，请精简后重试",
        "gate_expired" => "等待人工确认超时",
        "steps_blocked" => "所有步骤都未能完成",
        _ => return error.message.clone(),
    };
    match language {
        Language::Zh => zh.into(),
        Language::En => error.message.clone(),
    }
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
        let error = StepError { code: "model_timeout".into(), message: "openai did not answer".into() };
        assert_eq!(&*failure(&error, Language::En), "openai did not answer");
        assert!(failure(&error, Language::Zh).contains("请稍后重试"));
        assert_eq!(limit(FinishReason::Completed, Language::Zh), None);
        assert!(limit(FinishReason::StepLimit, Language::Zh).is_some_and(|words| words.contains("上限")));
        assert_eq!(&*cancelled(&"".into(), Language::Zh), "运行已被取消");
        assert_eq!(&*cancelled(&"enough".into(), Language::Zh), "enough");
    }
}
