import { formatSessionKey } from './format.ts';
import { DEFAULT_MAIN_KEY, normalizeMainKey } from './normalize.ts';
import { parseSessionKey } from './parse.ts';
import type { ParsedAgentKey } from './parsed-key.ts';
import { readStoredKey } from './stored-key.ts';

interface SpellingOptions {
  /** The configured main key: the main session may also be stored as `main`, from before it was configured. */
  mainKey?: string;
  /** Whose main session a store may hold without the agent in front, as `main`. No agent's when absent. */
  bareAgentId?: string;
}

/**
 * Every spelling under which a store may hold this conversation, the given one first: `:dm:` and `:direct:`,
 * `:thread:` and `:topic:`, the names of the main session. A key of no known form has one spelling, its own.
 */
export function listSessionKeySpellings(sessionKey: string, options: SpellingOptions = {}): string[] {
  const { mainKey = '', bareAgentId = '' } = options;
  const name = `${sessionKey}\n${mainKey}\n${bareAgentId}`;
  return [...remember(spellings, name, () => makeSpellings(sessionKey, options))];
}

function makeSpellings(sessionKey: string, options: SpellingOptions): string[] {
  const own = readStoredKey(sessionKey);
  const mainKey = normalizeMainKey(options.mainKey);
  const parsed = parseSessionKey(own, { mainKey });
  if (!parsed || parsed.kind === 'global' || parsed.kind === 'unknown') return [own];
  const isBare = parsed.kind === 'main' && parsed.agentId === options.bareAgentId;
  const bare = isBare ? [mainKey, DEFAULT_MAIN_KEY] : [];
  return [...new Set([own, ...respell(parsed, mainKey).map(formatSessionKey), ...bare])];
}

/** The spelling that we write: `:dm:`. A topic stays a topic, since that is what its channel calls it. */
export function canonicalizeSessionKey(sessionKey: string): string {
  return remember(canonicals, sessionKey, () => makeCanonical(sessionKey));
}

const MOST_REMEMBERED = 1000;
const spellings = new Map<string, string[]>();
const canonicals = new Map<string, string>();

/** A turn asks a dozen times for the spellings of its key. */
function remember<T>(known: Map<string, T>, name: string, make: () => T): T {
  const before = known.get(name);
  if (before !== undefined) return before;
  const made = make();
  if (known.size >= MOST_REMEMBERED) known.clear();
  known.set(name, made);
  return made;
}

function makeCanonical(sessionKey: string): string {
  const own = readStoredKey(sessionKey);
  const parsed = parseSessionKey(own);
  if (!parsed || parsed.kind === 'global' || parsed.kind === 'unknown') return own;
  return formatSessionKey(writeDm(parsed));
}

function respell(parsed: ParsedAgentKey, mainKey: string): ParsedAgentKey[] {
  if (parsed.kind === 'main')
    return [mainKey, DEFAULT_MAIN_KEY].map((name) => ({ ...parsed, mainKey: name }));
  if (parsed.kind === 'direct' && parsed.spelling !== 'bare') {
    return (['dm', 'direct'] as const).map((spelling) => ({ ...parsed, spelling }));
  }
  if (parsed.kind !== 'thread') return [parsed];
  // A thread within a thread keeps its parent's spelling: a key can nest a hundred of them.
  const parents = parsed.parent.kind === 'thread' ? [parsed.parent] : respell(parsed.parent, mainKey);
  return parents.flatMap((parent) =>
    (['thread', 'topic'] as const).map((marker) => ({
      ...parsed,
      marker,
      parent,
      parentKey: formatSessionKey(parent),
    })),
  );
}

function writeDm(parsed: ParsedAgentKey): ParsedAgentKey {
  if (parsed.kind === 'direct' && parsed.spelling === 'direct') return { ...parsed, spelling: 'dm' };
  if (parsed.kind !== 'thread') return parsed;
  const parent = writeDm(parsed.parent);
  return { ...parsed, parent, parentKey: formatSessionKey(parent) };
}
