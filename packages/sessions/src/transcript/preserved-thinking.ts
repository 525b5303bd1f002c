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

/** A name without its maker: `opus`, `sonnet-5-5`. A number with a letter is a size, of another maker's model: `fable-7b`. */
const BARE = new RegExp(
  `^(?:opusplan|${Object.keys(FLOORS).join('|')})(?=$|-latest|[:@]|[-._]?\\d+(?![a-z\\d]))`,
);
/** What Claude Code calls its newest models; elsewhere it may be any model. */
const OF_CLAUDE_CODE = ['default', 'best'];

type Kind = 'bound' | 'other' | 'of Claude Code';

/** Of the models of a process there are few, and each line of a transcript names one. */
const kinds = new Map<string, Kind>();
const MOST_KINDS = 1000;

/**
 * Whether a model binds thinking. A Claude name without a readable version does: the newest models do, and thinking that is
 * removed needlessly costs less than a session that is refused.
 * @param model as a provider, a gateway or Claude Code names it: `claude-opus-5-5`, `us.anthropic.claude-opus-5-5-v1:0`
 * @param byClaudeCode Claude Code runs it
 */
export function bindsThinking(model: string, { byClaudeCode = false } = {}): boolean {
  const kind = kindOf(model);
  return kind === 'bound' || (byClaudeCode && kind === 'of Claude Code');
}

function kindOf(model: string): Kind {
  let kind = kinds.get(model);
  if (kind === undefined) {
    const name = plainName(model);
    kind = OF_CLAUDE_CODE.includes(name) ? 'of Claude Code' : isAboveFloor(name) ? 'bound' : 'other';
    if (kinds.size >= MOST_KINDS) kinds.clear();
    kinds.set(model, kind);
  }
  return kind;
}

/** Without the gateway in front of it, and without the window: `[1m]`. */
function plainName(model: string): string {
  return model.toLowerCase().replace(/^.*\/|\[[^\]]*\]/gs, '');
}

function isAboveFloor(model: string): boolean {
  const name = BARE.test(model) ? model : /claude(?![a-z])(.*)$/s.exec(model)?.[1];
  if (name === undefined) return false;
  // A date is no version: claude-opus-4-20250514.
  const parts = name.replace(/\d{6,}/g, '').split(/[-._:@]|(?<=\d)p(?=\d)/);
  const at = parts.findIndex((part) => /\d/.test(part));
  const [, major] = /^v?(\d{1,2})$/.exec(parts[at] ?? '') ?? [];
  if (major === undefined) return true;
  const family = Object.keys(FLOORS).find((word) => name.includes(word));
  const [floorMajor, floorMinor] = (family === undefined ? LOWEST : FLOORS[family]!).version;
  return Number(major) > floorMajor || (Number(major) === floorMajor && minorOf(parts[at + 1]) >= floorMinor);
}

/** What follows the major version: a number, a word (`latest`), the version of an interface (`v1`), or what nobody can read. */
function minorOf(part = ''): number {
  if (/^\d{1,2}$/.test(part)) return Number(part);
  return /^\D*$|^v\d+$/.test(part) ? 0 : Number.POSITIVE_INFINITY;
}

interface Flagged {
  has(index: number, flag: number): boolean;
}

/**
 * Whether the thinking of a session is bound. The newest model on the path decides: it is the one that reads the session next.
 * A request that failed may have been a try with another model: it counts only where nothing else names one.
 * @param path of the active path, in its order
 */
export function hasBoundThinking(transcript: Flagged, path: readonly number[]): boolean {
  const newest =
    findNewestModel(transcript, path) ?? path.findLast((index) => transcript.has(index, NAMES_MODEL));
  return newest !== undefined && transcript.has(newest, FLAG.boundModel);
}

/** The last entry of the path that names a model and did not fail. */
export function findNewestModel(transcript: Flagged, path: readonly number[]): number | undefined {
  return path.findLast((index) => transcript.has(index, NAMES_MODEL) && !transcript.has(index, FLAG.failed));
}

const NAMES_MODEL = FLAG.boundModel | FLAG.otherModel;

const FLAG_OF = { bound: FLAG.boundModel, other: FLAG.otherModel, 'of Claude Code': 0 } as const;

/** The flag of a line that names this model; none where it names no model. */
export function flagOfModel(model: unknown): number {
  if (typeof model !== 'string' || model === '') return 0;
  return FLAG_OF[kindOf(model)];
}
