/** List of keyboard shortcuts. */
import { useCanCreate } from "../../app/permissions";
import { useTexts } from "../../i18n/locale";
import { Dialog } from "../components/Dialog";
import { keyName } from "../components/KeyHint";
import { NotificationToggle } from "./PreferenceToggles";

export function HelpDialog({ onClose }: { onClose: () => void }) {
  const texts = useTexts();
  const { keys } = texts.help;
  const canCreate = useCanCreate();
  const list: [string[], string][] = [
    [[keyName("s")], keys.search],
    ...(canCreate ? ([[[keyName("n")], keys.fresh]] as [string[], string][]) : []),
    [[keyName("b")], texts.knowledge.title],
    [[keyName("m")], texts.teams.title],
    [[keyName("g")], texts.teams.graphOrConversation],
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
    <Dialog title={texts.help.title} onClose={onClose}>
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
      <NotificationToggle />
    </Dialog>
  );
}
