/** State folders of each kind, and the command as a process on them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listMisfits, listVisible } from '@openbot/sessions/command-line';
import { openOpenclawDatabaseStore } from '@openbot/sessions/openclaw-database';
import { inject } from 'vitest';
import { makeTempFolder } from '../../../sessions/test/setup/temp-folder.ts';
import { OPENBOT } from '../../src/cli/main.ts';
import { COMMAND } from '../setup/command-file.ts';
import { type RanHere as Ran, runHere } from '../setup/run-here.ts';

export const FIXTURES = join(import.meta.dirname, '..', '..', '..', '..', 'fixtures');

export type { Ran };

export interface SessionPlace {
  readonly home: string;
  readonly stateDir: string;
  readonly sessionsDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** In a process of its own, without a terminal. */
  run(...args: string[]): Promise<Ran>;
  /** In this process, which is quicker. */
  runHere(...args: string[]): Promise<Ran>;
  /** With `--json`; fails unless it is as its declaration says. */
  json<T = Record<string, unknown>>(...args: string[]): Promise<T>;
  jsonHere<T = Record<string, unknown>>(...args: string[]): Promise<T>;
  store(): Record<string, Record<string, unknown>>;
}

/** The `sessions.json` of an agent `main`, or none, and what else is to be there. */
export function makePlace(store?: object, files: Readonly<Record<string, string>> = {}): SessionPlace {
  const home = realpathSync(makeTempFolder());
  const stateDir = join(home, 'state');
  const sessionsDir = join(stateDir, 'agents', 'main', 'sessions');
  mkdirSync(stateDir);
  if (store !== undefined) {
    mkdirSync(sessionsDir, { recursive: true });
    writeFileSync(join(sessionsDir, 'sessions.json'), JSON.stringify(store, null, 2));
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(stateDir, name, '..'), { recursive: true });
    writeFileSync(join(stateDir, name), text);
  }
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    OPENBOT_STATE_DIR: stateDir,
    NODE_COMPILE_CACHE: inject('compiled'),
  };
  const run = async (...args: string[]): Promise<Ran> => {
    const child = spawn(process.execPath, [...COMMAND, ...args], {
      cwd: home,
      env: env as NodeJS.ProcessEnv,
    });
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (piece: string) => {
        texts[name] += piece;
      });
    }
    child.stdin.end();
    const [code] = await once(child, 'close');
    return { code: code as number, ...texts };
  };
  const here: SessionPlace['runHere'] = (...args) => runHere(args, { env, cwd: home });
  const jsonBy =
    (runIt: (...args: string[]) => Promise<Ran>) =>
    async <T>(...args: string[]): Promise<T> => {
      const { code, stdout, stderr } = await runIt(...args, '--json');
      if (code !== 0 || stderr !== '') throw new Error(`openbot ${args.join(' ')}: ${stderr}`);
      const printed = JSON.parse(stdout) as T;
      const misfits = listMisfits(await findShape(args), printed);
      if (misfits.length > 0) throw new Error(misfits.join('\n'));
      return printed;
    };
  return {
    home,
    stateDir,
    sessionsDir,
    env,
    run,
    runHere: here,
    json: jsonBy(run),
    jsonHere: jsonBy(here),
    store: () => JSON.parse(readFileSync(join(sessionsDir, 'sessions.json'), 'utf8')),
  };
}

async function findShape(args: readonly string[]) {
  const named = listVisible(OPENBOT).filter(({ name }) =>
    name.split(' ').every((word, at) => args[at] === word),
  );
  const command = named.find(({ name }) => name.includes(' ')) ?? named[0]!;
  return Object.values(await command.results!())[0]!;
}

/** What OpenClaw 2026.7.35 left, with its archives. */
export function makeOpenclawPlace(): SessionPlace {
  const place = makePlace({});
  cpSync(join(FIXTURES, 'openclaw-files', '2026.7.35'), place.sessionsDir, { recursive: true });
  writeFileSync(join(place.stateDir, 'openclaw.json'), JSON.stringify(OPENCLAW_CONFIG));
  return place;
}

/** The database of OpenClaw 2026.9.6, with further entries. */
export async function makeDatabasePlace(
  entries: Readonly<Record<string, object>> = {},
): Promise<SessionPlace> {
  const place = makePlace(undefined, { 'openclaw.json': JSON.stringify(OPENCLAW_CONFIG) });
  const folder = join(place.stateDir, 'agents', 'main', 'agent');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'openclaw-agent.sqlite');
  cpSync(join(FIXTURES, 'openclaw-sqlite', 'openclaw-agent.sqlite'), path);
  const store = openOpenclawDatabaseStore(path);
  for (const [key, entry] of Object.entries(entries)) await store.update(key, () => entry as never);
  return place;
}

/** One provider whose model has a window of 64,000 tokens. */
const OPENCLAW_CONFIG = {
  agents: { defaults: { model: { primary: 'imitation/imitation' } } },
  models: {
    providers: {
      imitation: {
        baseUrl: 'http://127.0.0.1:1/v1',
        api: 'openai-completions',
        models: [{ id: 'imitation', name: 'Imitation', contextWindow: 64_000 }],
      },
    },
  },
};

/** All paths below a folder, with the bytes of the files. */
export function snapshot(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    names
      .map((one) => [join(one.parentPath, one.name), one] as const)
      .map(([path, one]) => [path, one.isFile() ? readFileSync(path, 'base64') : ''])
      .sort(),
  );
}

/** Lines of a transcript: the header, then messages of a person and the agent in turn, linked by their ids. */
export function writeTranscript(place: SessionPlace, sessionId: string, messages: number): string {
  const at = '2026-11-15T10:00:00.000Z';
  const header = { type: 'session', version: 3, id: sessionId, timestamp: at, cwd: place.home };
  const lines = Array.from({ length: messages }, (_, index) => ({
    type: 'message',
    id: `0000000${index}`.slice(-8),
    parentId: index === 0 ? null : `0000000${index - 1}`.slice(-8),
    timestamp: at,
    message:
      index % 2 === 0
        ? { role: 'user', content: `question ${index}` }
        : { role: 'assistant', content: [{ type: 'text', text: `answer ${index}` }], stopReason: 'stop' },
  }));
  const path = join(place.sessionsDir, `${sessionId}.jsonl`);
  writeFileSync(path, [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(''));
  return path;
}
