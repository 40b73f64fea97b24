/** Chinese texts for budgets. */
import type { BudgetTexts } from "./budget.en";

export const budget: BudgetTexts = {
  title: "会话预算",
  tokens: "Token",
  cost: "费用",
  used: (used, limit) => `已用 ${used}，上限 ${limit}`,
  left: (left) => `剩余 ${left}`,
  none: "预算已用完：下次请求模型前会先询问大家。",
  raise: (limit) => `提高后上限为 ${limit}。`,
  turns: (n, each) => `按目前每轮 ${each} 计算，大约还够 ${n} 轮。`,
  ends: "不提高预算，运行就到此结束，已有结果会保留在会话中。",
  fields: {
    legend: "预算",
    means: "超出上限之前会先询问大家：提高上限，还是结束运行。留空表示不限。",
    tokens: "整个会话的 token 数",
    cost: (currency) => `整个会话的费用（${currency}）`,
    turn: "单次请求的 token 数",
    model: "所有智能体的模型",
    modelMeans: "代替团队指定的模型。",
    teamModel: "按团队设置",
    turnMeans: "过长的对话会截断到这个长度。超出上限的部分不会多于一次请求。",
  },
  cheaper: (models) => `更便宜的模型：${models}。可在“设置其他上限”中选择。`,
  model: (name) => `批准后，所有智能体改用 ${name}。所有者可以在设置中改回来。`,
  newModel: "之后所有智能体使用的模型",
  sameModel: "保持不变",
  price: (input, output) => `每百万 token：输入 ${input}，输出 ${output}`,
  newTokens: "新的 token 上限",
  newCost: (currency) => `新的费用上限（${currency}）`,
  above: (used) => `须大于已使用的 ${used}。`,
};
