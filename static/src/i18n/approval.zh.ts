/** 中文文案：谁可以审批。 */
import type { ApprovalWords } from "./approval.en";

export const approval: ApprovalWords = {
  rules: {
    title: "特定审批的规则",
    means: "审批采用第一条符合的规则，代替上面的审批规则。",
    rule: (n) => `规则 ${n}`,
    kind: "审批类型",
    anyKind: "不限",
    kinds: {
      feedback: "结果",
      plan: "计划",
      tool: "工具调用",
      question: "提问",
      uncertain: "结果丢失",
      budget: "预算",
    },
    risk: "调用的最低风险",
    anyRisk: "不限",
    risks: { low: "低", medium: "中", high: "高" },
    line: (what, needs) => `${what}：${needs}`,
    anyDecision: "所有审批",
    anyCall: "所有调用",
    withRisk: (kind, risk) => `${kind}（风险为${risk}${risk === "高" ? "" : "或更高"}）`,
    separate: "必须由他人同意",
    separateMeans: "发起或引导过本次运行、或修改过审批内容的人不能同意。",
    add: "添加规则",
    full: (max) => `最多 ${max} 条规则`,
    up: (n) => `上移规则 ${n}`,
    down: (n) => `下移规则 ${n}`,
    remove: (n) => `删除规则 ${n}`,
    moved: (n, to) => `规则 ${n} 现在是规则 ${to}。`,
    removed: (n) => `规则 ${n} 已删除。`,
  },
  onlyRole: "谁的同意有效",
  everyone: "所有可以审批的人",
  separate: "必须由他人同意：发起或引导过本次运行、或修改过此内容的人不能同意。",
  excluded: "你不能同意：你发起或引导过本次运行，或修改过此内容，必须由他人同意。",
  proposeEdit: "提交这些修改",
  uncounted: "不计入",
  may: (names) => `可以审批：${names}`,
  more: (n) => `另外 ${n} 人`,
  nobodyHere: (names) => `可以审批的人都不在线。请联系 ${names}。`,
  nobody:
    "这个会话中没有人可以审批。需要由所有者邀请他人，或更改某人的角色；修改后的规则从下一项审批开始生效。",
  tooFew: (n, of) =>
    `需要 ${of} 人同意，但只有 ${n} 人可以审批。需要由所有者邀请他人，或更改某人的角色；修改后的规则从下一项审批开始生效。`,
};
