/** Whether the browser notifies of decisions while the tab is hidden, and the button that changes it. */
import { useNotifications } from "../../app/notifications";
import { useWords } from "../../i18n/locale";
import { Icon } from "../components/Icon";

export function NotificationToggle() {
  const words = useWords().help;
  const [notices, turn] = useNotifications();
  if (notices === "impossible") return null;
  return (
    <p className="help-notices">
      <Icon name="bell" /> <span>{words.notices[notices]}</span>
      {notices !== "blocked" && (
        <button type="button" className="small" onClick={turn}>
          {notices === "on" ? words.noNotices : words.notify}
        </button>
      )}
    </p>
  );
}
