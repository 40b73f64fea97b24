/** While agents work: says in words what Enter will do, and lets one choose. */
import type { Mode } from "../../protocol";
import { useWords } from "../../i18n/locale";
import { Icon } from "../components/Icon";

export function ModeSwitch({ mode, onChange }: { mode: Mode; onChange: (mode: Mode) => void }) {
  const words = useWords();
  const { composer } = words;
  const choices = [
    { mode: "queue", icon: "hourglass", word: composer.queue, means: composer.queueMeans },
    { mode: "steer", icon: "bolt", word: composer.steer, means: composer.steerMeans },
  ] as const;
  return (
    <fieldset className="mode">
      <legend className="hidden">{composer.modeLabel}</legend>
      <div className="segments">
        {choices.map((choice) => (
          <label key={choice.mode} className={mode === choice.mode ? "segment on" : "segment"}>
            <input
              type="radio"
              name="mode"
              className="hidden"
              checked={mode === choice.mode}
              onChange={() => onChange(choice.mode)}
            />
            <Icon name={choice.icon} size={14} />
            {choice.word}
          </label>
        ))}
      </div>
      <small aria-live="polite">{choices.find((choice) => choice.mode === mode)?.means}</small>
    </fieldset>
  );
}
