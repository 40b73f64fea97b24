/** 中文文案：从投票中学到的规则。 */
import type { RuleTexts } from "./rules.en";

export const rules: RuleTexts = {
  title: "建议的规则",
  text: "这些调用一直获得允许。设为规则后，将无需审批即可执行。是否设为规则，由能够审批这些调用的人决定。",
  none: "根据目前的投票，没有可建议的规则。",
  calls: (agent, which, risk) => `由 ${agent} 调用（${which}，${risk}）`,
  risk: { low: "低风险", medium: "低风险或中风险", high: "任意风险" },
  sources: (kinds) => `也适用于源自以下内容的调用：${kinds}`,
  noSources: "不适用于源自访客发言或网页内容的调用",
  allowed: (names, n, of) => `${names} 允许了 ${of} 次此类调用中的 ${n} 次。`,
  forecast: (n) => `如果当时已有这条规则，会放行 ${n} 次过往调用`,
  against: (_of, refused, changed) => {
    const objections = [
      refused > 0 ? `其中 ${refused} 次未获允许` : "",
      changed > 0 ? `其中 ${changed} 次被修改` : "",
    ].filter(Boolean);
    return objections.length > 0 ? objections : ["其中没有未获允许的"];
  },
  keeps: "风险更高的调用，以及适用其他审批规则的调用，仍需审批。",
  past: (n) => `显示这 ${n} 次调用`,
  list: "会放行的过往调用",
  otherSessions: {
    title: "你的其他会话中的过往调用",
    none: "没有找到你使用此团队的其他会话。",
    noCalls: (tried) => `在你使用此团队的其他 ${tried} 个会话中，这条规则不会放行任何过往调用。`,
    forecast: (tried, n) =>
      `在你使用此团队的其他 ${tried} 个会话中，如果当时已有这条规则，会放行 ${n} 次过往调用`,
    list: "会放行过往调用的其他会话",
    calls: (n) => `${n} 次调用`,
  },
  outcomes: { allowed: "已允许", changed: "已修改", refused: "未获允许", undecided: "未决定" },
  declined: "曾被拒绝或撤销。同类投票增加一倍之后，服务器才会再次提议。",
  propose: "提议",
  proposeName: (tool, agent) => `提议：${agent} 调用 ${tool}`,
  proposing: "正在提议…",
  proposedBy: (name) => `由 ${name} 提议`,
  settings: {
    legend: "从投票中学到的规则",
    mode: "由谁提议",
    modes: { automatic: "服务器和参与者", manual: "仅参与者", off: "不提议" },
    decisions: "最少允许次数",
    people: "最少人数",
    refused: "不允许的最高比例（%）",
  },
};
