/** A home folder with an OpenClaw state folder in it, and the command on them. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type OccRun, runOcc, runOccHere } from '../setup/run-occ.ts';
import { createSessionWithTurns, type WriteSessionOptions, writeSession } from '../setup/sessions.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

export const ID = 'abc12345-0000-4000-8000-000000000001';

export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

export type Lines = Parameters<typeof writeSession>[3];

export interface StateFolder {
  readonly home: string;
  readonly stateDir: string;
  /** Of the agent main. */
  readonly sessions: string;
  /** Writes a session of the agent main, or of another; returns its path. */
  add(lines: Lines, options?: AddOptions): string;
  /** Runs the command in this process, with HOME here, and from here. */
  occ(...args: string[]): Promise<OccRun>;
  /** The same in a process of its own. */
  occProcess(...args: string[]): Promise<OccRun>;
  /** What the command prints with `--json`; it must succeed and be silent on stderr. */
  json<T = Json>(...args: string[]): Promise<T>;
  /** What the command complains of with `--json`; it must fail and print nothing. */
  refused(...args: string[]): Promise<Refusal>;
  /** The names in the sessions folder, and below it in backups/. */
  names(): string[];
  /** The entry of the session in sessions.json. */
  entryOf(sessionId: string): Json | undefined;
}

export interface AddOptions extends WriteSessionOptions {
  readonly sessionId?: string;
  readonly agentId?: string;
}

// biome-ignore lint/suspicious/noExplicitAny: what a program printed.
export type Json = any;

export function makeStateFolder(): StateFolder {
  const home = makeTempFolder();
  const stateDir = join(home, '.openclaw');
  const sessions = join(stateDir, 'agents', 'main', 'sessions');
  mkdirSync(sessions, { recursive: true });
  const options = { env: { HOME: home }, cwd: home };
  const occ = (...args: string[]) => runOccHere(args, options);
  return {
    home,
    stateDir,
    sessions,
    occ,
    occProcess: (...args) => runOcc(args, options),
    add: (lines, { sessionId = ID, agentId = 'main', ...options } = {}) =>
      writeSession(stateDir, agentId, sessionId, lines, options),
    json: async (...args) => {
      const run = await occ(...args, '--json');
      expect(run, `occ ${args.join(' ')}`).toMatchObject({ code: 0, stderr: '' });
      return JSON.parse(run.stdout);
    },
    refused: async (...args) => {
      const run = await occ(...args, '--json');
      expect(run, `occ ${args.join(' ')}`).toMatchObject({ code: 1, stdout: '' });
      const { success, error, ...rest } = JSON.parse(run.stderr);
      expect({ success, rest }).toEqual({ success: false, rest: {} });
      return error;
    },
    names: () =>
      readdirSync(sessions, { recursive: true, encoding: 'utf8' })
        .filter((name) => name !== 'backups')
        .sort(),
    entryOf: (sessionId) => {
      const index = JSON.parse(readFileSync(join(sessions, 'sessions.json'), 'utf8')) as Json;
      return Object.values<Json>(index).find((entry) => entry.sessionId === sessionId);
    },
  };
}

/** Thirty turns with one call each and results of 900 characters: each preset has something to do. */
export const thirtyTurns = (options: Parameters<typeof createSessionWithTurns>[2] = {}) =>
  createSessionWithTurns(30, 1, { resultLength: 900, ...options });
