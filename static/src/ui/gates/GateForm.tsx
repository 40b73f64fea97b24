/** Frame of the forms at a gate: the button or Ctrl+Enter sends, Esc or the second button cancels. */
import type { ReactNode, Ref } from "react";
import type { Gate, SessionId } from "../../protocol";
import { isComposing } from "../../app/shortcuts";
import { useClient, useLive, useSession } from "../../app/hooks";
import { useTexts } from "../../i18n/locale";

interface Props {
  ref?: Ref<HTMLFormElement>;
  className: string;
  /** Label of the button that sends the form; null hides the buttons. */
  submit: ReactNode;
  danger?: boolean;
  /** True for a form that does not decide: its button must not look like one that decides. */
  secondary?: boolean;
  disabled: boolean;
  onSubmit: () => void;
  /** Closes the form. If absent, the form cannot be closed. */
  onCancel?: () => void;
  /** Shown next to the buttons. */
  aside?: ReactNode;
  children: ReactNode;
}

export function GateForm(props: Props) {
  const { ref, className, submit, danger, secondary, disabled, onSubmit, onCancel, aside, children } = props;
  const { common } = useTexts();
  return (
    // The keys work in all fields of the form, even where Enter starts a new line.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <form
      ref={ref}
      className={className}
      // The page shows errors next to their fields, in its own wording.
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
      onKeyDown={(event) => {
        if (isComposing(event.nativeEvent) || event.defaultPrevented) return;
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) onSubmit();
        if (event.key !== "Escape" || !onCancel) return;
        event.preventDefault();
        // Outside the form, Esc acts on the run.
        event.stopPropagation();
        onCancel();
      }}
    >
      {children}
      {submit !== null && (
        <div className="dock-actions">
          <button
            type="submit"
            className={danger ? "danger" : secondary ? undefined : "primary"}
            disabled={disabled}
          >
            {submit}
          </button>
          {onCancel && (
            <button type="button" className="quiet" onClick={onCancel}>
              {common.cancel}
            </button>
          )}
          {aside}
        </div>
      )}
    </form>
  );
}

/**
 * Button that declines a question, if the gate allows that: only a tool that asks can be told that nobody
 * answers.
 */
export function DeclineButton({ session, gate, busy }: { session: SessionId; gate: Gate; busy: boolean }) {
  const { question } = useTexts().work.gates;
  const client = useClient();
  const live = useLive();
  const allowed = useSession(
    session,
    (state) => gate.allow.includes("reject") && state.rights.includes("approve"),
  );
  if (!allowed) return null;
  return (
    <button
      type="button"
      disabled={busy || !live}
      onClick={() => client.vote(session, gate, "reject")}
      title={question.declineHint}
    >
      {question.decline}
    </button>
  );
}
