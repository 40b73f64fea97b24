/** The list of completions above the caret's line. */
import { useWords } from "../../i18n/locale";
import { Avatar, emblemOf } from "../components/Avatar";
import type { MentionOption } from "./mentions";

export const MENTION_LIST_ID = "composer-completion";

/** The id of one option, for `aria-activedescendant`. */
export function optionId(index: number): string {
  return `${MENTION_LIST_ID}-${index}`;
}

interface Props {
  options: MentionOption[];
  chosen: number;
  onChoose: (option: MentionOption) => void;
}

export function MentionList({ options, chosen, onChoose }: Props) {
  const words = useWords();
  return (
    <ul className="completion" id={MENTION_LIST_ID} role="listbox" aria-label={words.composer.completion}>
      {options.map((option, i) => (
        // The keyboard goes through the text field, which keeps the focus.
        // eslint-disable-next-line jsx-a11y/click-events-have-key-events
        <li
          key={option.insert}
          id={optionId(i)}
          role="option"
          aria-selected={i === chosen}
          tabIndex={-1}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(option)}
        >
          {option.who ? (
            <Avatar
              kind={option.who.kind}
              id={option.who.id}
              name={option.name}
              emblem={emblemOf({ title: option.who.title })}
              size="s"
            />
          ) : (
            <span className="completion-at" aria-hidden="true">
              @
            </span>
          )}
          <span>{option.name}</span>
          <small>
            {option.detail}
            {option.insert !== option.name && ` · …${option.insert.slice(-6)}`}
          </small>
        </li>
      ))}
    </ul>
  );
}
