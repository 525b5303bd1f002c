/** What OpenClaw logs about sessions, and what of it is trouble. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const WAIT_LIMIT_MS = 60_000;
const TAIL_LINES = 15;

interface LogLine {
  readonly level: string;
  readonly text: string;
}

/** Words of OpenClaw for a session that it does not understand, or cannot go on with. */
const TROUBLE =
  /requires repair|migration required|fence|rebuild|takeover|corrupt|malformed|foreign key|missing tool result|isError=true|empty-error-retry|stripped thinking|thinking dropped|agent run failed/i;
/** A slow disk or a busy machine is no trouble, nor is the account of a compaction. */
const NOISE =
  /slow SQLite|reclamation Worker|^liveness warning: reasons=(event_loop|cpu)|^\[compaction-diag\]/i;

/** Where the log ends now. */
export function markLog(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}

/** Warnings and errors since `mark` that speak of one of the sessions, or of trouble with any. */
export function findTrouble(path: string, mark: number, sessions: readonly string[]): string[] {
  return readLog(path, mark)
    .filter(({ level }) => level === 'WARN' || level === 'ERROR' || level === 'FATAL')
    .map(({ text }) => text)
    .filter((text) => !NOISE.test(text))
    .filter((text) => TROUBLE.test(text) || sessions.some((session) => text.includes(session)));
}

/** The last lines since `mark`, to show beside a failure; where there are none, the last that the gateway printed. */
export function tailLog(path: string, mark: number, outputPath: string): string[] {
  const logged = readLog(path, mark).map(({ level, text }) => `${level} ${text}`);
  const lines =
    logged.length > 0 || !existsSync(outputPath)
      ? logged
      : readFileSync(outputPath, 'utf8').trim().split('\n');
  return lines.slice(-TAIL_LINES).map((line) => line.slice(0, 300));
}

/** Waits for a line since `mark` that holds all these words. */
export async function waitForLogLine(path: string, mark: number, words: readonly string[]): Promise<void> {
  const limit = Date.now() + WAIT_LIMIT_MS;
  while (!readLog(path, mark).some(({ text }) => words.every((word) => text.includes(word)))) {
    if (Date.now() > limit) throw new Error(`OpenClaw never logged: ${words.join(' … ')}`);
    await sleep(50);
  }
}

function readLog(path: string, mark: number): LogLine[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path).subarray(mark).toString('utf8').split('\n');
  return lines.flatMap((line) => {
    try {
      const { _meta, message } = JSON.parse(line) as { _meta?: { logLevelName?: string }; message?: unknown };
      return [{ level: _meta?.logLevelName ?? '', text: String(message ?? line) }];
    } catch {
      return [];
    }
  });
}
