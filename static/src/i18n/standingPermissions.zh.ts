/** 中文文案：长期许可与调用的风险。 */
import type { StandingPermissionTexts } from "./standingPermissions.en";

export const standingPermissions: StandingPermissionTexts = {
  title: "长期许可",
  text: "以下调用无需审批即可执行。有审批权的人可以随时撤销许可。",
  none: "目前没有长期许可。",
  count: (n) => `${n} 项长期许可`,
  open: "允许，且不再询问…",
  allow: "允许，且不再询问",
  again: "以后遇到类似的调用不再询问",
  hint: "风险更高的调用仍需审批，规则禁止的调用依然禁止。有审批权的人可以随时撤销。",
  which: "适用的调用",
  whichOptions: { same: "此工具，参数相同", any: "此工具，任意参数" },
  limit: "有效范围",
  limitOptions: { run: "本次运行", hour: "1 小时", hours: "8 小时", uses: "指定次数" },
  uses: "调用次数",
  usesRange: (max) => `请输入 1 到 ${max} 之间的整数。`,
  arguments: { same: "参数相同", any: "任意参数" },
  limits: {
    run: "本次运行期间",
    until: (when) => `${when} 前`,
    uses: (n) => `后续 ${n} 次`,
  },
  proposed: (tool, which, limits) =>
    `同意后，还将允许后续调用 ${tool}（${[which, ...limits].join("，")}），不再询问。`,
  revised: (name) => `${name} 提议不再询问，之前的投票已作废。`,
  granted: (names, agent, tool, which, limits) =>
    `${names} 允许 ${agent} 直接调用 ${tool}（${[which, ...limits].join("，")}），不再询问`,
  revoked: (by, agent, tool) => `${by} 撤销了 ${agent} 直接调用 ${tool} 的许可`,
  revokedUnknown: (by) => `${by} 撤销了一项长期许可`,
  learned: (names, agent, tool, which) =>
    `${names} 允许 ${agent} 直接调用 ${tool}（${which}），不再询问：这是从投票中学到的规则`,
  suggestions: "建议的规则",
  rule: "从投票中学到的规则",
  used: (n, max) => (max === null ? `已使用 ${n} 次` : `已使用 ${n}/${max} 次`),
  grantedBy: (names, when) => `由 ${names} 授予，${when}`,
  revoke: "撤销",
  revoking: "正在撤销…",
  revokeName: (tool, agent) => `撤销：${agent} 调用 ${tool}`,
  over: "这项许可已经结束，或已被他人撤销。",
  made: (names) => `未经询问：依据 ${names} 授予的长期许可`,
  madeUnknown: "未经询问：依据长期许可",
  closed: "已关闭：长期许可允许了这次调用",
  risk: { low: "低风险", medium: "中风险", high: "高风险" },
  riskMeans: {
    low: "不会改变会话之外的任何内容",
    medium: "会向外部发送数据，或作出可以撤销的更改",
    high: "可能作出无法撤销的更改",
  },
};
