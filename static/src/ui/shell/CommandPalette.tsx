/** Every command and every session, a few letters away. */
import { useState } from "react";
import { useApp } from "../../app/hooks";
import { navigate } from "../../app/route";
import { useFormat, useWords } from "../../i18n/locale";
import type { SessionEntry } from "../../wire/rest";
import { Dialog } from "../components/Dialog";
import { Icon, type IconName } from "../components/Icon";
import { duplicateTitles } from "../sidebar/duplicateTitles";

/** Something that can be done from the palette. */
export interface PaletteCommand {
  name: string;
  icon: IconName;
  keys?: string;
  act: () => void;
}

const MOST = 16;
const LIST = "palette-list";

export function CommandPalette({ acts, onClose }: { acts: PaletteCommand[]; onClose: () => void }) {
  const words = useWords();
  const format = useFormat();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const sessions = useApp((app) => app.list) ?? [];
  const twins = duplicateTitles(sessions);
  const apart = ({ summary, updated_at: at }: SessionEntry) =>
    [summary?.team, at && format.exact(at)].filter(Boolean).join(" · ");
  const wanted = text.trim().toLowerCase();
  const all: PaletteCommand[] = [
    ...acts,
    ...sessions.map((entry) => ({
      name: entry.title || words.sidebar.untitled,
      icon: "chat" as const,
      keys: twins.has(entry.title ?? "") ? apart(entry) : words.palette.session,
      act: () => navigate(`/s/${entry.session}`),
    })),
  ];
  const found = all.filter((one) => fits(one.name.toLowerCase(), wanted)).slice(0, MOST);
  const active = Math.min(chosen, found.length - 1);
  const run = (one: PaletteCommand | undefined) => {
    if (!one) return;
    onClose();
    one.act();
  };
  return (
    <Dialog title={words.palette.title} onClose={onClose}>
      <input
        className="palette-input"
        role="combobox"
        aria-expanded="true"
        aria-controls={LIST}
        aria-activedescendant={found.length > 0 ? `${LIST}-${active}` : undefined}
        aria-label={words.palette.placeholder}
        placeholder={words.palette.placeholder}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setChosen(0);
        }}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === "ArrowDown") setChosen((active + 1) % found.length);
          else if (event.key === "ArrowUp") setChosen((active - 1 + found.length) % found.length);
          else if (event.key === "Enter") run(found[active]);
          else return;
          event.preventDefault();
        }}
      />
      <ul className="palette" id={LIST} role="listbox" aria-label={words.palette.title}>
        {found.map((one, i) => (
          // The keyboard goes through the text field, which keeps the focus.
          // eslint-disable-next-line jsx-a11y/click-events-have-key-events
          <li
            key={i}
            id={`${LIST}-${i}`}
            role="option"
            aria-selected={i === active}
            tabIndex={-1}
            onClick={() => run(one)}
          >
            <Icon name={one.icon} size={14} />
            <span>{one.name}</span>
            {one.keys && <kbd>{one.keys}</kbd>}
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="soft pad">{words.palette.nothing}</p>}
    </Dialog>
  );
}

/** All letters of what is wanted, in this order. */
function fits(name: string, wanted: string): boolean {
  let at = 0;
  for (const letter of wanted) {
    at = name.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
