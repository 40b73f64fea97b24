/** 中文文案：会话中个人的资料，不在首次下载中。 */
import type { ProfileTexts } from "./profile.en";

export const profile: ProfileTexts = {
  id: "ID",
  kind: "类型",
  kinds: { user: "用户", bot: "机器人", guest: "访客，通过邀请链接加入，名字由本人填写" },
  presence: "在线状态",
  role: "在此会话中的角色",
  rights: "权限",
  asks: "需同意",
  comma: "、",
  adminRights: "全部（服务器管理员）",
  lookalike: "名字",
  copy: "不同的人可以同名，ID 则是唯一的。",
};
