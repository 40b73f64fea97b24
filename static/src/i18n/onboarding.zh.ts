/** 中文文案：登录与邀请。 */
import type { OnboardingTexts } from "./onboarding.en";

export const onboarding: OnboardingTexts = {
  signIn: {
    title: "登录",
    working: "正在登录…",
    text: "在管理员首次登录之前，Roundtable 每次启动都会打印一个登录链接。在这个浏览器中打开它即可登录。",
    terminal: "终端中的显示如下：",
    lost: "链接丢失或已经用过？在服务器上运行以下命令，会打印一个新的链接：",
    token: "有令牌？把它加在本页地址的 /sign-in# 之后。",
    failed: "这个链接无法使用。",
    colleague: "收到了邀请链接？直接打开即可，无需登录。",
  },
  join: {
    title: "你收到了邀请",
    to: (session) => `加入“${session}”`,
    toSession: "加入一个会话",
    by: (name) => `邀请人：${name}`,
    as: (role) => `角色：${role}`,
    name: "你的名字",
    nameHint: "会显示在你的消息旁边。",
    known: (name) => `你将以 ${name} 的身份加入。`,
    accept: "加入",
    accepting: "正在加入…",
    failed: "这个邀请无法使用",
    instead: "前往会话列表",
    missing: "链接不完整。请完整复制，包括 # 之后的所有内容。",
  },
};
