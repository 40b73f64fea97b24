/** 中文文案：设备、链接与加入请求。 */
import type { InviteTexts } from "./invites.en";

export const invites: InviteTexts = {
  link: {
    uses: "可使用的人数",
    usesMeans: "留空：有审批权的角色限一人，其他角色不限。",
    days: "有效天数",
    daysMeans: "留空：采用服务器的默认值。",
    knock: "需要所有者批准",
    knockMeans: "打开链接的人须经所有者批准才能加入。",
    knockRequired: "你的角色须征得所有者同意，因此打开链接的每个人都须经所有者批准。",
    left: (n) => `还可供 ${n} 人使用`,
    knocks: "每个人都须经所有者批准",
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
    askMeans: "须经会话的所有者批准。",
  },
  waiting: {
    title: "已发出加入请求",
    text: "等待会话的所有者批准。请不要关闭本页，批准后会自动进入。",
    refusedTitle: "请求被拒绝",
    refused: "会话的所有者拒绝了你的请求。你不能再次请求，但所有者仍可以邀请你。",
  },
  remove: {
    links: "同时作废这个会话所有有效的链接",
    linksMeans: "否则，被移除的人可以用已知的链接换个名字重新加入。",
  },
};
