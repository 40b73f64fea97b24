/** 中文文案：键盘快捷键。 */
import type { HelpTexts } from "./help.en";

export const help: HelpTexts = {
  title: "键盘快捷键",
  notify: "开启通知",
  noNotices: "关闭通知",
  notices: {
    off: "当你在查看其他页面时，浏览器可以提醒你有待处理的审批。",
    on: "当你在查看其他页面时，浏览器会提醒你有待处理的审批。",
    blocked: "浏览器设置已屏蔽此页面的通知。",
  },
  keys: {
    search: "搜索会话",
    fresh: "新建会话",
    move: "下一条、上一条消息",
    approve: "转到“同意”按钮，按 Enter 同意",
    reject: "驳回并附上意见",
    edit: "修改待审批的内容；没有待审批的内容时，撤回最后一条等待处理的消息，或开始输入",
    respond: "代替工具回答",
    again: "重试失败的运行",
    interrupt: "中断（按两次）",
    help: "显示此列表",
    type: "在页面任意位置输入，即可撰写消息",
    palette: "所有命令",
    send: "发送",
    newline: "换行",
  },
};
