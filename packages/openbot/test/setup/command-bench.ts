/** The command in processes of its own, with the real Claude Code on the imitation of the API. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunEvent } from '@openbot/claude-code';
import { inject } from 'vitest';
import { ClaudeBench } from '../../../../test/imitations/claude-bench.ts';
import { findClaudeBinary } from '../../../../test/imitations/claude-binary.ts';
import {
  blocksOf,
  call,
  type MessagesRequest,
  type Reply,
  say,
} from '../../../../test/imitations/messages-format.ts';
import { COMMAND } from './command-file.ts';
import { type Command, type Ran, spawnInTerminal, waitFor, watchCommand } from './terminal-command.ts';

export { type Command, type Ran, waitFor };

const binary = findClaudeBinary();
/** Why Claude Code cannot be run here. */
export const missing = 'missing' in binary ? binary.missing : undefined;

/** A turn of the imitation costs less than half a dollar: 100,000 tokens in, 1000 out. */
const USAGE = { input_tokens: 100_000, output_tokens: 1000 };
export const answer = (text: string): Reply => ({ blocks: [say(text)], usage: USAGE });
export const use = (name: string, input: Record<string, unknown>): Reply => ({
  blocks: [call('toolu_1', name, input)],
  usage: USAGE,
});

/** What the last message of a conversation says, the results of tools included. */
export function lastSaid({ messages }: MessagesRequest): string {
  return JSON.stringify(blocksOf(messages.filter(({ role }) => role === 'user').at(-1)!));
}

export interface SpawnOptions {
  readonly cwd?: string;
  /** What standard input holds. Default: nothing. */
  readonly input?: string;
}

export class CommandBench extends ClaudeBench {
  readonly env: Record<string, string> = {
    ...this.home.env,
    OPENBOT_STATE_DIR: this.stateDir,
    NODE_COMPILE_CACHE: inject('compiled'),
  };

  /**
   * Replies by a word in what was said last; the result of a tool is answered by its text, and everything else with `Done.`
   */
  script(replies: Readonly<Record<string, () => Reply | Promise<Reply>>>): void {
    this.api.setReplies((request) => {
      const said = lastSaid(request);
      if (said.includes('"tool_result"')) return answer(`It gave: ${said}`);
      const found = Object.entries(replies).find(([word]) => said.includes(word));
      return found === undefined ? answer('Done.') : found[1]();
    });
  }

  spawn(args: readonly string[], { cwd, input = '' }: SpawnOptions = {}): Command {
    const child = spawn(process.execPath, [...COMMAND, ...args], {
      cwd: cwd ?? this.home.cwd,
      env: this.env,
    });
    child.stdin!.end(input);
    return this.#watch(child);
  }

  /** As `spawnInTerminal` of terminal-command.ts. */
  spawnInTerminal(args: readonly string[], cwd: string, redirection = ''): Command {
    const command = spawnInTerminal(args, { cwd, env: this.env, redirection });
    this.children.push(command.child);
    return command;
  }

  run(args: readonly string[], options?: SpawnOptions): Promise<Ran> {
    return this.spawn(args, options).ended;
  }

  #watch(child: ChildProcess): Command {
    this.children.push(child);
    return watchCommand(child);
  }
}

/** The id and the cost in the last line of a run. */
export function readLastLine({ stdout }: Ran): { result: string; sessionId: string; costs: string } {
  const [, result, sessionId, costs] = /\n. (\w+) {2}(\S+) {2}(.*)\n$/u.exec(stdout) ?? [];
  if (costs === undefined) throw new Error(`no last line: ${stdout}`);
  return { result: result!, sessionId: sessionId!, costs };
}

export function readEvents({ stdout }: Pick<Ran, 'stdout'>): RunEvent[] {
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as RunEvent);
}

/** A tool that goes on until it is ended, and leaves its pid in the repository. */
export const endless = () => use('Bash', { command: 'echo $$ > pid; tail -f /dev/null' });

export function readPid(repo: string): Promise<number> {
  const path = join(repo, 'pid');
  return waitFor(
    () => 'the pid of the tool',
    () => (existsSync(path) && Number(readFileSync(path, 'utf8'))) || undefined,
  );
}

/** Whether a process is there and not only waiting to be reaped. */
export function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return !/[ZX]/.test(text.slice(text.lastIndexOf(')') + 2)[0]!);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
