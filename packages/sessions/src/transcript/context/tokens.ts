import { FLAG, IMAGE_CHARACTERS } from '../entry.ts';
import type { Transcript } from '../transcript.ts';
import { activePath } from '../tree/tree.ts';
import { type Context, contextOf } from './context.ts';

/**
 * How many tokens a session's context takes. A provider's own figure on the last assistant message is exact for
 * that moment; what was added or taken away since is estimated with a ratio that the same session's recorded
 * figures give; without any, four characters are taken for a token. Whatever is not exact is called so.
 */

/**
 * recorded: a provider's figure, nothing since. calibrated: that figure, and an estimate for what came since.
 * estimated: no figure of a provider's.
 */
export type TokenBasis = 'recorded' | 'calibrated' | 'estimated';

type ContextPart = 'user' | 'assistant' | 'thinking' | 'toolCalls' | 'toolResults' | 'other';

interface ContextTokens {
  readonly tokens: number;
  readonly basis: TokenBasis;
  /** Where they go. `overhead` is what no entry accounts for: system prompt and tool definitions. */
  readonly byKind: Readonly<Record<ContextPart | 'overhead', number>>;
  readonly byTool: Readonly<Record<string, number>>;
}

/** From characters of a context to tokens: `overhead + perCharacter * characters`. */
export interface Calibration {
  readonly perCharacter: number;
  readonly overhead: number;
  readonly basis: TokenBasis;
}

export const CHARACTERS_PER_TOKEN = 4;
/** Less text than this between two figures says little about a ratio. */
const MIN_CALIBRATION_CHARACTERS = 2000;

/** How many characters an entry gives to the model, edits applied. */
export function contextCharacters(transcript: Transcript, index: number, context: Context): number {
  return transcript.charactersOf(context.edits.size === 0 ? index : (context.edits.get(index) ?? index));
}

interface Figure {
  readonly tokens: number;
  /** Characters of the context up to and with the message, as it was when the figure was recorded. */
  readonly characters: number;
  readonly message: number;
  readonly ours: boolean;
}

/** Figures that hold for the present context: those recorded after it was last cut. */
function figuresOf(transcript: Transcript, context: Context): { figures: Figure[]; characters: number } {
  const figures: Figure[] = [];
  const changes = editChanges(transcript, context);
  let characters = 0;
  let charactersThen = 0;
  const hasEdits = context.edits.size > 0;
  for (const index of context.entries) {
    const own = transcript.charactersOf(index);
    characters += hasEdits ? contextCharacters(transcript, index, context) : own;
    charactersThen += own;
    if (context.cutBy !== undefined && index < context.cutBy) continue;
    const tokens = transcript.usageTokensOf(index);
    if (tokens <= 0 || transcript.has(index, FLAG.mirror)) continue;
    while (changes.length > 0 && changes[0]!.at < index) charactersThen += changes.shift()!.by;
    // Lines of one message repeat its usage; the last of them has the characters of all.
    const message = transcript.messageOf(index);
    if (message >= 0 && figures.at(-1)?.message === message) figures.pop();
    const ours = transcript.has(index, FLAG.estimatedUsage);
    figures.push({ tokens, characters: charactersThen, message, ours });
  }
  return { figures, characters };
}

/**
 * Where edits change the characters of the context, oldest first, and by how much. An edit counts from its
 * position on: a figure that was recorded before it saw the entry as it had been.
 */
function editChanges(transcript: Transcript, context: Context): { at: number; by: number }[] {
  const changes: { at: number; by: number }[] = [];
  if (context.edits.size === 0) return changes;
  const present = new Set(context.entries);
  for (const [target, edit] of context.edits) {
    if (!present.has(target)) continue;
    changes.push({ at: edit, by: transcript.charactersOf(edit) - transcript.charactersOf(target) });
  }
  for (const target of context.takenOut) {
    const own = transcript.charactersOf(target);
    changes.push({ at: target, by: own }, { at: context.edits.get(target)!, by: -own });
  }
  return changes.sort((a, b) => a.at - b.at);
}

function calibrationFrom(figures: readonly Figure[]): Calibration {
  const last = figures.at(-1);
  if (last === undefined) return { perCharacter: 1 / CHARACTERS_PER_TOKEN, overhead: 0, basis: 'estimated' };
  const basis: TokenBasis = last.ours ? 'estimated' : 'calibrated';
  let perCharacter = recordedRatio(figures) ?? 1 / CHARACTERS_PER_TOKEN;
  const overhead = Math.max(0, last.tokens - perCharacter * last.characters);
  if (overhead === 0 && last.characters > 0) perCharacter = last.tokens / last.characters;
  return { perCharacter, overhead, basis };
}

/**
 * What a character of this session costs, from recorded figures with enough text between them. The middle one of all such
 * ratios: where old text was removed since, some of them count what is no longer there.
 */
function recordedRatio(figures: readonly Figure[]): number | undefined {
  const ratios: number[] = [];
  let from: Figure | undefined;
  for (const figure of figures) {
    if (figure.ours) from = undefined;
    else if (from === undefined) from = figure;
    else if (figure.characters - from.characters >= MIN_CALIBRATION_CHARACTERS) {
      const ratio = (figure.tokens - from.tokens) / (figure.characters - from.characters);
      // Outside of this a figure is not about the text (a changed system prompt, a dropped cache, a test's constant).
      if (ratio >= 0.1 && ratio <= 1) ratios.push(ratio);
      from = figure;
    }
  }
  return Float64Array.from(ratios).sort()[Math.floor(ratios.length / 2)];
}

/** How characters become tokens in this session. */
export function calibrate(transcript: Transcript, context: Context): Calibration {
  return calibrationOf(transcript, context, figuresOf(transcript, context).figures);
}

function calibrationOf(transcript: Transcript, context: Context, figures: readonly Figure[]): Calibration {
  if (figures.length > 0 || context.cutOff.length === 0) return calibrationFrom(figures);
  // Nothing was recorded since the cut. What was before it still tells the ratio and the overhead, not the size.
  const before = calibrate(transcript, contextOf(transcript, context.cutOff));
  return { ...before, basis: 'estimated' };
}

export function estimateTokens(calibration: Calibration, characters: number): number {
  return Math.round(calibration.overhead + calibration.perCharacter * characters);
}

/** The size of a context, and how characters become tokens in it. */
export interface ContextSize {
  readonly tokens: number;
  readonly basis: TokenBasis;
  readonly characters: number;
  readonly calibration: Calibration;
}

export function measureContext(transcript: Transcript, context: Context): ContextSize {
  const { figures, characters } = figuresOf(transcript, context);
  const calibration = calibrationOf(transcript, context, figures);
  const last = figures.at(-1);
  const exact = last !== undefined && last.characters === characters;
  return {
    tokens: exact ? last.tokens : estimateTokens(calibration, characters),
    basis: exact && !last.ours ? 'recorded' : calibration.basis,
    characters,
    calibration,
  };
}

export function contextTokens(
  transcript: Transcript,
  context: Context = contextOf(transcript, activePath(transcript).entries),
): ContextTokens {
  const { tokens, basis, calibration } = measureContext(transcript, context);
  return { tokens, basis, ...sharesOf(transcript, context, calibration) };
}

function sharesOf(transcript: Transcript, context: Context, calibration: Calibration) {
  const characters: Record<ContextPart, number> = {
    user: 0,
    assistant: 0,
    thinking: 0,
    toolCalls: 0,
    toolResults: 0,
    other: 0,
  };
  const byTool = new Map<string, number>();
  const toolOfCall = new Map<string, string>();
  for (const index of context.entries) {
    const edit = context.edits.get(index);
    const shown = edit ?? index;
    const text = transcript.textSizeOf(shown) + transcript.imageCountOf(shown) * IMAGE_CHARACTERS;
    characters[partOf(transcript, index)] += text;
    if (edit !== undefined) continue;
    characters.thinking += transcript.thinkingSizeOf(index);
    for (const call of transcript.callsOf(index)) {
      const size = call.name.length + call.size;
      characters.toolCalls += size;
      toolOfCall.set(call.id, call.name);
      byTool.set(call.name, (byTool.get(call.name) ?? 0) + size);
    }
    for (const result of transcript.resultsOf(index)) {
      const tool = result.name ?? toolOfCall.get(result.callId) ?? 'unknown';
      characters.toolResults += result.size;
      byTool.set(tool, (byTool.get(tool) ?? 0) + result.size);
    }
  }
  const inTokens = (count: number) => Math.round(count * calibration.perCharacter);
  return {
    byKind: {
      user: inTokens(characters.user),
      assistant: inTokens(characters.assistant),
      thinking: inTokens(characters.thinking),
      toolCalls: inTokens(characters.toolCalls),
      toolResults: inTokens(characters.toolResults),
      other: inTokens(characters.other),
      overhead: Math.round(calibration.overhead),
    },
    byTool: Object.fromEntries([...byTool].map(([tool, count]) => [tool, inTokens(count)])),
  };
}

function isPersons(transcript: Transcript, index: number): boolean {
  return transcript.has(index, FLAG.startsTurn) && !transcript.has(index, FLAG.systemPart);
}

function partOf(transcript: Transcript, index: number): ContextPart {
  if (transcript.has(index, FLAG.toolOutput) && !transcript.has(index, FLAG.startsTurn)) return 'toolResults';
  if (transcript.kindOf(index) !== 'message') return 'other';
  switch (transcript.roleOf(index)) {
    case 'user':
      return isPersons(transcript, index) ? 'user' : 'other';
    case 'assistant':
      return 'assistant';
    case 'toolResult':
      return 'toolResults';
    default:
      return 'other';
  }
}
