/** A dialog that asks for something: its fields, what was refused, and two buttons. */
import type { ReactNode } from "react";
import type { RequestState } from "../../app/useRequest";
import { useWords } from "../../i18n/locale";
import { Dialog } from "./Dialog";
import { ErrorNotice } from "./ErrorNotice";

interface Props {
  title: string;
  /** What the button that sends it says. */
  submit: string;
  /** What the button that gives up says, where that is not "Cancel". */
  cancel?: string;
  /** It destroys something. */
  danger?: boolean;
  /** How the request that it makes stands. */
  asking?: RequestState;
  /** Something is wanting still. */
  incomplete?: boolean;
  wide?: boolean;
  onSubmit: () => void;
  onClose: () => void;
  children?: ReactNode;
}

export function FormDialog({
  title,
  submit,
  cancel,
  danger,
  asking,
  incomplete,
  wide,
  onSubmit,
  onClose,
  children,
}: Props) {
  const words = useWords();
  const foot = (
    <>
      {asking?.error && <ErrorNotice>{asking.error}</ErrorNotice>}
      <div className="buttons end">
        <button type="button" className="quiet" onClick={onClose}>
          {cancel ?? words.common.cancel}
        </button>
        <button
          type="submit"
          className={danger ? "danger solid" : "primary"}
          disabled={asking?.busy || incomplete}
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
