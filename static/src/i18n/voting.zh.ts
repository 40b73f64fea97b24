/** 中文文案：批量审批、代投和规则编辑。 */
import type { VotingWords } from "./voting.en";

export const voting: VotingWords = {
  batch: {
    title: (n) => `一次审批 ${n} 项调用`,
    approve: (ticked, all) => `同意 ${ticked}/${all} 项`,
    reject: (ticked) => `驳回 ${ticked} 项`,
    approving: "正在同意…",
    rejecting: "正在驳回…",
    changed: "内容有变，请重新查看",
    unticked: (what) => `${what} 的内容有变，已取消勾选。`,
  },
  refused: {
    batch: "这些投票均未计入。",
    at: (what, why) => `${what}：${why}`,
    withdrawal: "你的投票没有撤回。",
  },
  delegate: {
    title: "请人代我投票",
    means: "在此期间，审批不再等你。代投的人仍只有一票，可以按你的角色或对方的角色计入。你随时可以自己投票。",
    who: "由谁代投",
    until: "截至",
    limits: { none: "由我结束", today: "今天结束时", time: "指定时间" },
    time: "日期和时间",
    submit: "请其代投",
    nobody: "这里没有其他人可以审批。请先邀请他人，或更改某人的角色。",
  },
  rules: {
    bots: "机器人的投票也计入",
    botsMean: "不勾选时，机器人只能发言。",
    escalation: "无人及时审批时",
    escalationMeans: "到时改由以下规则决定，已有的投票仍然计入。",
    step: (n) => `第 ${n} 步`,
    after: "开始审批后的分钟数",
    addStep: "添加一步",
    removeStep: (n) => `删除第 ${n} 步`,
    removedStep: (n) => `第 ${n} 步已删除。`,
    deadline: "截止前的分钟数",
    deadlineMeans: "留空：与整个会话相同。",
    atDeadline: "到截止时间时",
    outcomes: {
      default: "由审批规则决定",
      approved: "无人反对则视为同意",
      expired: "视为失败",
    },
    sum: "通过所需的权重",
    weightOf: (role) => `${role}的权重`,
  },
};
