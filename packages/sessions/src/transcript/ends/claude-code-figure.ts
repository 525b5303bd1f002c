import { isJsonObject } from '../../entry/json-object.ts';
import {
  addSince,
  type ContextFigure,
  countCharacters,
  type Fields,
  type FigureSearch,
  fieldsOf,
  figureOf,
} from './last-figure.ts';

/** Lines that are written beside the conversation although they are in its tree. */
const ASIDE: ReadonlySet<unknown> = new Set(['file_snapshot', 'fork_briefing']);
/** Requests of a message that served something else than the conversation. */
const OTHER_REQUESTS: ReadonlySet<unknown> = new Set(['advisor_message', 'compaction']);

/**
 * In transcripts of Claude Code. Follows the parents from the last line. Where the last note on the leaf names a line
 * that these do not lead to, the conversation goes on elsewhere, and the figure is not known.
 */
export const findClaudeCodeFigure: FigureSearch = (lines) => {
  /** The uuid of the next line of the conversation; undefined before its last one. */
  let next: string | undefined;
  /** The line that the last note names, until the parents lead to it. */
  let named: unknown;
  let hasNote = false;
  let figure: ContextFigure | undefined;
  let characters = 0;
  for (const line of lines) {
    if (!isJsonObject(line)) continue;
    const { type, uuid, parentUuid } = line;
    if (typeof uuid !== 'string') {
      if (type !== 'last-prompt') continue;
      if (line.explicit === true && next === undefined) return undefined;
      if (hasNote) continue;
      named = line.leafUuid ?? undefined;
      hasNote = named !== undefined;
      continue;
    }
    if (line.subtype === 'compact_boundary') break;
    if (line.isSidechain === true || (next === undefined && isAside(line))) continue;
    const isNext = next === undefined || uuid === next;
    // The results of parallel calls are beside the chain of parents.
    if (figure === undefined && (isNext || isResult(line))) {
      figure = isNext ? readFigure(line, characters) : undefined;
      characters += charactersOf(line);
    }
    if (!isNext) continue;
    if (named === uuid) named = undefined;
    if (figure !== undefined && hasNote && named === undefined) return figure;
    if (typeof parentUuid !== 'string') break;
    next = parentUuid;
  }
  return named === undefined ? figure : undefined;
};

function isAside({ attachment, subtype }: Fields): boolean {
  return ASIDE.has(subtype) || ASIDE.has(fieldsOf(attachment)?.type);
}

function isResult({ type, message }: Fields): boolean {
  const content = fieldsOf(message)?.content;
  return (
    type === 'user' &&
    Array.isArray(content) &&
    content.some((block) => fieldsOf(block)?.type === 'tool_result')
  );
}

function isFailed({ isApiErrorMessage, message }: Fields): boolean {
  return isApiErrorMessage === true || fieldsOf(message)?.model === '<synthetic>';
}

function readFigure(line: Fields, characters: number): ContextFigure | undefined {
  const usage =
    line.type === 'assistant' && !isFailed(line) ? fieldsOf(fieldsOf(line.message)?.usage) : undefined;
  if (usage === undefined) return undefined;
  const tokens = inputOf(usage) === 0 ? sumOf(usage) : sumOf(lastRequestOf(usage) ?? usage);
  return tokens > 0 ? addSince(tokens, usage, characters) : undefined;
}

/** The request that the answer came from, where a message took several. Undefined where it does not tell all figures. */
function lastRequestOf({ iterations }: Fields): Fields | undefined {
  if (!Array.isArray(iterations)) return undefined;
  const last = fieldsOf(iterations.findLast((one) => !OTHER_REQUESTS.has(fieldsOf(one)?.type)));
  const isConversation = last?.type === 'message' || last?.type === 'fallback_message';
  return isConversation && partsOf(last).every(isFigure) && inputOf(last) > 0 ? last : undefined;
}

function partsOf(usage: Fields): unknown[] {
  const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens } = usage;
  return [input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens];
}

function isFigure(value: unknown): boolean {
  return typeof value === 'number' && value >= 0;
}

function inputOf(usage: Fields): number {
  return sumOf(usage) - figureOf(usage.output_tokens);
}

function sumOf(usage: Fields): number {
  return partsOf(usage).reduce((sum: number, part) => sum + figureOf(part), 0);
}

function charactersOf(line: Fields): number {
  if (line.type === 'attachment')
    return line.rendered === undefined ? 0 : JSON.stringify(line.rendered).length;
  const isMessage = line.type === 'user' || (line.type === 'assistant' && !isFailed(line));
  return isMessage ? countCharacters(fieldsOf(line.message)?.content) : 0;
}
