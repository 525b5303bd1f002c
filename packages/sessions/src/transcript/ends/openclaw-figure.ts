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

/** What changes the context of the lines before it, or where the conversation goes on. */
const CHANGES_CONTEXT: ReadonlySet<unknown> = new Set(['compaction', 'reset', 'leaf', 'context_edit']);
const FLAT_ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'toolResult']);

/** In transcripts of OpenClaw and pi. Follows the parents from the last line, so that a branch that was left does not count. */
export const findOpenclawFigure: FigureSearch = (lines) => {
  /** The id of the next entry of the conversation; undefined where that is the line before. */
  let next: string | undefined;
  let characters = 0;
  for (const line of lines) {
    if (!isJsonObject(line)) continue;
    const { type, id, parentId } = line;
    if (type === 'session' || CHANGES_CONTEXT.has(type) || line.appendMode !== undefined) return undefined;
    const message = messageOf(line);
    const hasId = typeof id === 'string' && id !== '';
    const isInTree = hasId || message !== undefined;
    if (!isInTree || (hasId && next !== undefined && id !== next)) continue;
    if (message !== undefined && isInContext(message)) {
      const figure = readFigure(message, characters);
      if (figure !== undefined) return figure;
      characters += charactersOf(message);
    } else characters += countOther(line);
    if (parentId === null) return undefined;
    if (hasId) next = typeof parentId === 'string' ? parentId : undefined;
  }
  return undefined;
};

/** The message of a line, or the line itself where it is one. */
function messageOf(line: Fields): Fields | undefined {
  const { type, message } = line;
  if (isJsonObject(message))
    return type === undefined || type === 'message' || FLAT_ROLES.has(type) ? message : undefined;
  const role = type ?? line.role;
  return FLAT_ROLES.has(role) ? { ...line, role } : undefined;
}

function isInContext({ stopReason, excludeFromContext }: Fields): boolean {
  return stopReason !== 'error' && stopReason !== 'aborted' && excludeFromContext !== true;
}

function readFigure(message: Fields, characters: number): ContextFigure | undefined {
  const usage = message.role === 'assistant' ? fieldsOf(message.usage) : undefined;
  const isMirror = message.provider === 'openclaw' && message.model === 'delivery-mirror';
  if (usage === undefined || isMirror) return undefined;
  const { input, output, cacheRead, cacheWrite, totalTokens } = usage;
  const context = fieldsOf(usage.contextUsage);
  if (context?.state === 'unavailable') return undefined;
  const total = (context?.state === 'available' ? context.totalTokens : undefined) ?? totalTokens;
  const tokens =
    figureOf(total) || figureOf(input) + figureOf(output) + figureOf(cacheRead) + figureOf(cacheWrite);
  return tokens > 0 ? addSince(tokens, usage, characters) : undefined;
}

function charactersOf({ role, content, command, output }: Fields): number {
  return role === 'bashExecution'
    ? countCharacters(command) + countCharacters(output)
    : countCharacters(content);
}

/** Entries that reach the model although they are no messages. */
function countOther({ type, content, summary }: Fields): number {
  if (type === 'custom_message') return countCharacters(content);
  return type === 'branch_summary' ? countCharacters(summary) : 0;
}
