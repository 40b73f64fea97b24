/** Which knowledge bases are chosen. */
import type { ReactNode } from "react";
import type { Base } from "../../wire/knowledge";
import { useFormat, useWords } from "../../i18n/locale";
import { BaseReaders } from "./BaseReaders";

interface Props {
  bases: Base[];
  /** The ids of those that are chosen, also of some that I may not read. */
  chosen: readonly string[];
  onChoose: (chosen: string[]) => void;
}

export function BasePicker({ bases, chosen, onChoose }: Props) {
  const words = useWords().knowledge;
  const format = useFormat();
  const turn = (id: string, on: boolean) =>
    onChoose(on ? [...chosen, id] : chosen.filter((one) => one !== id));
  const unseen = chosen.filter((id) => !bases.some((base) => String(base.id) === id));
  return (
    <ul className="base-choice">
      {bases.map((base) => {
        const id = String(base.id);
        return (
          <Option
            key={id}
            id={id}
            name={base.name}
            means={words.facts(base.documents, format.bytes(base.bytes))}
            chosen={chosen.includes(id)}
            onTurn={turn}
          >
            <BaseReaders base={base} />
          </Option>
        );
      })}
      {unseen.map((id) => (
        <Option
          key={id}
          id={id}
          name={words.given.unseen(id)}
          means={words.given.unseenMeans}
          chosen
          onTurn={turn}
        />
      ))}
    </ul>
  );
}

interface OptionProps {
  id: string;
  name: string;
  means: string;
  chosen: boolean;
  onTurn: (id: string, on: boolean) => void;
  children?: ReactNode;
}

function Option({ id, name, means, chosen, onTurn, children }: OptionProps) {
  return (
    <li>
      <label className="check">
        <input
          type="checkbox"
          name="base"
          checked={chosen}
          onChange={(event) => onTurn(id, event.target.checked)}
        />
        <span className="base-option">
          {name} <small>{means}</small>
        </span>
        {children}
      </label>
    </li>
  );
}
