/** Which knowledge bases are chosen, where there is little room. */
import { useMemo } from "react";
import type { Base } from "../../wire/knowledge";
import { useFormat, useWords } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { distinctBaseNames } from "./distinctBaseNames";

interface Props {
  bases: Base[];
  /** The ids of those that are chosen. */
  chosen: readonly string[];
  onChoose: (chosen: string[]) => void;
}

export function BaseChips({ bases, chosen, onChoose }: Props) {
  const words = useWords().knowledge;
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
            title={words.facts(documents, format.bytes(bytes))}
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
