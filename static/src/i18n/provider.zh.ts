/** 中文文案：通过身份提供方登录。 */
import type { ProviderTexts } from "./provider.en";

export const provider: ProviderTexts = {
  signIn: (name) => `使用 ${name} 登录`,
  continueAs: (user) => `以 ${user} 的身份继续`,
  failed: "登录没有成功。",
  errors: {
    unavailable: "组织的登录服务没有响应，请稍后再试。",
    expired: "登录超时，或者是在另一个窗口中开始的，请重试。",
    wrong_issuer: "响应来自另一个登录服务，请重试；如果反复出现，请告知运维人员。",
    denied: "登录已取消或被拒绝，请重试，或向组织申请访问权限。",
    invalid: "登录服务的响应无效，请重试；如果反复出现，请告知运维人员。",
    not_allowed: "你的账号无权使用这个服务器，请向运维人员申请。",
    disabled: "你在这个服务器上的账号已停用，请联系管理员。",
    no_user: "组织的代理没有提供你的身份，请通过该代理打开本页，或联系运维人员。",
    unknown_person: "你在这个服务器上还没有账号，请让管理员添加。",
  },
  other: "请重试。",
};
