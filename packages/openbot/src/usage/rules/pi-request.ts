import { isObject, type RequestReader, type UsageRequest } from './request.ts';

/** Lines of OpenClaw, pi and this program, which are of one format. */
export const PI_REQUESTS: RequestReader = { marker: '"usage"', read };

function read(text: string): UsageRequest | undefined {
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(line) || !isObject(line.message)) return undefined;
  const { message } = line;
  const { usage, provider, model } = message;
  if (message.role !== 'assistant' || !isObject(usage)) return undefined;
  const at = timeOf(message.timestamp) ?? timeOf(line.timestamp);
  if (at === undefined) return undefined;
  // A cleaner sets tokens to the size of the context and says so; what the request cost stays as it was.
  const isSet = usage.estimatedBy !== undefined;
  const count = (value: unknown) => (isSet ? 0 : countOf(value));
  const written = count(usage.cacheWrite);
  // A part of what was written.
  const cacheWrite1h = Math.min(written, count(usage.cacheWrite1h));
  const tokens = {
    input: count(usage.input),
    output: countOf(usage.output),
    cacheWrite: written - cacheWrite1h,
    cacheWrite1h,
    cacheRead: count(usage.cacheRead),
  };
  const costUsd = isObject(usage.cost) ? usage.cost.total : undefined;
  const isFree = Object.values(tokens).every((value) => value === 0) && !(Number(costUsd) > 0);
  if (isFree) return undefined;
  return {
    at,
    ...(typeof model === 'string' && model !== '' && { model }),
    ...(typeof provider === 'string' && provider !== '' && { provider }),
    ...tokens,
    ...(typeof costUsd === 'number' && Number.isFinite(costUsd) && { costUsd }),
    // Forks, archives and backups have copies of the line; in one that was cleaned since its tokens are others.
    id: String(message.responseId ?? line.id ?? ''),
    requestId: `${at} ${model ?? ''}`,
  };
}

function timeOf(value: unknown): number | undefined {
  const at = typeof value === 'string' ? Date.parse(value) : value;
  return typeof at === 'number' && Number.isFinite(at) && at > 0 ? at : undefined;
}

function countOf(value: unknown): number {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : 0;
}
