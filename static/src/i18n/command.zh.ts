/** Chinese texts for commands that need an owner's approval. */
import type { CommandTexts } from "./command.en";

export const command: CommandTexts = {
  asks: (name) => `${name} 请求：`,
  youAsk: "你向所有者请求：",
  does: {
    say: "发送这条消息",
    start: "用这条消息开始运行",
    pause: "暂停运行",
    resume: "继续运行",
    interrupt: "中断智能体",
    cancel: "结束运行",
    invite: "添加这位参与者",
  },
  to: (names) => `发给 ${names}`,
  as: (role) => `角色：${role}`,
  step: "立即送达当前步骤",
  then: "然后按以下内容继续",
  reason: "原因",
  files: (names) => `附带 ${names}`,
  withdraw: "撤回",
  withdrawing: "正在撤回…",
  forPerson: (name) => `请求者：${name}`,
  failure: {
    not_allowed: "未执行：请求者已离开，或已无权请求这项操作。",
    target_over: "未执行：所涉及的工作已经结束。",
    nothing_to_do: "未执行：已经没有需要处理的内容。",
    inbox_full: "未执行：等待运行处理的消息过多。",
    invalid: "未执行：它已不适用于当前会话。",
  },
};
