/** Draft of the settings for learned rules. */
import type { LearningMode, LearningSettings } from "../../protocol";

/** Content of the fields. */
export interface LearningDraft {
  mode: LearningMode;
  decisions: string;
  people: string;
  refused: string;
}

/** Ranges of the numbers on the server. */
export const LEARNING_RANGES = { decisions: [2, 200], people: [1, 20], refused: [0, 50] } as const;

/** Returns the fields for the settings, with the default of each setting that the server leaves out. */
export function learningDraftOf(settings: Partial<LearningSettings> | undefined): LearningDraft {
  const { mode, min_decisions: decisions, min_people: people, max_refused_percent: refused } = settings ?? {};
  return {
    mode: mode ?? "automatic",
    decisions: String(decisions ?? 5),
    people: String(people ?? 2),
    refused: String(refused ?? 10),
  };
}

/** Returns the settings that the fields contain. */
export function learningOf({ mode, decisions, people, refused }: LearningDraft): LearningSettings {
  return {
    mode,
    min_decisions: Number(decisions),
    min_people: Number(people),
    max_refused_percent: Number(refused),
  };
}
