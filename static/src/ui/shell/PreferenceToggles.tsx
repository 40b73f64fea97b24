/** Preferences of this browser: language, theme, help and notifications. */
import { useTheme, type Theme } from "../../app/theme";
import { useLocale, useTexts } from "../../i18n/locale";
import { Icon, type IconName } from "../components/Icon";
import { useNotifications } from "../../app/notifications";

const next: Record<Theme, Theme> = { auto: "light", light: "dark", dark: "auto" };
const icons: Record<Theme, IconName> = { auto: "auto", light: "sun", dark: "moon" };

/** Toggles for the language and the theme, and the help button. */
export function PreferenceToggles({ onHelp }: { onHelp?: () => void }) {
  const { locale, texts, setLocale } = useLocale();
  const [theme, setTheme] = useTheme();
  const themed = `${texts.header.theme}${texts.common.colon}${texts.header.themes[theme]}`;
  const other = locale === "en" ? "zh" : "en";
  const [short, name] = other === "zh" ? ["中", "中文"] : ["EN", "EN, English"];
  return (
    <span className="switches">
      <button
        type="button"
        className="quiet"
        lang={other === "zh" ? "zh-CN" : "en"}
        aria-label={`${texts.header.language}${texts.common.colon}${name}`}
        onClick={() => setLocale(other)}
      >
        {short}
      </button>
      <button
        type="button"
        className="quiet square"
        aria-label={themed}
        title={themed}
        onClick={() => setTheme(next[theme])}
      >
        <Icon name={icons[theme]} />
      </button>
      {onHelp && (
        <button
          type="button"
          className="quiet square wide-only"
          aria-label={texts.header.help}
          title={texts.header.help}
          aria-keyshortcuts="Alt+H"
          onClick={onHelp}
        >
          <Icon name="keyboard" />
        </button>
      )}
    </span>
  );
}

/** State of notifications about decisions while the tab is hidden, with a button that toggles them. */
export function NotificationToggle() {
  const texts = useTexts().help;
  const [notices, turn] = useNotifications();
  if (notices === "impossible") return null;
  return (
    <p className="help-notices">
      <Icon name="bell" /> <span>{texts.notices[notices]}</span>
      {notices !== "blocked" && (
        <button type="button" className="small" onClick={turn}>
          {notices === "on" ? texts.noNotices : texts.notify}
        </button>
      )}
    </p>
  );
}
