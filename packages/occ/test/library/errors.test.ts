/** The classes of failures, by the entry of the package. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOpenBotError } from '@openbot/sessions';
import {
  AgentNotFoundError,
  AmbiguousSessionError,
  CloneOperationError,
  EditOperationError,
  executeClone,
  executeEdit,
  executeRestore,
  getCurrentSession,
  NoSessionsError,
  OccError,
  OpenBotError,
  RestoreError,
  resolvePreset,
  resolveSessionId,
  resolveToolRemovalOptions,
  SessionNotFoundError,
  UnknownPresetError,
} from 'oc-context-cleaner';
import { beforeEach, expect, test, vi } from 'vitest';
import { createSessionWithTurns, writeSession } from '../setup/sessions.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

let stateDir: string;
let sessions: string;
beforeEach(() => {
  stateDir = makeTempFolder();
  sessions = join(stateDir, 'agents', 'main', 'sessions');
  for (const id of ['abc-1', 'abc-2']) writeSession(stateDir, 'main', id, createSessionWithTurns(30, 1));
  vi.stubEnv('OPENCLAW_STATE_DIR', stateDir);
});

/** What a call throws, if it is of the class. */
async function failureOf<E extends Error>(
  kind: abstract new (...args: never[]) => E,
  call: () => unknown,
): Promise<E> {
  const error = await Promise.resolve()
    .then(call)
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  if (!(error instanceof kind)) throw new Error(`Not a ${kind.name}`, { cause: error });
  expect(error).toBeInstanceOf(OccError);
  expect(error).toBeInstanceOf(OpenBotError);
  expect(error.name).toBe(kind.name);
  return error;
}

test('a session that is not there', async () => {
  for (const call of [
    () => executeEdit({ stateDir, sessionId: 'nobody' }),
    () => executeRestore({ stateDir, sessionId: 'nobody' }),
    () => resolveSessionId('nobody'),
  ]) {
    const error = await failureOf(SessionNotFoundError, call);
    const sessionId: string = error.sessionId;
    expect([sessionId, error.code, error.message]).toEqual([
      'nobody',
      'SESSION_NOT_FOUND',
      "Session 'nobody' not found",
    ]);
  }
});

test('the beginning of several ids', async () => {
  const error = await failureOf(AmbiguousSessionError, () => resolveSessionId('abc'));
  const matches: string[] = error.matches;
  expect([error.partial, matches.toSorted(), error.code]).toEqual([
    'abc',
    ['abc-1', 'abc-2'],
    'AMBIGUOUS_SESSION',
  ]);
});

test('an edit that cannot be written', async () => {
  mkdirSync(join(sessions, 'backups', 'abc-1.occ.json', 'in the way'), { recursive: true });
  const error = await failureOf(EditOperationError, () => executeEdit({ stateDir, sessionId: 'abc-1' }));
  const cause: Error | undefined = error.cause;
  expect([error.code, cause]).toEqual(['EDIT_FAILED', expect.any(Error)]);
});

test('a clone that cannot be written', async () => {
  const outputPath = join(stateDir, 'there.jsonl');
  writeFileSync(outputPath, '');
  const error = await failureOf(CloneOperationError, () =>
    executeClone({ stateDir, sourceSessionId: 'abc-1', outputPath }),
  );
  const cause: Error | undefined = error.cause;
  expect([error.code, cause]).toEqual(['CLONE_FAILED', undefined]);
});

test('a session without a backup', async () => {
  const error = await failureOf(RestoreError, () => executeRestore({ stateDir, sessionId: 'abc-1' }));
  expect(error.code).toBe('RESTORE_FAILED');
});

test('an agent without sessions', async () => {
  mkdirSync(join(stateDir, 'agents', 'ops', 'sessions'), { recursive: true });
  const error = await failureOf(NoSessionsError, () => getCurrentSession('ops'));
  const agentId: string = error.agentId;
  expect([agentId, error.code]).toEqual(['ops', 'NO_SESSIONS']);
});

test('no sessions of a program that has no agents', async () => {
  const env = { HOME: makeTempFolder() };
  const error = await failureOf(NoSessionsError, () => executeEdit({ env, source: 'claude' }));
  expect([error.agentId, error.details]).toEqual(['', { agentId: undefined }]);
});

test('a preset that is not there', async () => {
  for (const call of [
    () => resolvePreset('unheard-of'),
    () => executeEdit({ stateDir, sessionId: 'abc-1', toolRemoval: { preset: 'unheard-of' } }),
  ]) {
    const error = await failureOf(UnknownPresetError, call);
    const presetName: string = error.presetName;
    expect([presetName, error.code]).toEqual(['unheard-of', 'UNKNOWN_PRESET']);
  }
});

test('an agent that is not there', async () => {
  const error = await failureOf(AgentNotFoundError, () => executeEdit({ stateDir, agentId: 'nobody' }));
  const availableAgents: string[] | undefined = error.availableAgents;
  expect([availableAgents, error.code]).toEqual([['main'], 'AGENT_NOT_FOUND']);
});

test('every failure with a code is an OccError, of whatever package, and of no other class', async () => {
  const failures = await Promise.all([
    failureOf(OpenBotError, () => resolveToolRemovalOptions({ keepTurnsWithTools: -1 })),
    failureOf(OpenBotError, () => executeEdit({ agentId: '../outside' })),
  ]);
  for (const error of failures) {
    expect(error).toBeInstanceOf(OccError);
    expect(error).not.toBeInstanceOf(SessionNotFoundError);
    expect(error).not.toBeInstanceOf(EditOperationError);
  }
  expect(new TypeError()).not.toBeInstanceOf(OccError);
});

test('a caller can make them as the package does', () => {
  const cause = new Error('the disk is full');
  expect([
    new OccError('Refused', 'REFUSED'),
    new SessionNotFoundError('x'),
    new AmbiguousSessionError('x', ['x1', 'x2']),
    new EditOperationError('Failed', cause),
    new CloneOperationError('Failed', cause),
    new RestoreError('Failed'),
    new NoSessionsError('main'),
    new UnknownPresetError('p'),
    new AgentNotFoundError('none', ['main']),
    new AgentNotFoundError('none'),
  ]).toMatchObject([
    { name: 'OccError', code: 'REFUSED', message: 'Refused' },
    { sessionId: 'x', message: "Session 'x' not found", details: { sessionId: 'x' } },
    { partial: 'x', matches: ['x1', 'x2'], message: "Multiple sessions match 'x': x1, x2" },
    { code: 'EDIT_FAILED', cause },
    { code: 'CLONE_FAILED', cause },
    { code: 'RESTORE_FAILED' },
    { agentId: 'main', message: "No sessions found for agent 'main'", details: { agentId: 'main' } },
    { presetName: 'p', message: 'Unknown preset: p' },
    { availableAgents: ['main'], details: { availableAgents: ['main'] } },
    { availableAgents: [], details: { availableAgents: [] } },
  ]);
});

test('a program that carries them to another process recognises each by its fields', () => {
  const fields = { code: 'UNKNOWN_PRESET', message: 'Unknown preset: p' };
  expect(isOpenBotError(new UnknownPresetError('p'))).toBe(true);
  expect(isOpenBotError(Object.assign(new Error(), fields))).toBe(false);
  expect(isOpenBotError(Object.assign(new Error(), fields, { hint: undefined, details: undefined }))).toBe(
    true,
  );
  expect(isOpenBotError(fields)).toBe(false);
});
