/** 中文文案：对审批内容的评论。 */
import type { CommentTexts } from "./comments.en";

export const comments: CommentTexts = {
  title: (open) => (open ? `${open} 条未解决的评论` : "评论"),
  held: "还有未解决的评论：全部解决后，同意票才会生效；驳回立即生效。",
  where: "位置",
  whole: "整体",
  line: (n) => `第 ${n} 行`,
  outdated: (rev) => `已过时：针对第 ${rev} 版`,
  files: "文件",
  gone: "内容已变，请重新选择",
  newer: "该文件已有新版本或已被移除。你的文字仍在这里：请打开最新版本再评论。",
  lineNumber: "行号",
  decision: "所属审批",
  resolvedBy: (name) => `${name} 已解决`,
  text: "评论",
  reply: "回复",
  send: "发表评论",
  resolve: "标为已解决",
  reopen: "重新打开",
  delete: "删除",
  erased: "该评论已被删除。",
  means: "如果这项审批获得同意，智能体不会读到未解决的评论。",
};
