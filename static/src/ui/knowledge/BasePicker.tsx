/** Selection of knowledge bases: as a list, or as chips where there is little room. */
import type { Base } from "../../wire/knowledge";
import { type ReactNode, useMemo } from "react";
import { useFormat, useTexts } from "../../i18n/locale";
import { BaseReaders } from "./BaseReaders";
import { Icon } from "../components/Icon";

/**
 * Returns, by id, a label for each base that shares its name with others: its owner, or its number if it also
 * shares the owner with one of them.
 */
export function distinctBaseNames(bases: Base[]): Map<number, string> {
  const marks = new Map<number, string>();
  for (const { id, name, owner } of bases) {
    const others = bases.filter((one) => one.name === name && one.id !== id);
    if (others.length === 0) continue;
    marks.set(id, others.some((one) => one.owner.id === owner.id) ? `#${id}` : owner.name);
  }
  return marks;
}

interface Props {
  bases: Base[];
  /** Ids of the chosen bases, including ones that I cannot read. */
  chosen: readonly string[];
  onChoose: (chosen: string[]) => void;
}

/** List for choosing knowledge bases. */
export function BasePicker({ bases, chosen, onChoose }: Props) {
  const texts = useTexts().knowledge;
  const format = useFormat();
  const toggle = (id: string, on: boolean) =>
    onChoose(on ? [...chosen, id] : chosen.filter((one) => one !== id));
  const unknownIds = chosen.filter((id) => !bases.some((base) => String(base.id) === id));
  return (
    <ul className="base-choice">
      {bases.map((base) => {
        const id = String(base.id);
        return (
          <Option
            key={id}
            id={id}
            name={base.name}
            means={texts.facts(base.documents, format.bytes(base.bytes))}
            chosen={chosen.includes(id)}
            onToggle={toggle}
          >
            <BaseReaders base={base} />
          </Option>
        );
      })}
      {unknownIds.map((id) => (
        <Option
          key={id}
          id={id}
          name={texts.given.unseen(id)}
          means={texts.given.unseenMeans}
          chosen
          onToggle={toggle}
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
  onToggle: (id: string, on: boolean) => void;
  children?: ReactNode;
}

function Option({ id, name, means, chosen, onToggle, children }: OptionProps) {
  return (
    <li>
      <label className="check">
        <input
          type="checkbox"
          name="base"
          checked={chosen}
          onChange={(event) => onToggle(id, event.target.checked)}
        />
        <span className="base-option">
          {name} <small>{means}</small>
        </span>
        {children}
      </label>
    </li>
  );
}

interface BaseChipsProps {
  bases: Base[];
  /** Ids of the chosen bases. */
  chosen: readonly string[];
  onChoose: (chosen: string[]) => void;
}

/** Chips for choosing knowledge bases where there is little room. */
export function BaseChips({ bases, chosen, onChoose }: BaseChipsProps) {
  const texts = useTexts().knowledge;
  const format = useFormat();
  const marks = useMemo(() => distinctBaseNames(bases), [bases]);
  return (
    <div className="base-chips">
      {bases.map(({ id: number, name, documents, bytes }) => {
        const id = String(number);
        const on = chosen.includes(id);
        return (
          <label
            key={id}
            className={on ? "base-chip on" : "base-chip"}
            title={texts.facts(documents, format.bytes(bytes))}
          >
            <input
              type="checkbox"
              className="hidden"
              name="base"
              checked={on}
              onChange={() => onChoose(on ? chosen.filter((one) => one !== id) : [...chosen, id])}
            />
            <Icon name={on ? "check" : "book"} size={13} /> <span className="file-name">{name}</span>
            {marks.has(number) && <small>{marks.get(number)}</small>}
          </label>
        );
      })}
    </div>
  );
}
