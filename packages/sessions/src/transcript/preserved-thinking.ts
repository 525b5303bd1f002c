/**
 * Models that bind thinking: each block of it counts only behind the prompt, the tools and the messages that it was made
 * with. Behind anything else the provider refuses it, or leaves it out.
 */
import { FLAG } from './entry.ts';

interface Floor {
  /** The first version that binds thinking. */
  readonly version: readonly [major: number, minor: number];
  /** When the row was established. */
  readonly date: string;
  readonly source: string;
}

const SOURCE = 'Anthropic, "Preserved thinking" and "Prefix checks on thinking blocks"';

const FLOORS: Readonly<Record<string, Floor>> = {
  fable: { version: [5, 1], date: '2026-11-18', source: SOURCE },
  // 5.1 records the binding and does not check it.
  mythos: { version: [5, 1], date: '2026-11-18', source: SOURCE },
  opus: { version: [5, 5], date: '2026-11-18', source: SOURCE },
  sonnet: { version: [5, 5], date: '2026-11-18', source: SOURCE },
  haiku: { version: [5, 5], date: '2026-11-18', source: SOURCE },
};
/** Of a family that is not known. */
const LOWEST = FLOORS.fable!;

/** What Claude Code calls its newest models. */
const ALIAS = /^(?:default|best|opusplan|fable|mythos|opus|sonnet|haiku)(?:\[1m\])?$/;

/** Of the models of a process there are few. */
const answers = new Map<string, boolean>();
const MOST_ANSWERS = 1000;

/**
 * Whether a model binds thinking. A Claude name without a readable version does: the newest models do, and thinking that is
 * removed needlessly costs less than a session that is refused.
 * @param model as a provider, a gateway or Claude Code names it: `claude-opus-5-5`, `us.anthropic.claude-opus-5-5-v1:0`
 */
export function bindsThinking(model: string): boolean {
  let answer = answers.get(model);
  if (answer === undefined) {
    answer = isAboveFloor(model.toLowerCase());
    if (answers.size >= MOST_ANSWERS) answers.clear();
    answers.set(model, answer);
  }
  return answer;
}

function isAboveFloor(model: string): boolean {
  const [, name] = /claude(.*)$/s.exec(model) ?? [];
  if (name === undefined) return ALIAS.test(model);
  // A date is no version: claude-opus-4-20250514.
  const [, major, minor = '0'] = /(\d+)(?:[-.](\d{1,2})(?!\d))?/.exec(name.replace(/\d{6,}/g, '')) ?? [];
  if (major === undefined) return true;
  const family = Object.keys(FLOORS).find((word) => name.includes(word));
  const [floorMajor, floorMinor] = (family === undefined ? LOWEST : FLOORS[family]!).version;
  return Number(major) > floorMajor || (Number(major) === floorMajor && Number(minor) >= floorMinor);
}

/**
 * Whether the thinking of a session is bound. The newest model on the path decides: it is the one that reads the session next.
 * @param path of the active path, in its order
 */
export function hasBoundThinking(
  transcript: { has(index: number, flag: number): boolean },
  path: readonly number[],
): boolean {
  const newest = path.findLast((index) => transcript.has(index, FLAG.boundModel | FLAG.otherModel));
  return newest !== undefined && transcript.has(newest, FLAG.boundModel);
}

/** The flag of a line that names this model; none where it names no model. */
export function flagOfModel(model: unknown): number {
  if (typeof model !== 'string' || model === '') return 0;
  return bindsThinking(model) ? FLAG.boundModel : FLAG.otherModel;
}
