/** 中文文案：调用的来源。 */
import type { SourceTexts } from "./sources.en";

export const sources: SourceTexts = {
  title: "这次调用的来源",
  means: "智能体提出调用前可能读到的全部内容，最新的排在最后。",
  kinds: {
    person: "用户",
    guest: "访客",
    bot: "机器人",
    agent: "智能体",
    file: "文件",
    knowledge: "知识库",
    code: "代码库",
    web: "网页",
    tool: "外部工具",
  },
  from: (kinds) => `来自：${kinds}`,
  message: (name) => `${name} 的消息`,
  answer: (name) => `${name} 的回答`,
  edit: (name) => `${name} 的修改`,
  file: (file, version, name) => `${file}（第 ${version} 版），由 ${name} 添加`,
  fileGone: (name) => `${name} 添加的文件`,
  result: (tool, input, name) => `${tool}${input ? `（${input}）` : " "}的结果，由 ${name} 读取`,
  resultOf: (kind, name) => `来自${kind}的内容，由 ${name} 读取`,
  guest: (name) => `${name}（访客）`,
  more: "还有更早的来源。",
  none: "日志中没有记录来源。",
  rule: {
    title: "只限来自以下来源的调用",
    means:
      "选择后，规则只适用于来自所选来源的调用，其中原本无需审批的也要审批，只读的调用除外。不选则适用于所有调用。",
    line: (what, kinds) => `${what}（来源：${kinds}）`,
  },
};
