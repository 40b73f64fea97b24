/** The keys. */
import { useBegins } from "../../app/useBegins";
import { useNotices } from "../../app/notices";
import { useWords } from "../../i18n/locale";
import { Dialog } from "../parts/Dialog";
import { Icon } from "../parts/Icon";
import { keyName } from "../parts/Key";

export function Help({ onClose }: { onClose: () => void }) {
  const words = useWords();
  const { keys } = words.help;
  const begins = useBegins();
  const [notices, turn] = useNotices();
  const list: [string[], string][] = [
    [[keyName("s")], keys.search],
    ...(begins ? ([[[keyName("n")], keys.fresh]] as [string[], string][]) : []),
    [[keyName("b")], words.knowledge.title],
    [[keyName("j"), keyName("k")], keys.move],
    [[keyName("a")], keys.approve],
    [[keyName("r")], keys.reject],
    [[keyName("e")], keys.edit],
    [[keyName("i")], keys.respond],
    [[keyName("t")], keys.again],
    [["Esc"], keys.interrupt],
    [["Ctrl", "K"], keys.palette],
    [["a–z"], keys.type],
    [["Enter"], keys.send],
    [["Shift", "Enter"], keys.newline],
    [[keyName("h")], keys.help],
  ];
  return (
    <Dialog title={words.help.title} onClose={onClose}>
      <dl className="keys">
        {list.map(([names, meaning]) => (
          <div key={meaning}>
            <dt>
              {names.map((name) => (
                <kbd key={name}>{name}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      {notices !== "impossible" && (
        <p className="help-notices">
          <Icon name="bell" /> <span>{words.help.notices[notices]}</span>
          {notices !== "blocked" && (
            <button type="button" className="small" onClick={turn}>
              {notices === "on" ? words.help.noNotices : words.help.notify}
            </button>
          )}
        </p>
      )}
    </Dialog>
  );
}
