/** The words of coming in, in Chinese. */
import type { EnterWords } from "./enter.en";

export const enter: EnterWords = {
  signIn: {
    title: "登录",
    working: "正在登录…",
    text: "在有管理员登录之前，Roundtable 启动时会打印一个登录链接。在这个浏览器中打开它即可。",
    terminal: "在终端里它是这样的：",
    lost: "找不到了，或者已经用过？在服务器上运行下面的命令，会打印一个新的：",
    token: "有令牌？把它填在本页地址的 /sign-in# 后面。",
    failed: "这个链接无法使用。",
    colleague: "有人给你发了邀请链接？直接打开它，不需要登录。",
  },
  join: {
    title: "你收到了邀请",
    to: (session) => `加入“${session}”`,
    toSession: "加入一个会话",
    by: (name) => `邀请人：${name}`,
    as: (role) => `角色：${role}`,
    name: "你的名字",
    nameHint: "别人会在你的发言旁看到它。",
    known: (name) => `你将以 ${name} 的身份加入。`,
    accept: "加入",
    accepting: "正在加入…",
    failed: "这个邀请无法使用",
    instead: "前往你的会话",
    missing: "链接不完整。请完整复制，包括 # 之后的所有内容。",
  },
};
