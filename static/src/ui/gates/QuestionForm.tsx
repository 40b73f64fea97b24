/** Question of an agent or an MCP server: as a form, as text, or as a page to open. */
import { useMemo, useRef, useState, type ReactNode } from "react";
import { flushSync } from "react-dom";
import type { Gate, SessionId } from "../../protocol";
import { useGateDraftField, type SendState } from "../../app/drafts";
import { useClient, useLive } from "../../app/hooks";
import { useTexts } from "../../i18n/locale";
import { stringify } from "../../json/lossless";
import { draftOf, parseDraft, fittingFields, type FormDraft } from "../form/formDraft";
import { defaultsOf, fieldsOf } from "../form/fields";
import { SchemaForm } from "../form/SchemaForm";
import { ScrollingForm } from "../form/ScrollingForm";
import { useFieldErrors } from "../form/validation";
import { Icon } from "../components/Icon";
import { DeclineButton, GateForm } from "./GateForm";
import { formatJson } from "../../json/jsonText";
import { escapeHidden } from "../../text/hiddenCharacters";

interface Props {
  session: SessionId;
  gate: Gate;
  sendState: SendState;
  /** Error of the last attempt. */
  children: ReactNode;
}

/** Selector of the first field with an error. */
const WRONG = ".form-field.wrong :is(input, textarea, select)";

const PLAIN_TEXT_SCHEMA = { type: "string", format: "textarea" };

/** Question of an agent: a form if it has a schema, otherwise a text field. */
export function QuestionForm({ session, gate, sendState, children }: Props) {
  const texts = useTexts();
  const { busy } = sendState;
  const client = useClient();
  const live = useLive();
  const [fields, defaults] = useMemo(() => {
    const schemaFields = fieldsOf(gate.schema ?? PLAIN_TEXT_SCHEMA);
    const defaults = defaultsOf(schemaFields);
    return [fittingFields(schemaFields, defaults), defaults];
  }, [gate.schema]);
  const [savedText, saveText] = useGateDraftField(session, gate.id, "answer", sendState);
  const isPlainText = fields[0]?.name === "" && fields[0].kind === "text";
  const [draft, setDraft] = useState<FormDraft>(() =>
    isPlainText && savedText ? { "": savedText } : draftOf(fields, defaults),
  );
  const answer = useMemo(() => parseDraft(fields, draft), [fields, draft]);
  const { errors, onLeave, onTry } = useFieldErrors(answer.errors);
  const box = useRef<HTMLFormElement>(null);
  const change = (next: FormDraft) => {
    setDraft(next);
    const untouched = stringify(next) === stringify(draftOf(fields, defaults));
    saveText(untouched ? "" : isPlainText ? String(next[""] ?? "") : formatJson(stringify(next)));
  };
  const send = () => {
    const isValid = Object.keys(answer.errors).length === 0;
    if (isValid && live && !busy) return client.answer(session, gate, answer.value);
    // The first error can be out of view, so the focus moves to it.
    flushSync(onTry);
    box.current?.querySelector<HTMLElement>(WRONG)?.focus();
  };
  return (
    <GateForm
      ref={box}
      className="question"
      submit={
        <>
          <Icon name="reply" />
          {busy ? texts.work.gates.question.sending : texts.work.gates.question.answer}
        </>
      }
      disabled={busy || !live}
      onSubmit={send}
      aside={<DeclineButton session={session} gate={gate} busy={busy} />}
    >
      <ScrollingForm>
        <SchemaForm fields={fields} draft={draft} errors={errors} onChange={change} onLeave={onLeave} />
      </ScrollingForm>
      {children}
    </GateForm>
  );
}

interface LinkQuestionProps {
  session: SessionId;
  gate: Gate;
  link: string;
  sendState: SendState;
  /** Error of the last attempt. */
  children: ReactNode;
}

/**
 * Page that a server asks people to open. The host and the complete URL are shown, and the page opens only
 * after someone agrees.
 */
export function LinkQuestion({ session, gate, link, sendState: { busy }, children }: LinkQuestionProps) {
  const { question } = useTexts().work.gates;
  const client = useClient();
  const live = useLive();
  const url = parseLink(link);
  const open = () => {
    if (!url) return;
    // The page does not learn where it was opened from, and cannot access the opener.
    window.open(url.href, "_blank", "noopener,noreferrer");
    client.answer(session, gate, {});
  };
  return (
    <div className="question">
      <p>
        {question.host} <strong>{url?.host ?? "?"}</strong>
      </p>
      <p className="link-address">
        <code>{link}</code>
      </p>
      {children}
      <div className="dock-actions">
        <button
          type="button"
          className="primary"
          disabled={busy || !live || !url}
          title={question.openHint}
          onClick={open}
        >
          <Icon name="reply" />
          {busy ? question.sending : question.open}
        </button>
        <DeclineButton session={session} gate={gate} busy={busy} />
      </div>
    </div>
  );
}

/**
 * Returns the URL if it is that of a web page, otherwise null. Its host is in ASCII, so that no letter can
 * imitate another.
 */
export function parseLink(link: string): URL | null {
  const url = URL.canParse(link) ? new URL(link) : null;
  return url && (url.protocol === "https:" || url.protocol === "http:") ? url : null;
}

/** Server that asks a question, and the readers of the answer. */
export function QuestionOrigin({ origin }: { origin: NonNullable<Gate["origin"]> }) {
  const { question } = useTexts().work.gates;
  const server = escapeHidden(origin.server);
  return (
    <p className="dock-context" data-testid="origin">
      {origin.link ? question.page(server) : question.readBy(server)}
    </p>
  );
}
