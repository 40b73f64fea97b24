//! The Chinese script: short texts that describe what a real model would do.

use super::{Finding, Scene, Topic, block, list_findings, phrase};

pub(super) const LABEL: &str = "> 🎭 **演示模型**：这是预先写好的演示回答，没有真实的模型在思考。\n\n";

/// Test cases for any subject.
pub(super) fn cases(scene: &Scene) -> String {
    let (subject, version) = (&scene.subject, scene.version());
    format!(
        "## 「{subject}」测试用例（第 {version} 版）\n\n\
         真实模型会针对这个主题编写用例。预设脚本只有几条通用的用例：\n\n{}\n{}{}",
        table(),
        topics(scene),
        feedback_reply(scene),
    )
}

/// Review of any test cases.
pub(super) fn review(scene: &Scene) -> String {
    let (subject, version) = (&scene.subject, scene.version());
    format!(
        "## 「{subject}」用例评审（第 {version} 版）\n\n\
         真实模型会逐条评审用例。预设脚本只知道该看什么：\n\n\
         1. 每条用例是否写明预期结果，能够判断真假？\n\
         2. 是否覆盖异常、边界与权限？\n\
         3. 是否可以直接执行？\n\n{}",
        feedback_reply(scene),
    )
}

/// Final test cases, after an approval.
pub(super) fn final_cases(scene: &Scene) -> String {
    let subject = &scene.subject;
    format!(
        "## 「{subject}」最终测试用例\n\n\
         真实模型会结合用例、评审和大家的意见给出最终版。预设脚本以自己的通用用例结束：\n\n{}\n{}{}",
        table(),
        topics(scene),
        feedback_reply(scene),
    )
}

/// Text of an agent that the script does not know.
pub(super) fn fallback(scene: &Scene) -> String {
    let subject = &scene.subject;
    format!(
        "## 关于「{subject}」\n\n\
         真实模型会在这里回答。预设脚本只知道一般的做法：\n\n\
         1. **理解问题**：目标、范围与限制是什么。\n\
         2. **拆分步骤**：每一步都可以验证。\n\
         3. **验证结果**：验证之后再做下一步。\n\n{}\
         设置 `OPENAI_API_KEY`，或启动 Ollama，即可换成真实模型。\n",
        feedback_reply(scene),
    )
}

/// Response to the newest feedback, saying that the script cannot follow it.
fn feedback_reply(scene: &Scene) -> String {
    match scene.feedback.last().map(|text| phrase(text)) {
        None => String::new(),
        Some(None) => "真实模型会按您的反馈修改，预设脚本做不到。\n\n".into(),
        Some(Some(text)) => format!("真实模型会按您的反馈「{text}」修改，预设脚本做不到。\n\n"),
    }
}

fn table() -> &'static str {
    "| 编号 | 标题 | 优先级 | 步骤 | 预期结果 |\n| --- | --- | --- | --- | --- |\n\
     | TC-01 | 正常流程 | P0 | 以有效数据完成一次操作 | 成功，数据正确落库 |\n\
     | TC-02 | 必填项缺失 | P1 | 逐个去掉必填字段后提交 | 拒绝，并指明缺少的字段 |\n\
     | TC-03 | 重复提交 | P0 | 同一请求编号连续提交两次 | 只生效一次，两次回答一致 |\n\
     | TC-04 | 未登录访问 | P0 | 不带凭证操作 | 返回 401，不泄露信息 |\n"
}

fn topics(scene: &Scene) -> String {
    let sections = scene.topics().into_iter().map(|topic| match topic {
        Topic::Boundary => "### 边界测试\n\n- TC-B1 · 最小值、最小值 − 1、最大值、最大值 + 1\n- TC-B2 · 空字符串、超长文本、表情符号\n\n",
        Topic::Performance => "### 性能测试\n\n- TC-P1 · 200 并发，持续 10 分钟\n- TC-P2 · 流量在 10 秒内升到 5 倍\n\n",
        Topic::Security => "### 安全测试\n\n- TC-S1 · 参数中注入 SQL 与脚本\n- TC-S2 · 篡改签名、重放旧请求\n\n",
    });
    sections.collect()
}

/// Text for a step of a plan.
pub(super) fn step(scene: &Scene, number: usize, action: &str) -> String {
    let action = phrase(action).map_or_else(|| format!("步骤 {number}"), |action| format!("步骤 {number}（{action}）"));
    let results = tool_results(scene);
    match results.is_empty() {
        true => format!("{action}：真实模型会完成这一步，并写明发现。\n"),
        false => format!("{action}：真实模型会从下面的内容得出结论。\n\n{results}"),
    }
}

/// Text that uses tool results.
pub(super) fn tool_result_reply(scene: &Scene) -> String {
    let (subject, results) = (&scene.subject, tool_results(scene));
    format!("## 关于「{subject}」\n\n{results}真实模型会在这里据此得出结论。\n")
}

/// Final text that joins the results of all agents.
pub(super) fn summary(scene: &Scene, found: &[Finding]) -> String {
    let (subject, table) = (&scene.subject, list_findings(found));
    format!(
        "## 「{subject}」的结论\n\n\
         真实模型会在这里根据以下内容得出结论：\n\n\
         | 步骤 | 内容 |\n| --- | --- |\n{table}"
    )
}

pub(super) fn tool_results(scene: &Scene) -> String {
    scene.brought.iter().map(|(name, text)| format!("`{name}` 的结果：\n\n{}\n", block(text))).collect()
}
