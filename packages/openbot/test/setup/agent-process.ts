import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { makeTempFolder } from '../../../sessions/test/setup/temp-folder.ts';
import type { Script, ScriptTurn } from '../../src/runners/script/script.ts';
import { COMMAND } from './command-file.ts';
import { type RanHere as Ran, runHere } from './run-here.ts';

/** A state folder, and `openbot agent` as a process of its own on it. */
export interface AgentBench {
  readonly folder: string;
  readonly stateDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  configure(config: object): void;
  /** `script/<name>` */
  addScript(name: string, turns: readonly ScriptTurn[], contextWindow?: number): void;
  agent(args: readonly string[], options?: { input?: string | Buffer }): Promise<Ran>;
  /** In this process, which is quicker. */
  agentHere(...args: string[]): Promise<Ran>;
  json(...args: string[]): Promise<AgentJson>;
  jsonHere(...args: string[]): Promise<AgentJson>;
  /** The lines of all transcripts of an agent, parsed. */
  lines(agentId?: string): readonly { type: string; [field: string]: unknown }[];
  store(agentId?: string): Record<string, { sessionId: string; [field: string]: unknown }>;
}

export interface AgentJson {
  readonly payloads: readonly { text: string; mediaUrl: string | null }[];
  readonly meta: {
    readonly aborted: boolean;
    readonly outcome: string;
    readonly agentMeta: {
      sessionId: string;
      sessionKey: string;
      agentId: string;
      provider: string;
      model: string;
    };
  };
}

export function makeAgentBench(more: Readonly<Record<string, string>> = {}): AgentBench {
  const folder = makeTempFolder();
  const stateDir = join(folder, 'state');
  mkdirSync(stateDir);
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    OPENBOT_STATE_DIR: stateDir,
    NODE_COMPILE_CACHE: inject('compiled'),
    ...more,
  };
  const sessionsOf = (agentId: string) => join(stateDir, 'agents', agentId, 'sessions');
  const agent: AgentBench['agent'] = async (args, { input = '' } = {}) => {
    const child = spawn(process.execPath, [...COMMAND, 'agent', ...args], { env: env as NodeJS.ProcessEnv });
    afterTest(() => void child.kill('SIGKILL'));
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (piece: string) => {
        texts[name] += piece;
      });
    }
    // A command that refuses its input does not read it to the end.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const [code] = await once(child, 'close');
    return { code, ...texts };
  };
  const agentHere: AgentBench['agentHere'] = (...args) => runHere(['agent', ...args], { env, cwd: folder });
  const readJson = async (args: readonly string[], ran: Promise<Ran>) => {
    const { code, stdout, stderr } = await ran;
    if (code !== 0 || stderr !== '') throw new Error(`openbot agent ${args.join(' ')}: ${code} ${stderr}`);
    return JSON.parse(stdout) as AgentJson;
  };
  return {
    folder,
    stateDir,
    env,
    configure: (config) => writeFileSync(join(stateDir, 'openbot.json'), JSON.stringify(config)),
    addScript(name, turns, contextWindow) {
      mkdirSync(join(stateDir, 'scripts'), { recursive: true });
      writeFileSync(
        join(stateDir, 'scripts', `${name}.json`),
        JSON.stringify({ turns, contextWindow } satisfies Script),
      );
    },
    agent,
    agentHere,
    json: (...args) => readJson(args, agent([...args, '--json'])),
    jsonHere: (...args) => readJson(args, agentHere(...args, '--json')),
    lines(agentId = 'main') {
      const sessions = sessionsOf(agentId);
      const names = existsSync(sessions)
        ? readdirSync(sessions).filter((name) => name.endsWith('.jsonl'))
        : [];
      return names.flatMap((name) =>
        readFileSync(join(sessions, name), 'utf8')
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line)),
      );
    },
    store: (agentId = 'main') => JSON.parse(readFileSync(join(sessionsOf(agentId), 'sessions.json'), 'utf8')),
  };
}
