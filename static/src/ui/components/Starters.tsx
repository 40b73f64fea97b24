/** Suggested first messages: choosing one fills the field but sends nothing. */
import { useId } from "react";
import { useTexts } from "../../i18n/locale";

export function Starters({ starters, onPick }: { starters: string[]; onPick: (text: string) => void }) {
  const id = useId();
  const texts = useTexts();
  if (starters.length === 0) return null;
  return (
    <div className="starters" role="group" aria-labelledby={id}>
      <p id={id} className="soft">
        {texts.fresh.starters}
      </p>
      {starters.map((starter) => (
        <button key={starter} type="button" className="starter" onClick={() => onPick(starter)}>
          <bdi>{starter}</bdi>
        </button>
      ))}
    </div>
  );
}
