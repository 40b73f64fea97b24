/** 设备、链接与请求加入的用语。 */
import type { AccessWords } from "./access.en";

export const access: AccessWords = {
  devices: {
    title: "已登录的设备",
    kinds: { cookie: "浏览器", token: "令牌", sign_in: "未使用的登录链接" },
    current: "本设备",
    used: (when) => `上次使用：${when}`,
    unused: "尚未使用",
    until: (when) => `有效期至 ${when}`,
    end: "退出",
    revoke: "撤销",
    endName: (what) => `退出：${what}`,
    revokeName: (what) => `撤销：${what}`,
    everywhere: "退出所有设备",
    everywhereMeans: "你在所有浏览器上的登录和未使用的登录链接都会失效，包括本设备。令牌不受影响。",
    failed: "暂时无法读取列表。",
  },
  link: {
    uses: "可使用的人数",
    usesMeans: "留空：能参与决定的角色限一人，其他角色不限。",
    days: "有效天数",
    daysMeans: "留空：采用服务器的默认值。",
    knock: "需要批准",
    knockMeans: "打开链接的人要等所有者批准后才能加入。",
    left: (n) => `还可供 ${n} 人使用`,
    knocks: "每个人都需所有者批准",
  },
  knock: {
    title: (n) => `${n} 人请求加入`,
    as: (role) => `角色：${role}`,
    admit: "批准",
    decline: "拒绝",
    admitName: (name) => `批准 ${name} 加入`,
    declineName: (name) => `拒绝 ${name} 的请求`,
    knocked: (name, role) => `${name} 请求加入，角色为${role}`,
    declined: (name, by) => `${by} 拒绝了 ${name} 的请求`,
    ask: "请求加入",
    asking: "正在请求…",
    askMeans: "需要会话的所有者批准。",
  },
  waiting: {
    title: "已发出加入请求",
    text: "等待会话的所有者批准。请不要关闭本页，批准后会自动进入。",
    refusedTitle: "请求被拒绝",
    refused: "会话的所有者拒绝了你的请求。你不能再次请求，但所有者仍可以邀请你。",
  },
  remove: {
    links: "同时关闭这个会话所有未失效的链接",
    linksMeans: "否则被移除的人可以用已知的链接换个名字再进来。",
  },
};
