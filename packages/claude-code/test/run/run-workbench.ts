/** The real Claude Code on the imitation of the API, run by us: in this process, or in one of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClaudeBench } from '../../../../test/imitations/claude-bench.ts';
import { type MessagesRequest, type Reply, say } from '../../../../test/imitations/messages-format.ts';
import { programOf } from '../../../../test/setup/programs.ts';
import { type RunNote, readRunNotes } from '../../src/processes/run-note.ts';
import type { RegisteredSession } from '../../src/registry/registered-session.ts';
import { readRegistry, resolveRegistryPath } from '../../src/registry/registry-file.ts';
import { type ClaudeRun, startRun } from '../../src/run/claude-run.ts';
import type { RunEvent } from '../../src/run-contract/run-event.ts';
import type { RunRequest } from '../../src/run-contract/run-request.ts';

/** What a turn of the imitation costs: 100,000 tokens in, 1000 out. */
const USAGE = { input_tokens: 100_000, output_tokens: 1000 };

export const answer = (text: string): Reply => ({ blocks: [say(text)], usage: USAGE });

/** Whether a conversation holds a text. */
export const holds = (request: MessagesRequest, text: string): boolean =>
  JSON.stringify(request.messages).includes(text);

export interface Watched {
  readonly run: ClaudeRun;
  readonly events: RunEvent[];
  /** Resolves with the next event of that type that was not yet waited for. */
  next<Type extends RunEvent['type']>(type: Type): Promise<Extract<RunEvent, { type: Type }>>;
}

export class Workbench extends ClaudeBench {
  request(task: string, own: Partial<RunRequest> = {}): RunRequest {
    return {
      task,
      repoPath: this.home.cwd,
      agentId: 'main',
      stateDir: this.stateDir,
      env: this.home.env,
      settingSources: [],
      idleMs: 0,
      session: { action: 'fresh' },
      ...own,
    };
  }

  start(task: string, own: Partial<RunRequest> = {}): Watched {
    const run = startRun(this.request(task, own));
    const events: RunEvent[] = [];
    run.onEvent((event) => events.push(event));
    let seen = 0;
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    run.outcome.then(end, end);
    return {
      run,
      events,
      async next(type) {
        const found = await waitFor(`the event ${type}`, () => {
          const at = events.findIndex((event, index) => index >= seen && event.type === type);
          if (at < 0 && isOver) throw new Error(`the run ended without the event ${type}`);
          if (at >= 0) seen = at + 1;
          return at < 0 ? undefined : events[at];
        });
        return found as never;
      },
    };
  }

  /** A process of its own that runs the task and prints its events. */
  spawnRun(task: string, own: Partial<RunRequest> = {}): SpawnedRun {
    const child = spawn(
      process.execPath,
      [programOf(import.meta.dirname, 'run-child.ts'), JSON.stringify(this.request(task, own))],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    this.children.push(child);
    const events: RunEvent[] = [];
    createInterface({ input: child.stdout! }).on('line', (line) => events.push(JSON.parse(line) as RunEvent));
    const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    return {
      child,
      events,
      ended,
      next: (type) =>
        waitFor(`the event ${type} of the other process`, () => {
          const found = events.find((event) => event.type === type);
          if (found === undefined && isOver) throw new Error(`the other process ended without ${type}`);
          return found;
        }) as never,
    };
  }

  registered(sessionId: string, agentId = 'main'): RegisteredSession | undefined {
    return readRegistry(this.stateDir, agentId).get(sessionId);
  }

  /** What is written down of the Claude Code that is at work in a session. */
  note(sessionId: string): RunNote | undefined {
    return readRunNotes(this.home.env).find((note) => note.sessionId === sessionId);
  }

  /** Puts a directory where the registry of an agent would be, or takes it away. */
  damageRegistry(agentId: string, isDamaged = true): void {
    const path = resolveRegistryPath(this.stateDir, agentId);
    if (isDamaged) mkdirSync(path, { recursive: true });
    else rmSync(path, { recursive: true });
  }

  transcriptPath(repo: string, sessionId: string): string {
    const folder = join(this.home.config, 'projects', repo.replace(/[^a-zA-Z0-9]/g, '-'));
    return join(folder, `${sessionId}.jsonl`);
  }

  /** What people said in a session, in order. */
  readUserTexts(repo: string, sessionId: string): string[] {
    return readFileSync(this.transcriptPath(repo, sessionId), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; message?: { content: unknown }; isMeta?: boolean })
      .filter(({ type, isMeta }) => type === 'user' && isMeta !== true)
      .flatMap(({ message }) => {
        const content = message?.content;
        if (typeof content === 'string') return [content];
        const blocks = content as { type: string; text?: string }[];
        return blocks.flatMap(({ type, text }) => (type === 'text' ? [text!] : []));
      });
  }
}

export interface SpawnedRun {
  readonly child: ChildProcess;
  readonly events: readonly RunEvent[];
  readonly ended: Promise<[code: number | null, signal: NodeJS.Signals | null]>;
  next<Type extends RunEvent['type']>(type: Type): Promise<Extract<RunEvent, { type: Type }>>;
}

/** A reply that comes when it is let go. */
export function hold(reply: Reply): { readonly reply: Promise<Reply>; letGo(other?: Reply): void } {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  return { reply: promise, letGo: (other = reply) => resolve(other) };
}

/** Looks again and again, for as long as the test may take. */
export async function waitFor<T>(what: string, look: () => T | undefined): Promise<T> {
  for (let tries = 0; tries < 2400; tries++) {
    const found = look();
    if (found !== undefined) return found;
    await sleep(25);
  }
  throw new Error(`there never was ${what}`);
}

/** Whether a process is there and not only waiting to be reaped. */
export function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (!existsSync('/proc/self/stat')) return true;
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return !/[ZX]/.test(text.slice(text.lastIndexOf(')') + 2)[0]!);
  } catch {
    return false;
  }
}
