/** Generated sessions of OpenClaw's older, linear style, and their place on disk. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type SessionLine = Record<string, unknown>;

export interface SessionOptions {
  readonly sessionId?: string;
  /** In the header; null leaves it out. */
  readonly cwd?: string | null;
  /** Milliseconds of the first line; each line is one second later. */
  readonly startedAt?: number;
  /** Characters of each tool result, and of one long argument beside the path; results are short when not given. */
  readonly resultLength?: number;
  readonly argumentLength?: number;
  /** Characters of each spoken text. */
  readonly textLength?: number;
  /** Entries with ids and parent ids, header version 3, as OpenClaw writes now. */
  readonly tree?: boolean;
  /** Recorded usage on each assistant message. */
  readonly usage?: boolean;
}

export const FIRST_MOMENT = 1_738_324_800_000;

/** Turns of: a question, calls, one result each, an answer. Call ids are `call_<turn>_<tool>`. */
export function createSessionWithTurns(
  turnCount: number,
  toolsPerTurn = 1,
  options: SessionOptions = {},
): SessionLine[] {
  const startedAt = options.startedAt ?? FIRST_MOMENT;
  let moment = startedAt;
  let parentId: string | null = null;
  let written = 0;
  const lines: SessionLine[] = [
    {
      type: 'session',
      version: options.tree ? 3 : '0.49.3',
      id: options.sessionId ?? 'test-session-001',
      timestamp: new Date(startedAt).toISOString(),
      ...(options.cwd === null ? {} : { cwd: options.cwd ?? '/test/project' }),
    },
  ];
  const add = (message: SessionLine): void => {
    moment += 1000;
    written += message.role === undefined ? 0 : JSON.stringify(message).length;
    if (!options.tree) {
      lines.push({ type: 'message', timestamp: moment, message });
      return;
    }
    const id = lines.length.toString(16).padStart(8, '0');
    lines.push({ type: 'message', id, parentId, timestamp: new Date(moment).toISOString(), message });
    parentId = id;
  };
  /** The older style has plain strings. */
  const spoken = (text: string, length: number | undefined): unknown =>
    options.tree ? [{ type: 'text', text: lengthen(text, length) }] : lengthen(text, length);
  const usage = (): SessionLine => {
    if (!options.usage) return {};
    const input = Math.ceil(written / 4);
    return { usage: { input, output: 10, cacheRead: 0, cacheWrite: 0, totalTokens: input + 10 } };
  };

  for (let turn = 0; turn < turnCount; turn++) {
    add({ role: 'user', content: lengthen(`User message for turn ${turn}`, options.textLength) });
    if (toolsPerTurn > 0) {
      const calls = Array.from({ length: toolsPerTurn }, (_, tool) => ({
        type: 'toolCall',
        id: `call_${turn}_${tool}`,
        name: 'Read',
        arguments: {
          file_path: `/test/file_${turn}_${tool}.txt`,
          ...(options.argumentLength === undefined
            ? {}
            : { pattern: lengthen(`pattern ${turn}_${tool}`, options.argumentLength) }),
        },
      }));
      add({
        role: 'assistant',
        content: [{ type: 'text', text: 'Let me check.' }, ...calls],
        stopReason: 'toolUse',
        ...usage(),
      });
      for (let tool = 0; tool < toolsPerTurn; tool++) {
        add({
          role: 'toolResult',
          toolCallId: `call_${turn}_${tool}`,
          toolName: 'Read',
          content: spoken(`Result for tool call ${turn}_${tool}`, options.resultLength),
          isError: false,
        });
      }
    }
    add({
      role: 'assistant',
      content: spoken(`Response for turn ${turn}`, options.textLength),
      stopReason: 'stop',
      ...usage(),
    });
  }
  return lines;
}

export interface WriteSessionOptions {
  /** False leaves the session out of sessions.json. */
  readonly indexed?: boolean;
  /** `agent:<agentId>:test:<sessionId>` when not given. */
  readonly sessionKey?: string;
  /** More fields of the index entry. */
  readonly entry?: Record<string, unknown>;
}

/** The lines as a transcript of the agent, in the index too. Returns its path. */
export function writeSession(
  stateDir: string,
  agentId: string,
  sessionId: string,
  lines: readonly (SessionLine | string)[],
  options: WriteSessionOptions = {},
): string {
  const folder = join(stateDir, 'agents', agentId, 'sessions');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${sessionId}.jsonl`);
  writeFileSync(path, formatLines(withSessionId(lines, sessionId)), { mode: 0o600 });
  if (options.indexed === false) return path;

  const indexPath = join(folder, 'sessions.json');
  const index = existsSync(indexPath) ? JSON.parse(readFileSync(indexPath, 'utf8')) : {};
  const key = options.sessionKey ?? `agent:${agentId}:test:${sessionId}`.toLowerCase();
  index[key] = { sessionId, updatedAt: FIRST_MOMENT, ...options.entry };
  writeFileSync(indexPath, JSON.stringify(index, null, 2));
  chmodSync(indexPath, 0o600);
  return path;
}

/** JSONL of the lines; a string stands for itself. */
export function formatLines(lines: readonly (SessionLine | string)[]): string {
  return lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
}

/** The parsed lines of a transcript. */
export function readLines(path: string): SessionLine[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as SessionLine);
}

function withSessionId(lines: readonly (SessionLine | string)[], sessionId: string) {
  return lines.map((line) =>
    typeof line !== 'string' && line.type === 'session' ? { ...line, id: sessionId } : line,
  );
}

const FILLER = 'the quick brown fox jumps over the lazy dog\n';

function lengthen(text: string, length: number | undefined): string {
  if (length === undefined || length <= text.length) return text;
  const missing = length - text.length - 1;
  return `${text} ${FILLER.repeat(Math.ceil(missing / FILLER.length)).slice(0, missing)}`;
}
