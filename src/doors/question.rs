//! Text of a question to people in a door's stream.

use std::sync::Arc;

use crate::kernel::Language;
use crate::kernel::gate::{Gate, QuestionOrigin};

/// Returns the text of the question. A question from an MCP server begins with the server's name and states who reads
/// the answer. Otherwise, people could mistake it for an agent's question.
pub(super) fn prompt(gate: &Gate, language: Language) -> Arc<str> {
    let Some(QuestionOrigin { server, link }) = &gate.origin else { return gate.prompt.clone() };
    let origin = match (language, link) {
        (Language::Zh, None) => format!(
            "服务器 {server} 提问。你的回答会发送给该服务器，保留在本会话中，智能体的模型也会读到。请勿填写密码或密钥。"
        ),
        (Language::En, None) => format!(
            "The server {server} asks. Your answer is sent to that server, stays in this session, and is read by the agents’ \
             models. Do not enter passwords or keys."
        ),
        (Language::Zh, Some(link)) => {
            format!("服务器 {server} 请你打开它的一个页面：{link} 。你在那里填写的内容只会留在该页面。")
        }
        (Language::En, Some(link)) => format!(
            "The server {server} asks you to open one of its pages: {link} . Your input there stays between you and \
             that page."
        ),
    };
    format!("{origin}\n\n{}", gate.prompt).into()
}
