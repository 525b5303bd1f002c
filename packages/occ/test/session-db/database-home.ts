/** A home folder whose OpenClaw keeps its sessions in a database, and the command on it. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { FIXTURE_DATABASE } from '../../../sessions/test/openclaw-db/setup/create-agent-database.ts';
import {
  type MadeSession,
  makeAgentDatabase,
  type SessionToMake,
} from '../../../sessions/test/openclaw-db/setup/make-database.ts';
import { type OccRun, runOcc, runOccHere } from '../setup/run-occ.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

// biome-ignore lint/suspicious/noExplicitAny: what a program printed.
export type Json = any;

export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

export interface DatabaseHome {
  readonly folder: string;
  /** Of the database. */
  readonly path: string;
  readonly sessions: string;
  /** Where backups and journals are. */
  readonly kept: string;
  readonly env: Readonly<Record<string, string>>;
  /** The command in this process. */
  occ(...args: string[]): Promise<OccRun>;
  /** What it prints with `--json`; it must succeed and be silent on stderr. */
  json(...args: string[]): Promise<Json>;
  /** What it complains of with `--json`; it must fail and print nothing. */
  refused(...args: string[]): Promise<Refusal>;
  /** The command in a process of its own. */
  occProcess(...args: string[]): Promise<OccRun>;
  /** The backups of a session by number. */
  backups(sessionId: string): Record<number, string>;
  journal(sessionId: string): Json[];
}

/** The home in a folder that has its database already. */
export function homeIn(folder: string): DatabaseHome {
  const state = join(folder, '.openclaw');
  const sessions = join(state, 'agents', 'main', 'sessions');
  const backups = join(sessions, 'backups');
  const env = { HOME: folder, OPENCLAW_STATE_DIR: state };
  const occ = (...args: string[]) => runOccHere(args, { env, cwd: folder });
  return {
    folder,
    path: join(state, 'agents', 'main', 'agent', 'openclaw-agent.sqlite'),
    sessions,
    kept: backups,
    env,
    occ,
    json: async (...args) => {
      const ran = await occ(...args, '--json');
      expect(ran, `occ ${args.join(' ')}`).toMatchObject({ code: 0, stderr: '' });
      return JSON.parse(ran.stdout);
    },
    refused: async (...args) => readRefusal(await occ(...args, '--json')),
    occProcess: (...args) => runOcc(args, { env, cwd: folder }),
    backups: (sessionId) => {
      const pattern = new RegExp(`^${sessionId}\\.backup\\.(\\d+)\\.jsonl$`);
      const found = existsSync(backups) ? readdirSync(backups) : [];
      return Object.fromEntries(
        found.flatMap((name) => {
          const number = pattern.exec(name)?.[1];
          return number === undefined ? [] : [[Number(number), readFileSync(join(backups, name), 'utf8')]];
        }),
      );
    },
    journal: (sessionId) => {
      const path = join(backups, `${sessionId}.occ.json`);
      return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).rewrites : [];
    },
  };
}

export function readRefusal(ran: OccRun): Refusal {
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  const { success, error, ...rest } = JSON.parse(ran.stderr);
  expect({ success, rest }).toEqual({ success: false, rest: {} });
  const { reason = '', ...told } = error;
  expect(reason).toEqual(expect.any(String));
  expect(told).toEqual({ code: expect.any(String), message: expect.any(String), hint: expect.any(String) });
  return error;
}

/** A home with the database that OpenClaw wrote. */
export function makeFixtureHome(folder = makeTempFolder()): DatabaseHome {
  const home = homeIn(folder);
  mkdirSync(join(home.path, '..'), { recursive: true });
  copyFileSync(FIXTURE_DATABASE, home.path);
  return home;
}

export function makeHome(
  sessions: Iterable<SessionToMake>,
  folder = makeTempFolder(),
): DatabaseHome & { readonly made: MadeSession[] } {
  const home = homeIn(folder);
  return { ...home, made: makeAgentDatabase(home.path, { sessions }) };
}
