import { randomUUID } from 'node:crypto';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTempFolder } from '../temp-folder.ts';

export interface NativeSession {
  readonly id?: string;
  readonly text?: string;
  readonly branch?: string;
  /** Further working folders, after the first one. */
  readonly cwds?: readonly string[];
  readonly modified?: string;
  /** The folder of the file, where it is not that of the first working folder. */
  readonly slug?: string;
}

/** A temp folder with a Claude Code in it that has only sessions, and a state folder of ours. */
export function makeHome() {
  const root = makeTempFolder();
  const config = join(root, 'config');
  const projects = join(config, 'projects');
  const stateDir = join(root, 'state');
  mkdirSync(projects, { recursive: true });

  function addSession(cwd: string, own: NativeSession = {}): string {
    const id = own.id ?? randomUUID();
    const folder = join(projects, own.slug ?? cwd.replace(/[^a-zA-Z0-9]/g, '-'));
    mkdirSync(folder, { recursive: true });
    const chain = [cwd, ...(own.cwds ?? [])].map((place, index) => ({
      parentUuid: null,
      isSidechain: false,
      type: 'user',
      message: { role: 'user', content: index === 0 ? (own.text ?? 'hello') : 'more' },
      uuid: randomUUID(),
      timestamp: '2026-11-16T01:00:00.000Z',
      cwd: place,
      sessionId: id,
      version: '2.1.325',
      gitBranch: own.branch ?? 'main',
    }));
    const answer = {
      ...chain.at(-1),
      type: 'assistant',
      uuid: randomUUID(),
      message: {
        id: `msg_${id}`,
        model: 'claude-opus-5-5',
        content: [{ type: 'text', text: 'done' }],
        usage: {
          input_tokens: 10,
          output_tokens: 4,
          cache_read_input_tokens: 100,
          cache_creation_input_tokens: 20,
        },
      },
    };
    const path = join(folder, `${id}.jsonl`);
    writeFileSync(path, [...chain, answer, answer].map((line) => `${JSON.stringify(line)}\n`).join(''));
    if (own.modified !== undefined) utimesSync(path, new Date(own.modified), new Date(own.modified));
    return id;
  }

  function makeFolder(...parts: string[]): string {
    const path = join(root, ...parts);
    mkdirSync(path, { recursive: true });
    return path;
  }

  const env = { CLAUDE_CONFIG_DIR: config, HOME: join(root, 'home') };
  return { root, config, projects, stateDir, env, options: { stateDir, env }, addSession, makeFolder };
}
