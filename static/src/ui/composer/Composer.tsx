/** Message field. Enter sends, Shift+Enter starts a new line, `@` opens completions. */
import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent } from "react";
import type { FileId, Mode, SessionId } from "../../protocol";
import { messageDestination } from "../../state/gateSelectors";
import { isActive, isBusy, isFullyPaused } from "../../state/runSelectors";
import { messageAccess } from "../../state/messageAccess";
import { canWrite, hasRight } from "../../state/participants";
import { isBlank } from "../../text/hiddenCharacters";
import { byteLength, DEFAULT_MAX_MESSAGE_BYTES } from "../../text/limits";
import {
  selectFiles,
  takeSelectedFiles,
  useSelectedFiles,
  useDraftAttachments,
  useDraft,
} from "../../app/drafts";
import { useApp, useClient, useMe, useMedia, useSession } from "../../app/hooks";
import { isComposing, useTypeToFocus } from "../../app/shortcuts";
import { useUploads, uploadAttachments } from "../../app/uploads";
import { useFormat, useTexts } from "../../i18n/locale";
import { DraftAttachments, FilePicker } from "../files/DraftAttachments";
import { pastedFiles } from "../files/paste";
import { UploadList } from "../files/UploadList";
import { findOpenField } from "../gates/focus";
import { Icon } from "../components/Icon";
import { ErrorNotice } from "../components/ErrorNotice";
import {
  MentionList,
  MENTION_LIST_ID,
  optionId,
  mentionAt,
  mentionOptions,
  type MentionOption,
} from "./MentionList";
import { COMPOSER_ID } from "./focusComposer";

export function Composer({ session }: { session: SessionId }) {
  const texts = useTexts();
  const format = useFormat();
  const client = useClient();
  const me = useMe();
  const ref = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useDraft(session);
  const [files, setFiles] = useDraftAttachments(session);
  const [mode, setMode] = useState<Mode>("queue");
  const [caret, setCaret] = useState(0);
  const [chosen, setChosen] = useState(0);
  const [closedAt, setClosedAt] = useState<number | null>(null);
  const known = useSession(session, ({ team, participants }) => ({ team, participants }));
  const busy = useSession(session, isBusy);
  const active = useSession(session, isActive);
  const narrow = useMedia("(max-width: 759px)");
  const isPaused = useSession(session, isFullyPaused);
  const destination = useSession(session, (state) => messageDestination(state, me));
  const canWriteMessages = useSession(session, (state) => canWrite(state));
  const access = useSession(session, (state) => messageAccess(state, text, me));
  const canAttach = useSession(session, (state) => hasRight(state, "say"));
  const limit = useApp((app) => app.limits?.max_text_bytes ?? DEFAULT_MAX_MESSAGE_BYTES);

  const mention = mentionAt(text, caret);
  const mentions =
    mention && mention.from !== closedAt ? mentionOptions(known, mention.query, me, texts) : [];
  const marked = Math.min(chosen, mentions.length - 1);
  const bytes = text.length * 3 > limit ? byteLength(text) : 0;

  // The field grows with its text, up to a limit in the style sheet.
  useEffect(() => {
    const field = ref.current;
    if (!field) return;
    field.style.height = "auto";
    field.style.height = `${field.scrollHeight}px`;
  }, [text, session]);

  useTypeToFocus(() => {
    const open = findOpenField();
    if (open) return open;
    const field = ref.current;
    field?.setSelectionRange(field.value.length, field.value.length);
    return field;
  });

  // Caret position in text that was not typed. It is applied before the next key press can arrive.
  const caretTarget = useRef<number | null>(null);
  useLayoutEffect(() => {
    if (caretTarget.current === null) return;
    ref.current?.setSelectionRange(caretTarget.current, caretTarget.current);
    caretTarget.current = null;
  }, [text]);

  const isUploading = useUploads(session).some((one) => one.attached && one.state !== "failed");
  const chosenFiles = useSelectedFiles(session);
  const ready =
    (!isBlank(text) || files.length + chosenFiles.length > 0) && !isUploading && access.access !== "deny";
  // While the run is paused, there is no step to join.
  const steerable = busy && !isPaused;
  const send = () => {
    const message = text.trim();
    if (!ready) return;
    const sendMode = steerable ? mode : "queue";
    const say = (more: FileId[]) => {
      client.say(session, message, sendMode, [...files, ...more]);
      setText("");
      setFiles([]);
      setMode("queue");
    };
    // Other people do not see a file before its message, because both are sent together.
    if (chosenFiles.length > 0) uploadAttachments(session, takeSelectedFiles(session), say);
    else say([]);
  };
  const complete = (option: MentionOption) => {
    if (!mention) return;
    const start = `${text.slice(0, mention.from)}@${option.insert} `;
    setText(start + text.slice(caret).replace(/^ /, ""));
    setCaret(start.length);
    setChosen(0);
    caretTarget.current = start.length;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter that ends an IME composition, for example of a Chinese word, must not send the message.
    if (isComposing(event.nativeEvent)) return;
    if (mentions.length > 0) {
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        const step = event.key === "ArrowDown" ? 1 : -1;
        setChosen((marked + step + mentions.length) % mentions.length);
        return;
      }
      if ((event.key === "Enter" && !event.shiftKey) || event.key === "Tab") {
        event.preventDefault();
        complete(mentions[marked]!);
        return;
      }
      if (event.key === "Escape") {
        event.preventDefault();
        setClosedAt(mention!.from);
        return;
      }
    }
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      send();
    } else if (event.key === "Escape" && !busy) {
      event.preventDefault();
      ref.current?.blur();
    }
  };

  if (!canWriteMessages) return null;
  const otherwise = isPaused ? "paused" : busy ? "busy" : active ? "between" : "start";
  const hint = destination === "waits" ? otherwise : destination;
  const isIgnored = (destination === "form" || destination === "aside") && !isBlank(text);
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {steerable && <ModeSwitch mode={mode} onChange={setMode} />}
      <DraftAttachments session={session} />
      <UploadList to={session} attached />
      <div className="composer-box">
        {mentions.length > 0 && <MentionList options={mentions} chosen={marked} onChoose={complete} />}
        {canAttach && (
          <FilePicker
            label={texts.files.attach}
            className="quiet square"
            onPick={(picked) => selectFiles(session, picked)}
          >
            <Icon name="clip" />
          </FilePicker>
        )}
        <textarea
          id={COMPOSER_ID}
          ref={ref}
          rows={1}
          value={text}
          // The text cannot be edited while its files are being uploaded.
          readOnly={isUploading}
          dir="auto"
          placeholder={(narrow ? texts.composer.short : texts.composer.hints)[hint]}
          aria-label={texts.composer.label}
          aria-describedby={access.access !== "allow" ? "composer-access" : undefined}
          aria-controls={mentions.length > 0 ? MENTION_LIST_ID : undefined}
          aria-autocomplete="list"
          aria-activedescendant={mentions.length > 0 ? optionId(marked) : undefined}
          onChange={(event) => {
            setText(event.target.value);
            setCaret(event.target.selectionStart);
            setChosen(0);
            setClosedAt(null);
            client.signalTyping(session);
          }}
          onPaste={(event) => {
            const pasted = pastedFiles(event.clipboardData);
            if (pasted.length === 0 || !canAttach) return;
            event.preventDefault();
            selectFiles(session, pasted);
          }}
          onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
          onKeyDown={onKeyDown}
        />
        <button
          type="submit"
          className="primary square"
          disabled={!ready}
          title={isUploading ? texts.files.busy : undefined}
          aria-label={texts.common.send}
        >
          <Icon name="send" />
        </button>
      </div>
      {access.access !== "allow" && (
        <small className="unheard" role="status" id="composer-access">
          <Icon name={access.access === "ask" ? "info" : "lock"} size={13} />{" "}
          {texts.composer.access[access.to][access.access]}
        </small>
      )}
      {isIgnored && (
        <small className="unheard" role="status">
          <Icon name="info" size={13} /> {texts.composer.unheard[destination]}
        </small>
      )}
      {bytes > limit && (
        <ErrorNotice>{texts.composer.tooLong(...format.sizeAndLimit(bytes, limit))}</ErrorNotice>
      )}
    </form>
  );
}

/** Switch for the effect of Enter while agents work, with a description. */
function ModeSwitch({ mode, onChange }: { mode: Mode; onChange: (mode: Mode) => void }) {
  const texts = useTexts();
  const { composer } = texts;
  const choices = [
    { mode: "queue", icon: "hourglass", label: composer.queue, means: composer.queueMeans },
    { mode: "steer", icon: "bolt", label: composer.steer, means: composer.steerMeans },
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
            {choice.label}
          </label>
        ))}
      </div>
      <small aria-live="polite">{choices.find((choice) => choice.mode === mode)?.means}</small>
    </fieldset>
  );
}
