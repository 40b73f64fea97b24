/** Editing of a team: its document with undo, and its validation by the server during typing. */
import { useCallback, useEffect, useMemo, useState } from "react";
import { change, newHistory, redo, undo, type UndoHistory } from "../state/undoHistory";
import { existingPart, setValue, TEAM, type Edit } from "../state/teamDocument";
import { documentErrors, teams, type DocumentError, type TeamDocument } from "../wire/teams";
import { ApiError } from "../wire/rest";
import { useLive } from "./hooks";

/** Milliseconds without a change after which the document is validated. */
const VALIDATE_AFTER_MS = 400;

/** Milliseconds after which a validation that the server could not perform is retried. */
const RETRY_MS = 3000;

/** A document that is being edited. */
export interface DocumentEditing {
  document: TeamDocument;
  /** Pointer to the selected part. */
  selected: string;
  select: (pointer: string) => void;
  /** Sets the value at a pointer; undefined removes it. */
  set: (pointer: string, value: unknown) => void;
  /** Applies an edit of whole parts. */
  apply: (edit: (document: TeamDocument) => Edit) => void;
  /** Null if there is nothing to undo. */
  undo: (() => void) | null;
  redo: (() => void) | null;
  /** True if the document differs from the saved one. */
  changed: boolean;
  /** Marks this document as the saved one. */
  saved: (document: TeamDocument) => void;
  /** Replaces the document and its history. */
  reset: (document: TeamDocument) => void;
}

/** Edits a document. `saved` is the stored document, or null for a new one. */
export function useDocumentEditing(initial: TeamDocument, saved: TeamDocument | null): DocumentEditing {
  const [history, setHistory] = useState<UndoHistory<TeamDocument>>(() => newHistory(initial));
  const [stored, setStored] = useState(saved);
  const [chosen, setChosen] = useState(TEAM);
  const document = history.present;
  const set = useCallback(
    (pointer: string, value: unknown) =>
      setHistory((before) => change(before, setValue(before.present, pointer, value), pointer)),
    [],
  );
  const apply = (edit: (document: TeamDocument) => Edit) => {
    const next = edit(document);
    setHistory((before) => change(before, next.document));
    setChosen(next.selected);
  };
  const reset = (next: TeamDocument) => {
    setHistory(newHistory(next));
    setStored(next);
  };
  return {
    document,
    selected: existingPart(document, chosen),
    select: setChosen,
    set,
    apply,
    undo: history.past.length > 0 ? () => setHistory(undo) : null,
    redo: history.future.length > 0 ? () => setHistory(redo) : null,
    changed: useMemo(() => JSON.stringify(document) !== JSON.stringify(stored), [document, stored]),
    saved: setStored,
    reset,
  };
}

/** Result of the last validation. */
export interface Validation {
  /** Null before the first result. */
  errors: DocumentError[] | null;
  /** True if there are more errors than listed. */
  truncated: boolean;
  /** True while the document on screen is being validated. */
  busy: boolean;
}

/** Validates the document whenever it has not changed for a moment. */
export function useDocumentValidation(document: TeamDocument): Validation {
  const live = useLive();
  const [result, setResult] = useState<{ of: TeamDocument; errors: DocumentError[]; truncated: boolean }>();
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (!live) return;
    let current = true;
    let retry: ReturnType<typeof setTimeout> | undefined;
    const timer = setTimeout(() => {
      const finish = (errors: DocumentError[], truncated: boolean) => {
        if (current) setResult({ of: document, errors, truncated });
      };
      teams.validate(document).then(
        () => finish([], false),
        (error: unknown) => {
          const { errors, truncated } = documentErrors(error);
          if (errors.length > 0) finish(errors, truncated);
          else if (error instanceof ApiError && !error.body.retryable)
            // For example, the document is too large as a whole.
            finish([{ pointer: TEAM, code: error.body.code, message: error.body.message }], false);
          else if (current) retry = setTimeout(() => setTries((n) => n + 1), RETRY_MS);
        },
      );
    }, VALIDATE_AFTER_MS);
    return () => {
      current = false;
      clearTimeout(timer);
      clearTimeout(retry);
    };
  }, [document, live, tries]);
  return {
    errors: result?.errors ?? null,
    truncated: result?.truncated ?? false,
    busy: live && result?.of !== document,
  };
}
