/** 中文文案：内容清除。 */
import type { RedactionTexts } from "./redaction.en";

export const redaction: RedactionTexts = {
  message: "清除这条消息…",
  file: (name) => `清除“${name}”的这个版本…`,
  participant: (name) => `清除 ${name} 的名字和内容…`,
  fileButton: "清除…",
  session: "清除会话…",
  by: (who, at) => `内容已由 ${who} 于 ${at} 清除`,
  tag: "已清除",
  dialog: { reason: "原因", no: "保留" },
  targets: {
    message: {
      title: "清除这条消息？",
      text: "消息正文将对所有人永久清除，填写的原因会保留。引用了它的其他回复是独立的消息，需要分别清除。此操作无法撤销。",
      yes: "清除消息",
    },
    file: {
      title: "清除文件的这个版本？",
      text: "文件内容将对所有人永久清除，文件名会保留，其他版本不受影响。此操作无法撤销。",
      yes: "清除这个版本",
    },
    participant: {
      title: "清除这位参与者的信息？",
      text: "此人的名字、文件以及在这里写下的所有其他内容，将对所有人永久清除。他人提到此人的内容会保留。此人仍在会话中，但不再显示名字；如需移除，请另行操作。此操作无法撤销。",
      yes: "清除参与者信息",
    },
    session: {
      title: "清除整个会话？",
      text: "参与者和智能体写下的所有内容、文件以及所有名字都会永久清除，会话随之关闭。此操作无法撤销。",
      yes: "清除会话",
    },
  },
  notes: {
    file: (by) => `${by} 清除了一个文件版本`,
    session: (by) => `${by} 清除了这个会话`,
    participant: (by) => `${by} 清除了一位参与者的信息`,
  },
  days: "多少天无活动后自动清除",
  daysMean: "超过这个天数没有活动，会话的全部内容会被清除。留空：不清除。",
  keeps: (days) => `超过 ${days} 天没有活动，会话的全部内容会被清除。`,
};
