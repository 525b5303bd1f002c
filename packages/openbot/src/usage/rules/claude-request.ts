import { isObject, type RequestReader, type UsageRequest } from './request.ts';

/** ccusage takes a line with one of these as null for damaged, wherever in the line it is. */
const NULL_FIELD =
  /"(?:id|cwd|model|speed|costUSD|version|sessionId|requestId|isApiErrorMessage|cache_read_input_tokens|cache_creation_input_tokens)"[^"]*:null/;
const VERSION = /^\d+\.\d+\.\d/;
/** Seconds or milliseconds, `Z` or an offset: what else Date.parse takes is no time of Claude Code. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?(?:Z|[+-]\d\d:\d\d)$/;

type Fields = Readonly<Record<string, unknown>>;

/** Claude Code's lines by the rules of ccusage 20, so that both count the same. */
export const CLAUDE_REQUESTS: RequestReader = { marker: '"usage":{', read };

function read(text: string, session: string): UsageRequest | undefined {
  if (NULL_FIELD.test(text)) return undefined;
  const line = parse(text);
  if (line === undefined) return undefined;
  return readLine(line, session) ?? readProgress(line, session);
}

/** A subagent's message as the main conversation of an older version reports it. */
function readProgress({ data }: Fields, session: string): UsageRequest | undefined {
  const line = isObject(data) ? data.message : undefined;
  if (!isObject(line)) return undefined;
  return readLine({ ...line, version: undefined, sessionId: undefined }, session);
}

function readLine(line: Fields, session: string): UsageRequest | undefined {
  const { message, timestamp, version, costUSD, requestId } = line;
  if (!isObject(message) || !isObject(message.usage) || typeof timestamp !== 'string') return undefined;
  const tokens = readTokens(message.usage);
  const at = TIME.test(timestamp) ? Date.parse(timestamp) : Number.NaN;
  if (tokens === undefined || Number.isNaN(at)) return undefined;
  if (typeof version === 'string' && !VERSION.test(version)) return undefined;
  const texts = [line.sessionId, requestId, message.id, message.model, version];
  if (texts.some((value) => value === '' || (value !== undefined && typeof value !== 'string')))
    return undefined;
  if (costUSD !== undefined && typeof costUSD !== 'number') return undefined;
  const { speed } = message.usage;
  const request: Draft = { at, ...tokens };
  const model = message.model as string | undefined;
  // What Claude Code itself wrote was asked of no model.
  if (model !== undefined && model !== '<synthetic>')
    request.model = speed === 'fast' ? `${model}-fast` : model;
  if (costUSD !== undefined) request.costUsd = costUSD;
  if (message.id !== undefined) request.id = message.id as string;
  if (requestId !== undefined) request.requestId = requestId as string;
  if (line.sessionId !== undefined && line.sessionId !== session) request.session = line.sessionId as string;
  if (line.isSidechain === true) request.isSidechain = true;
  if (speed !== undefined) request.hasSpeed = true;
  return request;
}

type Draft = { -readonly [Field in keyof UsageRequest]: UsageRequest[Field] };
type Tokens = Pick<UsageRequest, 'input' | 'output' | 'cacheWrite' | 'cacheWrite1h' | 'cacheRead'>;

function readTokens(usage: Fields): Tokens | undefined {
  const { speed, cache_creation: written } = usage;
  if (speed !== undefined && speed !== 'fast' && speed !== 'standard') return undefined;
  const [input, output] = [countOf(usage.input_tokens), countOf(usage.output_tokens)];
  const cacheRead = countOf(usage.cache_read_input_tokens ?? 0);
  const cacheWrite = countOf(usage.cache_creation_input_tokens ?? 0);
  if (input === undefined || output === undefined || cacheRead === undefined || cacheWrite === undefined)
    return undefined;
  if (written === undefined || written === null)
    return { input, output, cacheRead, cacheWrite, cacheWrite1h: 0 };
  if (!isObject(written)) return undefined;
  // Where the line says how long each was written for, the sum beside it does not count.
  const short = countOf(written.ephemeral_5m_input_tokens ?? 0);
  const long = countOf(written.ephemeral_1h_input_tokens ?? 0);
  if (short === undefined || long === undefined) return undefined;
  return { input, output, cacheRead, cacheWrite: short, cacheWrite1h: long };
}

function countOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}

function parse(text: string): Fields | undefined {
  try {
    const line: unknown = JSON.parse(text);
    return isObject(line) ? line : undefined;
  } catch {
    return undefined;
  }
}
