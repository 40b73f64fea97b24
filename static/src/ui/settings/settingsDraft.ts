/** Draft of the session settings, and what it changes. */
import type { Role, Quorum, Settings } from "../../protocol";

/** Numeric settings, with their ranges on the server. */
export const NUMBER_SETTINGS = {
  max_messages_per_run: [2, 1000],
  max_steps_per_run: [1, 1000],
  max_turns_per_task: [1, 200],
  max_parallel: [1, 256],
  max_calls_per_turn: [1, 64],
  max_retries: [0, 20],
  max_repairs: [0, 20],
  max_attempts: [1, 20],
  max_waiting_messages: [1, 1000],
} as const satisfies { [name in keyof Settings]?: readonly [number, number] };

/** Name of a numeric setting. */
export type NumberName = keyof typeof NUMBER_SETTINGS;

/** Content of the fields. */
export interface SettingsDraft {
  quorum: Quorum["kind"];
  n: string;
  role: Role;
  /** Empty: a decision stays open until it is made. */
  minutes: string;
  /** Empty: the session is kept forever. */
  days: string;
  numbers: Record<NumberName, string>;
}

export const NUMBER_NAMES = Object.keys(NUMBER_SETTINGS) as NumberName[];

/** Returns the fields for the settings. */
export function settingsDraftOf(settings: Settings): SettingsDraft {
  const { approval = { kind: "any" }, gate_seconds: seconds, retention_days: days } = settings;
  const numbers = NUMBER_NAMES.map((name) => [name, String(settings[name] ?? "")]);
  return {
    quorum: approval.kind,
    n: approval.kind === "at_least" ? String(approval.n) : "2",
    role: approval.kind === "role" ? approval.role : "reviewer",
    minutes: seconds ? String(seconds / 60) : "",
    days: days ? String(days) : "",
    numbers: Object.fromEntries(numbers) as SettingsDraft["numbers"],
  };
}

/** Returns the changed settings. Only these are sent, so that two people can change different ones at once. */
export function changedSettings(before: SettingsDraft, after: SettingsDraft): Partial<Settings> {
  const changes: Partial<Settings> = {};
  const quorum = quorumOf(after);
  if (JSON.stringify(quorum) !== JSON.stringify(quorumOf(before))) changes.approval = quorum;
  if (after.minutes !== before.minutes)
    changes.gate_seconds = after.minutes.trim() ? Math.round(Number(after.minutes) * 60) : null;
  if (after.days !== before.days)
    changes.retention_days = after.days.trim() ? Math.round(Number(after.days)) : null;
  for (const name of NUMBER_NAMES)
    if (after.numbers[name].trim() && after.numbers[name] !== before.numbers[name])
      changes[name] = Number(after.numbers[name]);
  return changes;
}

function quorumOf({ quorum: kind, n, role }: SettingsDraft): Quorum {
  if (kind === "at_least") return { kind, n: Number(n) };
  return kind === "role" ? { kind, role } : { kind };
}
