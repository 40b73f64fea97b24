/** The keys. */
import { useBegins } from "../../app/useBegins";
import { useWords } from "../../i18n/locale";
import { Dialog } from "../parts/Dialog";

export function Help({ onClose }: { onClose: () => void }) {
  const words = useWords();
  const { keys } = words.help;
  const begins = useBegins();
  const list: [string[], string][] = [
    [["/"], keys.search],
    ...(begins ? ([[["n"], keys.fresh]] as [string[], string][]) : []),
    [["b"], words.knowledge.title],
    [["j", "k"], keys.move],
    [["a"], keys.approve],
    [["r"], keys.reject],
    [["e"], keys.edit],
    [["i"], keys.respond],
    [["t"], keys.again],
    [["Esc"], keys.interrupt],
    [["Ctrl", "K"], keys.palette],
    [["Enter"], keys.send],
    [["Shift", "Enter"], keys.newline],
    [["?"], keys.help],
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
    </Dialog>
  );
}
