/** A dialog on the browser's own: focus stays inside, Esc closes, what is behind cannot be reached. */
import { useEffect, useId, useRef, type ReactNode } from "react";
import { useWords } from "../../i18n/locale";
import { Icon } from "./Icon";

interface Props {
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** What stays in sight below it, however long it is. */
  foot?: ReactNode;
  /** What it asks for is sent. */
  onSubmit?: () => void;
  wide?: boolean;
}

export function Dialog({ title, onClose, children, foot, onSubmit, wide }: Props) {
  const words = useWords();
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    const before = document.activeElement;
    dialog?.showModal();
    // By itself the browser would choose the button that closes it.
    dialog?.querySelector<HTMLElement>("input:not([type=radio]), textarea, select")?.focus();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const inside = (
    <>
      <div className="dialog-scroll">{children}</div>
      {foot && <div className="dialog-foot">{foot}</div>}
    </>
  );
  return (
    // A press on what is behind closes it, as Esc does; keys inside it are not the page's.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={ref}
      className={wide ? "dialog wide" : "dialog"}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <div className="dialog-body">
        <header className="dialog-head">
          <h2 id={id}>{title}</h2>
          <button type="button" className="quiet square" onClick={onClose} aria-label={words.common.close}>
            <Icon name="cross" />
          </button>
        </header>
        {onSubmit ? (
          <form
            className="dialog-main"
            onSubmit={(event) => {
              event.preventDefault();
              onSubmit();
            }}
          >
            {inside}
          </form>
        ) : (
          <div className="dialog-main">{inside}</div>
        )}
      </div>
    </dialog>
  );
}
