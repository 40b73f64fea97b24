/** Dialogs: plain, as a form, and as a form that asks before something ends for good. */
import { useEffect, useId, useRef, type ReactNode, useState } from "react";
import { useWords } from "../../i18n/locale";
import { Icon } from "./Icon";
import type { RequestState } from "../../app/requests";
import { ErrorNotice } from "./ErrorNotice";

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

/** A dialog on the browser's own: focus stays inside, Esc closes, what is behind cannot be reached. */
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

interface FormDialogProps {
  title: string;
  /** What the button that sends it says. */
  submit: string;
  /** What the button that gives up says, where that is not "Cancel". */
  cancel?: string;
  /** It destroys something. */
  danger?: boolean;
  /** How the request that it makes stands. */
  status?: RequestState;
  /** Something is wanting still. */
  incomplete?: boolean;
  wide?: boolean;
  onSubmit: () => void;
  onClose: () => void;
  children?: ReactNode;
}

/** A dialog that asks for something: its fields, what was refused, and two buttons. */
export function FormDialog({
  title,
  submit,
  cancel,
  danger,
  status,
  incomplete,
  wide,
  onSubmit,
  onClose,
  children,
}: FormDialogProps) {
  const words = useWords();
  const foot = (
    <>
      {status?.error && <ErrorNotice>{status.error}</ErrorNotice>}
      <div className="buttons end">
        <button type="button" className="quiet" onClick={onClose}>
          {cancel ?? words.common.cancel}
        </button>
        <button
          type="submit"
          className={danger ? "danger solid" : "primary"}
          disabled={status?.busy || incomplete}
        >
          {submit}
        </button>
      </div>
    </>
  );
  return (
    <Dialog title={title} onClose={onClose} onSubmit={onSubmit} foot={foot} wide={wide}>
      <div className="stack">{children}</div>
    </Dialog>
  );
}

interface ConfirmDialogProps {
  /** Without `reason` it asks for none. */
  words: { title: string; text: string; reason?: string; yes: string; no: string };
  status?: RequestState;
  /** The reason may be empty. */
  onEnd: (reason: string) => void;
  onClose: () => void;
}

/** Asks before something ends for good, and why it does. */
export function ConfirmDialog({ words, status, onEnd, onClose }: ConfirmDialogProps) {
  const { common } = useWords();
  const [reason, setReason] = useState("");
  return (
    <FormDialog
      title={words.title}
      submit={words.yes}
      cancel={words.no}
      danger
      status={status}
      onSubmit={() => onEnd(reason.trim())}
      onClose={onClose}
    >
      <p>{words.text}</p>
      {words.reason && (
        <label>
          <span>
            {words.reason} <small>{common.optional}</small>
          </span>
          <input value={reason} onChange={(event) => setReason(event.target.value)} />
        </label>
      )}
    </FormDialog>
  );
}
