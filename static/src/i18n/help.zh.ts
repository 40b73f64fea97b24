/** 快捷键列表的用语。 */
import type { HelpWords } from "./help.en";

export const help: HelpWords = {
  title: "键盘快捷键",
  notify: "开启通知",
  noNotices: "关闭通知",
  notices: {
    off: "当你在看别处时，浏览器可以通知你有决定在等待你。",
    on: "当你在看别处时，浏览器会通知你有决定在等待你。",
    blocked: "浏览器设置中已屏蔽此页面的通知。",
  },
  keys: {
    search: "搜索会话",
    fresh: "新建会话",
    move: "下一条、上一条消息",
    approve: "转到“同意”按钮，按 Enter 同意",
    reject: "带意见驳回",
    edit: "修改要决定的内容；没有时，取回你最后一条等待的消息，或开始写",
    respond: "代替调用作答",
    again: "重新开始失败的运行",
    interrupt: "中断（按两次）",
    help: "这个列表",
    type: "在页面任意处输入即开始写消息",
    palette: "所有命令",
    send: "发送",
    newline: "换行",
  },
};
