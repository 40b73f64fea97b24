/** The list of proposals above the caret's line. */
import { useWords } from "../../i18n/locale";
import { Avatar, emblemOf } from "../parts/Avatar";
import type { Proposal } from "./completion";

export const LIST = "composer-completion";

/** The id of one proposal, for `aria-activedescendant`. */
export function optionId(index: number): string {
  return `${LIST}-${index}`;
}

interface Props {
  proposals: Proposal[];
  chosen: number;
  onChoose: (proposal: Proposal) => void;
}

export function Completion({ proposals, chosen, onChoose }: Props) {
  const words = useWords();
  return (
    <ul className="completion" id={LIST} role="listbox" aria-label={words.composer.completion}>
      {proposals.map((proposal, i) => (
        // The keyboard goes through the text field, which keeps the focus.
        // eslint-disable-next-line jsx-a11y/click-events-have-key-events
        <li
          key={proposal.insert}
          id={optionId(i)}
          role="option"
          aria-selected={i === chosen}
          tabIndex={-1}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(proposal)}
        >
          {proposal.who ? (
            <Avatar
              kind={proposal.who.kind}
              id={proposal.who.id}
              name={proposal.name}
              emblem={emblemOf({ title: proposal.who.title })}
              size="s"
            />
          ) : (
            <span className="completion-at" aria-hidden="true">
              @
            </span>
          )}
          <span>{proposal.name}</span>
          <small>
            {proposal.detail}
            {proposal.insert !== proposal.name && ` · …${proposal.insert.slice(-6)}`}
          </small>
        </li>
      ))}
    </ul>
  );
}
