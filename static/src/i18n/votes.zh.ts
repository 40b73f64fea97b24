/** 中文文案：代投、撤回投票，以及到时会发生什么。 */
import type { VotesTexts } from "./votes.en";

export const votes: VotesTexts = {
  takeBack: "撤回我的投票",
  takingBack: "正在撤回…",
  takenBack: "你的投票已撤回。",
  forPeople: (names) => `代 ${names}`,
  weights: (yes, of) => `同意票权重 ${yes}/${of}`,
  tooLight: (sum, needed) =>
    `同意票权重须达到 ${needed}，但所有可以审批的人合计只有 ${sum}。需要由所有者邀请他人，或更改某人的角色；修改后的规则从下一项审批开始生效。`,
  represented: (name) => `${name} 正在代你投票。如果你自己投票，则以你的投票为准。`,
  at: (when, what) => `${when} 起：${what}`,
  undecided: {
    approved: (when) => `到 ${when} 仍无人反对：视为同意`,
    call: (when) => `到 ${when} 仍无结果：调用失败`,
    question: (when) => `到 ${when} 仍无人回答：不再等待回答，调用继续`,
    run: (when) => `到 ${when} 仍无结果：运行失败`,
    budget: (when) => `到 ${when} 仍无结果：运行结束`,
    command: (when) => `到 ${when} 仍无结果：不予执行`,
  },
  escalated: (rule) => `无人及时审批，规则改为：${rule}`,
  delegated: (name, to) => `${name} 请 ${to} 代为投票`,
  delegatedUntil: (name, to, when) => `${name} 请 ${to} 代为投票，有效期至 ${when}`,
  undelegated: (name) => `${name} 收回了代投，改为自己投票`,
  changedRules: (by) => `${by} 修改了特定审批的规则`,
  rule: {
    bots: "机器人也可投票",
    commentsHold: "评论未解决时不通过",
    seconds: (n) => `${n} 秒`,
    minutes: (n) => `${n} 分钟`,
    after: (time, quorum) => `${time}后：${quorum}`,
    approved: (time) => `${time}内无人反对则视为同意`,
    expired: (time) => `${time}内无结果则失败`,
    within: (time) => `须在 ${time}内决定`,
    approvedLate: "到期无人反对则视为同意",
    expiredLate: "到期无结果则失败",
  },
  panel: {
    votesFor: (name) => `代 ${name} 投票`,
    votesForUntil: (name, when) => `代 ${name} 投票，有效期至 ${when}`,
    by: (name) => `由 ${name} 代为投票`,
    byUntil: (name, when) => `由 ${name} 代为投票，有效期至 ${when}`,
    yours: (name) => `${name} 正在代你投票`,
    yoursUntil: (name, when) => `${name} 正在代你投票，有效期至 ${when}`,
    open: "请人代我投票…",
    end: "收回代投",
  },
};
