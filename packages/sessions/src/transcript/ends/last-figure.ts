/**
 * The size of a context, as the end of a transcript tells it: `measureContext` needs the whole transcript, which is too
 * much for a list. Both give the same recorded figures; what the end does not tell is left unknown.
 */
import { isJsonObject } from '../../entry/json-object.ts';
import { CHARACTERS_PER_TOKEN, type TokenBasis } from '../context/tokens.ts';
import { IMAGE_CHARACTERS } from '../entry.ts';
import { ESTIMATED_BY } from '../formats/dialect.ts';

export interface ContextFigure {
  readonly tokens: number;
  readonly basis: TokenBasis;
}

/**
 * Searches the end of a transcript for the last figure of a provider's.
 * @param lines parsed, the last one first; undefined for one that is not JSON
 */
export type FigureSearch = (lines: Iterable<unknown>) => ContextFigure | undefined;

export type Fields = { readonly [key: string]: unknown };

/** A figure on a message, and what was added to the context since. */
export function addSince(tokens: number, usage: Fields, characters: number): ContextFigure {
  const isOurs = usage.estimatedBy === ESTIMATED_BY;
  if (characters === 0) return { tokens, basis: isOurs ? 'estimated' : 'recorded' };
  return {
    tokens: tokens + Math.round(characters / CHARACTERS_PER_TOKEN),
    basis: isOurs ? 'estimated' : 'calibrated',
  };
}

/** The text, the thinking, the calls, the results and the images of a message. */
export function countCharacters(content: unknown): number {
  if (typeof content === 'string') return content.length;
  if (!Array.isArray(content)) return 0;
  return content.reduce((sum: number, block) => sum + countBlock(block), 0);
}

function countBlock(block: unknown): number {
  if (!isJsonObject(block)) return 0;
  if (block.type === 'image') return IMAGE_CHARACTERS;
  const { text, thinking, name, arguments: args, input, content } = block;
  const call = args ?? input;
  return (
    countCharacters(text) +
    countCharacters(thinking) +
    (call === undefined ? 0 : countCharacters(name) + JSON.stringify(call).length) +
    countCharacters(content)
  );
}

export function figureOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

export function fieldsOf(value: unknown): Fields | undefined {
  return isJsonObject(value) ? value : undefined;
}
