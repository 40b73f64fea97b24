//! Fixed texts of several doors, in the language of the run.

use std::sync::Arc;

use crate::kernel::{AttemptError, Language};

/// Returns an error message in the run's language. Errors without a translation keep the message from the log.
pub(super) fn error_text(error: &AttemptError, language: Language) -> Arc<str> {
    let code = &*error.code;
    match language {
        Language::En => error.message.clone(),
        Language::Zh => match (full_sentence(code), sentence_start(code)) {
            (Some(text), _) => text.into(),
            (None, Some((text, ErrorDetail::Message))) => format!("{text}：{}", error.message).into(),
            (None, Some((text, ErrorDetail::AfterColon))) => match error.message.split_once(": ") {
                Some((_, detail)) => format!("{text}：{detail}").into(),
                None => text.into(),
            },
            (None, None) => error.message.clone(),
        },
    }
}

/// Returns the error with its message in the run's language.
pub(super) fn localized_error(error: &AttemptError, language: Language) -> AttemptError {
    AttemptError { code: error.code.clone(), message: error_text(error, language) }
}

/// Returns the reason for a decision that the server made because it could not read the decision of a node's
/// supervisor. No other supervisors decide through a model. `delegates` is true if the server picked an agent, false if
/// it ended the node.
pub(super) fn fallback_reason(delegates: bool, language: Language) -> Arc<str> {
    let text = if delegates {
        either(
            language,
            "无法读取主管的决定，服务器改选第一个尚未执行的智能体",
            "the supervisor's decision could not be read; the server picked the first agent that has not worked yet",
        )
    } else {
        either(
            language,
            "无法读取主管的决定，服务器结束了该节点",
            "the supervisor's decision could not be read; the server ended the node",
        )
    };
    text.into()
}

/// Returns the translation that replaces the whole message of errors with this code, or `None` if there is none.
fn full_sentence(code: &str) -> Option<&'static str> {
    Some(match code {
        "model_unauthorized" => "模型服务拒绝了密钥，请联系管理员检查 API 密钥",
        "model_not_found" => "没有可用的模型，请联系管理员检查模型配置",
        "model_quota_exhausted" => "模型服务的额度已用完，请联系管理员",
        "model_rate_limited" => "模型服务请求过多，请稍后重试",
        "model_timeout" => "模型服务未在规定时间内响应，请稍后重试",
        "model_unavailable" | "model_stream_cut" => "模型服务暂时不可用，请稍后重试",
        "model_refused" => "模型拒绝回答该请求，请换一种说法",
        "output_rejected" => "无法读取智能体的输出",
        "model_bad_request" | "model_bad_response" => "模型服务的返回无法使用，请联系管理员检查模型配置",
        "context_too_large" => "内容超出模型的上下文长度，请精简后重试",
        "gate_expired" => "等待人工确认超时",
        "plan_blocked" => "所有步骤都未能完成",
        "unknown_flow" => "服务器不认识本会话的流程，请联系管理员",
        "no_agent" => "团队中没有智能体，请联系管理员检查团队配置",
        "internal" => "服务器内部出错，请稍后重试",
        "denied" => "本会话的规则不允许这样调用工具",
        "too_many_calls" => "一轮中调用的工具过多，其余请在下一轮调用",
        "too_many_turns" => "任务的轮数已达上限，最后一轮不能再调用工具",
        "run_failed" => "运行已失败，调用没有完成",
        "cancelled" => "运行已取消，调用没有完成",
        "interrupted" => "运行被中断，调用没有完成",
        "tool_timed_out" => "工具未在规定时间内完成",
        "tool_unavailable" => "工具暂时不可用，请稍后重试",
        "tool_unauthorized" => "工具服务尚未授权，请联系管理员",
        "tool_result_too_large" => "工具返回的内容过大",
        "quota_exceeded" => "配额已用完，请稍后重试",
        _ => return None,
    })
}

/// Part of the original message that follows a translated beginning.
enum ErrorDetail {
    /// The whole message, because it names a location, a field or a program's output.
    Message,
    /// The text after the first colon, if any, because it is a person's comment.
    AfterColon,
}

/// Returns the translation of the beginning of an error message, and the part of the original message that follows it.
/// Returns `None` if there is no translation.
fn sentence_start(code: &str) -> Option<(&'static str, ErrorDetail)> {
    Some(match code {
        "rejected" => ("未获准许", ErrorDetail::AfterColon),
        "uncertain" => ("调用被视为失败，是否已执行不得而知", ErrorDetail::AfterColon),
        "unknown_tool" => ("没有这个工具", ErrorDetail::Message),
        "arguments_invalid" => ("工具的参数不正确", ErrorDetail::Message),
        "not_found" => ("没有找到", ErrorDetail::Message),
        "outside" => ("不在允许访问的范围内", ErrorDetail::Message),
        "too_large" => ("内容过大", ErrorDetail::Message),
        "tool_failed" => ("工具执行失败", ErrorDetail::Message),
        _ => return None,
    })
}

/// Returns the note that a response was cut at its model's token limit.
pub(super) fn truncated(language: Language) -> Arc<str> {
    either(language, "回答达到模型的 token 上限，已被截断", "The response was cut at the model's token limit").into()
}

/// Returns the note that a request to a model is being retried.
pub(super) fn retrying(language: Language) -> Arc<str> {
    either(language, "模型暂时没有回答，正在重试...", "The model did not respond; retrying...").into()
}

/// Returns the note that a request waits for the approval of the owners.
pub(super) fn waits_for_owners(language: Language) -> Arc<str> {
    let text = either(language, "请求正在等待所有者批准", "The request waits for the approval of the session's owners");
    text.into()
}

/// Returns the text in this language.
pub(super) fn either(language: Language, zh: &'static str, en: &'static str) -> &'static str {
    match language {
        Language::Zh => zh,
        Language::En => en,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_worded_in_the_language_of_the_run() {
        let error = |code: &str, message: &str| AttemptError { code: code.into(), message: message.into() };
        let timeout = error("model_timeout", "openai did not answer");
        assert_eq!(&*error_text(&timeout, Language::En), "openai did not answer");
        assert_eq!(localized_error(&timeout, Language::Zh).code, timeout.code);
        let table = [
            (timeout, "模型服务未在规定时间内响应，请稍后重试"),
            (error("denied", "the rules of this session do not allow x"), "本会话的规则不允许这样调用工具"),
            (error("rejected", "people did not allow it"), "未获准许"),
            (error("rejected", "people did not allow it: 先等等"), "未获准许：先等等"),
            (error("tool_failed", "ZeroDivisionError"), "工具执行失败：ZeroDivisionError"),
            (error("a_code_of_tomorrow", "as it is"), "as it is"),
        ];
        for (error, text) in table {
            assert_eq!(&*error_text(&error, Language::Zh), text);
        }
    }
}
