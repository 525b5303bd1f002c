/** What one request to a model took, as one line of a transcript records it. */
export interface UsageRequest {
  /** Milliseconds. */
  readonly at: number;
  /** Without it the request counts in totals, and under no model. */
  readonly model?: string;
  /** Where the line says so; Claude Code's lines do not. */
  readonly provider?: string;
  readonly input: number;
  readonly output: number;
  /** Written to the cache for five minutes. */
  readonly cacheWrite: number;
  /** Written to the cache for an hour, which costs more. */
  readonly cacheWrite1h: number;
  readonly cacheRead: number;
  /** Recorded with the request. */
  readonly costUsd?: number;
  /** Of the message. Lines with the same one and the same request id are of one request. */
  readonly id?: string;
  /** Without it, only lines of the same session and time are compared. */
  readonly requestId?: string;
  /** The session that the line names, where that is not the one of its file: a fork has lines of another one. */
  readonly session?: string;
  readonly isSidechain?: true;
  /** Whether the line says how fast the model was asked to be. */
  readonly hasSpeed?: true;
}

/** Reads a line that has `marker` in it; undefined for a line that counts nothing. */
export interface RequestReader {
  /** Lines without these bytes are not looked at. */
  readonly marker: string;
  /** @param session that of the file */
  read(line: string, session: string): UsageRequest | undefined;
}

export function totalOf({ input, output, cacheWrite, cacheWrite1h, cacheRead }: UsageRequest): number {
  return input + output + cacheWrite + cacheWrite1h + cacheRead;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
