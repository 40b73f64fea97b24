//! The script in Chinese.

use super::{Found, Scene, Topic, block, listed};

pub(super) const LABEL: &str = "> 🎭 **演示模型**：这是预先写好的演示回答，没有真实的模型在思考。\n\n";

/// Test cases about the subject.
pub(super) fn cases(scene: &Scene) -> String {
    let (subject, version) = (&scene.subject, scene.version());
    let changes = match scene.feedback.last() {
        None => String::new(),
        Some(words) => format!(
            "### 本次改动\n\n- 收到反馈「{words}」，已据此更新为第 {version} 版。\n- 未涉及的用例保持编号不变。\n\n"
        ),
    };
    format!(
        "## 「{subject}」测试用例（第 {version} 版）\n\n\
         **范围**：覆盖{subject}的正常流程、异常处理、边界、安全与并发。**假设**：测试环境与生产环境配置一致，外部依赖可以模拟。\n\n\
         {changes}### 用例列表\n\n\
         | 编号 | 标题 | 优先级 | 步骤 | 预期结果 |\n| --- | --- | --- | --- | --- |\n{}\n\
         {}### 关键用例的数据\n\n```json\n{{\n  \"case\": \"TC-04\",\n  \"subject\": \"{subject}\",\n  \"request\": {{ \"id\": \"req-1001\", \"repeat\": 2 }},\n  \"expect\": {{ \"created\": 1, \"second_answer\": \"same_as_first\" }}\n}}\n```\n",
        table(subject),
        topics(scene),
    )
}

/// A review of the newest cases.
pub(super) fn review(scene: &Scene) -> String {
    let (subject, version) = (&scene.subject, scene.version());
    let (verdict, followed) = match scene.feedback.last() {
        None => ("修改后通过", String::new()),
        Some(words) => ("建议通过", format!("### 反馈落实情况\n\n- 「{words}」：✅ 已在第 {version} 版中体现。\n\n")),
    };
    format!(
        "## 「{subject}」用例评审（第 {version} 版）\n\n\
         **结论：{verdict}。** 主流程完整、优先级合理，仍有几处预期结果不够具体。\n\n\
         {followed}### 问题\n\n\
         1. **严重** · `TC-04` 只验证返回值，没有核对数据库中是否只有一条记录，重复写入的缺陷会漏过。\n\
         2. **一般** · `TC-06` 应写明超长的具体长度，例如上限、上限 + 1 两个值。\n\
         3. **一般** · `TC-09` 没有说明超时后的重试次数，预期结果无法判断真假。\n\
         4. **建议** · `TC-10` 与 `TC-04` 的数据可以共用，减少准备工作。\n\n\
         ### 缺失的用例\n\n\
         - {subject}在依赖服务**部分可用**时的降级表现\n\
         - 操作中途取消后的数据清理\n\
         - 审计日志是否完整，且不包含敏感信息\n\n\
         ### 覆盖评估\n\n\
         | 维度 | 覆盖 | 说明 |\n| --- | --- | --- |\n| 正常流程 | ✅ | 完整 |\n| 异常处理 | ✅ | 建议补充降级 |\n| 边界值 | {} | 见 `TC-05`、`TC-06` |\n| 并发与性能 | {} | 见 `TC-10` |\n| 安全 | ✅ | 覆盖认证与越权 |\n",
        mark(scene, Topic::Boundary),
        mark(scene, Topic::Performance),
    )
}

/// The final cases, after an approval.
pub(super) fn final_cases(scene: &Scene) -> String {
    let subject = &scene.subject;
    let heard: String = scene.feedback.iter().map(|words| format!("- 用户反馈「{words}」：已纳入\n")).collect();
    format!(
        "## 「{subject}」最终测试用例\n\n\
         结合生成专家的用例、评审专家的意见与用户的反馈，整理为以下可直接执行的版本。\n\n\
         ### 采纳的意见\n\n- 重复提交用例增加数据核对\n- 边界用例写明具体取值\n- 超时用例写明重试次数（3 次）\n{heard}\n\
         ### 用例列表\n\n\
         | 编号 | 标题 | 优先级 | 步骤 | 预期结果 |\n| --- | --- | --- | --- | --- |\n{}\
         | TC-13 | 依赖部分可用 | P1 | 关闭一个依赖服务后操作{subject} | 按约定降级，给出明确提示 |\n\
         | TC-14 | 中途取消 | P2 | 操作中途取消 | 数据回滚，不留残余记录 |\n\n\
         {}### 执行顺序\n\n```text\nP0: TC-01 → TC-04 → TC-07 → TC-08\nP1: TC-02 → TC-03 → TC-05 → TC-06 → TC-09 → TC-10 → TC-13\nP2: TC-11 → TC-12 → TC-14\n```\n\n\
         **自动化建议**：P0 与 P1 全部接入持续集成。**剩余风险**：第三方依赖的真实限流策略未知，上线前需在预发环境验证。\n",
        table(subject),
        topics(scene),
    )
}

/// An answer of an agent that the script does not know.
pub(super) fn anything(scene: &Scene) -> String {
    let subject = &scene.subject;
    let heard: String = scene.feedback.iter().map(|words| format!("- 已注意到：「{words}」\n")).collect();
    format!(
        "## 关于「{subject}」\n\n\
         这里会是真实模型的回答。演示模型只能给出固定的结构，方便您体验协作过程：\n\n\
         1. **理解问题**：{subject}的目标、范围与限制是什么？\n\
         2. **拆分步骤**：先做最小可验证的一步，再逐步扩展。\n\
         3. **验证结果**：每一步都写明如何判断完成。\n\n\
         {heard}\n\
         | 步骤 | 产出 | 完成标准 |\n| --- | --- | --- |\n| 调研 | 一页说明 | 评审通过 |\n| 实现 | 可运行版本 | 测试通过 |\n| 交付 | 使用文档 | 用户确认 |\n\n\
         ```text\n提示：设置 OPENAI_API_KEY，或启动 Ollama，即可换成真实模型。\n```\n"
    )
}

fn mark(scene: &Scene, topic: Topic) -> &'static str {
    if scene.topics().contains(&topic) { "✅" } else { "⚠️" }
}

fn table(subject: &str) -> String {
    format!(
        "| TC-01 | {subject}：正常流程 | P0 | 以有效数据完成一次操作 | 成功，数据正确落库 |\n\
         | TC-02 | 必填项缺失 | P1 | 逐个去掉必填字段后提交 | 拒绝，并指明缺少的字段 |\n\
         | TC-03 | 类型错误 | P1 | 数字字段填入文字 | 拒绝，错误码明确 |\n\
         | TC-04 | 重复提交 | P0 | 同一请求编号连续提交两次 | 只生效一次，两次回答一致 |\n\
         | TC-05 | 最小值 | P1 | 填入允许的最小值 | 成功 |\n\
         | TC-06 | 超过上限 | P1 | 填入最大值 + 1 | 拒绝，提示允许范围 |\n\
         | TC-07 | 未登录访问 | P0 | 不带凭证操作 | 返回 401，不泄露信息 |\n\
         | TC-08 | 越权访问 | P0 | 用他人的编号操作 | 返回 403，数据不变 |\n\
         | TC-09 | 依赖超时 | P1 | 模拟下游 30 秒无响应 | 在限定时间内失败，可重试 |\n\
         | TC-10 | 并发操作 | P1 | 50 个请求同时操作同一对象 | 结果一致，无重复、无丢失 |\n\
         | TC-11 | 中断恢复 | P2 | 操作中途重启服务 | 恢复后状态一致 |\n\
         | TC-12 | 日志与监控 | P2 | 完成一次成功和一次失败 | 均可追踪，不含敏感信息 |\n"
    )
}

fn topics(scene: &Scene) -> String {
    let subject = &scene.subject;
    let sections = scene.topics().into_iter().map(|topic| match topic {
        Topic::Boundary => format!(
            "### 边界测试\n\n- TC-B1 · {subject}取最小值、最小值 − 1、最大值、最大值 + 1\n- TC-B2 · 空字符串、超长文本（65,536 字节）、表情符号与全角字符\n- TC-B3 · 闰日、月末、跨年与时区切换时刻\n\n"
        ),
        Topic::Performance => format!(
            "### 性能测试\n\n- TC-P1 · {subject}在 200 并发下持续 10 分钟，p99 响应时间低于 500 毫秒，错误率低于 0.1%\n- TC-P2 · 流量在 10 秒内升到 5 倍，系统限流而不崩溃\n- TC-P3 · 连续运行 24 小时，内存没有持续增长\n\n"
        ),
        Topic::Security => "### 安全测试\n\n- TC-S1 · 参数中注入 SQL 与脚本，请求被拒绝且原样记录\n- TC-S2 · 篡改签名、重放旧请求，均被拒绝\n- TC-S3 · 返回与日志中不出现密钥、证件号与完整卡号\n\n".to_owned(),
    });
    sections.collect()
}

/// What came of a step.
pub(super) fn step(scene: &Scene, number: usize, action: &str) -> String {
    let subject = &scene.subject;
    let said: String = brought(scene);
    format!(
        "步骤 {number} 已完成：{action}。\n\n{said}\
         - **发现**：「{subject}」在这一步所需的内容已经具备，可以继续。\n\
         - **把握程度**：预设脚本只能说到这里；真实模型会写明依据。\n"
    )
}

/// An answer that uses what tools have said.
pub(super) fn used(scene: &Scene) -> String {
    let (subject, said, tools) = (&scene.subject, brought(scene), scene.brought.len());
    format!(
        "## 关于「{subject}」\n\n{said}\
         以上是 {tools} 次工具调用的结果。真实模型会在这里据此得出结论。\n"
    )
}

/// The answer that joins what everybody has found.
pub(super) fn sum(scene: &Scene, found: &[Found]) -> String {
    let subject = &scene.subject;
    let (count, table) = (found.len(), listed(found));
    format!(
        "## 「{subject}」的结论\n\n\
         团队已完成调查，以下 {count} 项结果支持这个结论。\n\n\
         | 步骤 | 发现 |\n| --- | --- |\n{table}\n\
         **仍未解决**：只有真实模型才能查清的内容。\n"
    )
}

pub(super) fn brought(scene: &Scene) -> String {
    scene.brought.iter().map(|(name, text)| format!("`{name}` 的结果：\n\n{}\n", block(text))).collect()
}
