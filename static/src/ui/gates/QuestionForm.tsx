/** A question of an agent or a tool server: as a form, as text, or as a page to open. */
import { useMemo, useRef, useState, type ReactNode } from "react";
import { flushSync } from "react-dom";
import type { Gate, SessionId } from "../../protocol";
import { useGateDraftField, type SendState } from "../../app/drafts";
import { useClient, useLive } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { stringify } from "../../json/lossless";
import { draftOf, readDraft, fittingFields, type FormDraft } from "../form/formDraft";
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
  sent: SendState;
  /** Why it was refused. */
  children: ReactNode;
}

/** Where the first thing that is wrong can be mended. */
const WRONG = ".form-field.wrong :is(input, textarea, select)";

/** Plain words are asked for like any text. */
const WORDS = { type: "string", format: "textarea" };

/** An agent's question: as a form where it says what the answer must look like, else in plain words. */
export function QuestionForm({ session, gate, sent, children }: Props) {
  const words = useWords();
  const { busy } = sent;
  const client = useClient();
  const live = useLive();
  const [fields, defaults] = useMemo(() => {
    const asked = fieldsOf(gate.schema ?? WORDS);
    return [fittingFields(asked, defaultsOf(asked)), defaultsOf(asked)];
  }, [gate.schema]);
  const [begun, begin] = useGateDraftField(session, gate.id, "answer", sent);
  const inWords = fields[0]?.name === "" && fields[0].kind === "text";
  const [draft, setDraft] = useState<FormDraft>(() =>
    inWords && begun ? { "": begun } : draftOf(fields, defaults),
  );
  const answer = useMemo(() => readDraft(fields, draft), [fields, draft]);
  const { faults, onLeave, onTry } = useFieldErrors(answer.faults);
  const box = useRef<HTMLFormElement>(null);
  const fill = (next: FormDraft) => {
    setDraft(next);
    const untouched = stringify(next) === stringify(draftOf(fields, defaults));
    begin(untouched ? "" : inWords ? String(next[""] ?? "") : formatJson(stringify(next)));
  };
  const send = () => {
    const whole = Object.keys(answer.faults).length === 0;
    if (whole && live && !busy) return client.answer(session, gate, answer.value);
    // What is wrong may stand where nobody sees it: it is said there, and one is taken to the first of it.
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
          {busy ? words.work.gates.question.sending : words.work.gates.question.answer}
        </>
      }
      disabled={busy || !live}
      onSubmit={send}
      aside={<DeclineButton session={session} gate={gate} busy={busy} />}
    >
      <ScrollingForm>
        <SchemaForm fields={fields} draft={draft} faults={faults} onChange={fill} onLeave={onLeave} />
      </ScrollingForm>
      {children}
    </GateForm>
  );
}

interface LinkQuestionProps {
  session: SessionId;
  gate: Gate;
  link: string;
  sent: SendState;
  /** Why it was refused. */
  children: ReactNode;
}

/** A page that a server asks people to open: its host and all of its address first, and nothing before somebody agrees. */
export function LinkQuestion({ session, gate, link, sent: { busy }, children }: LinkQuestionProps) {
  const { question } = useWords().work.gates;
  const client = useClient();
  const live = useLive();
  const url = parseLink(link);
  const open = () => {
    if (!url) return;
    // The page learns neither where it was opened nor can it reach back.
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

/** The address, if it is one of a page. Its host is in ASCII, so that no letter looks like another. */
export function parseLink(link: string): URL | null {
  const url = URL.canParse(link) ? new URL(link) : null;
  return url && (url.protocol === "https:" || url.protocol === "http:") ? url : null;
}

/** Who asks, where a server of tools does, and who reads what people answer. */
export function QuestionOrigin({ origin }: { origin: NonNullable<Gate["origin"]> }) {
  const { question } = useWords().work.gates;
  const server = escapeHidden(origin.server);
  return (
    <p className="dock-context" data-testid="origin">
      {origin.link ? question.page(server) : question.readBy(server)}
    </p>
  );
}
