/** Dialogs: plain, with a form, and with a confirmation. */
import { useEffect, useId, useRef, type ReactNode, useState } from "react";
import { useTexts } from "../../i18n/locale";
import { Icon } from "./Icon";
import type { RequestState } from "../../app/requests";
import { ErrorNotice } from "./ErrorNotice";

interface Props {
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** Footer that stays visible below long content. */
  footer?: ReactNode;
  /** Called when the form is submitted. */
  onSubmit?: () => void;
  wide?: boolean;
}

/**
 * Dialog based on the `dialog` element: the focus stays inside, Esc closes it, and the page behind it is
 * inert.
 */
export function Dialog({ title, onClose, children, footer, onSubmit, wide }: Props) {
  const texts = useTexts();
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    const before = document.activeElement;
    dialog?.showModal();
    // By default, the browser would focus the close button.
    dialog?.querySelector<HTMLElement>("input:not([type=radio]), textarea, select")?.focus();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const inside = (
    <>
      <div className="dialog-scroll">{children}</div>
      {footer && <div className="dialog-foot">{footer}</div>}
    </>
  );
  return (
    // A click outside the dialog closes it, as Esc does; keys that are pressed inside it do not reach the
    // page.
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
          <button type="button" className="quiet square" onClick={onClose} aria-label={texts.common.close}>
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
  /** Label of the submit button. */
  submit: string;
  /** Label of the cancel button, if not "Cancel". */
  cancel?: string;
  /** True if the action destroys something. */
  danger?: boolean;
  /** State of the request. */
  status?: RequestState;
  /** True if a required field is empty. */
  incomplete?: boolean;
  wide?: boolean;
  onSubmit: () => void;
  onClose: () => void;
  children?: ReactNode;
}

/** Dialog with a form: its fields, the error, and two buttons. */
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
  const texts = useTexts();
  const footer = (
    <>
      {status?.error && <ErrorNotice>{status.error}</ErrorNotice>}
      <div className="buttons end">
        <button type="button" className="quiet" onClick={onClose}>
          {cancel ?? texts.common.cancel}
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
    <Dialog title={title} onClose={onClose} onSubmit={onSubmit} footer={footer} wide={wide}>
      <div className="stack">{children}</div>
    </Dialog>
  );
}

interface ConfirmDialogProps {
  /** Texts of the dialog. Without `reason`, there is no field for a reason. */
  texts: { title: string; text: string; reason?: string; yes: string; no: string };
  status?: RequestState;
  /** Called when the user confirms. The reason can be empty. */
  onEnd: (reason: string) => void;
  onClose: () => void;
  /** Further consequences, shown below the text. */
  children?: ReactNode;
}

/** Confirmation before something ends permanently, optionally with a field for the reason. */
export function ConfirmDialog({ texts, status, onEnd, onClose, children }: ConfirmDialogProps) {
  const { common } = useTexts();
  const [reason, setReason] = useState("");
  return (
    <FormDialog
      title={texts.title}
      submit={texts.yes}
      cancel={texts.no}
      danger
      status={status}
      onSubmit={() => onEnd(reason.trim())}
      onClose={onClose}
    >
      <p>{texts.text}</p>
      {children}
      {texts.reason && (
        <label>
          <span>
            {texts.reason} <small>{common.optional}</small>
          </span>
          <input value={reason} onChange={(event) => setReason(event.target.value)} />
        </label>
      )}
    </FormDialog>
  );
}
