import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { cases, HUNT } from '../../../../test/setup/hunt.ts';

import { assertSessionId, resolveAgentFolderName, transcriptFileName } from '../../src/exports/layout.ts';
import { resolveSessionTranscriptPath, resolveSessionTranscriptsDirForAgent } from '../../src/index.ts';

const withCode = (code: string) => expect.objectContaining({ code, hint: expect.any(String) });

describe('session ids', () => {
  it.each(['08ef14de-0000-4000-8000-000000000000', 'a', 'A.b_c-9', '2026-11-15T18-15-19-515Z_01a1e06b'])(
    'takes %s',
    (id) => expect(assertSessionId(id)).toBe(id),
  );

  it.each([
    '',
    '.',
    '..',
    '../other',
    '..\\other',
    '/etc/passwd',
    'C:\\x',
    'a/b',
    'a\0b',
    'a\nb',
    ' a',
    'a ',
    '-rf',
    '.hidden',
    'trailing.',
    'é',
    'x'.repeat(129),
    'con',
    'NUL',
    'aux.txt',
    'LPT1',
    'abc-topic-1',
    'abc.trajectory',
    'abc.checkpoint.1',
    'abc.backup.3',
    undefined,
    null,
    7,
    {},
  ])('refuses %j', (id) => {
    expect(() => assertSessionId(id)).toThrow(withCode('INVALID_SESSION_ID'));
  });

  it('says what was wrong without repeating a very long id', () => {
    expect(() => assertSessionId('y'.repeat(5000))).toThrow(/^.{0,200}$/s);
  });
});

describe('topic ids', () => {
  it.each<[string | number, string]>([
    [42, 's-topic-42.jsonl'],
    ['42', 's-topic-42.jsonl'],
    ['1755.0003', 's-topic-1755.0003.jsonl'],
    ['$event:server', 's-topic-%24event%3Aserver.jsonl'],
    ['ü', 's-topic-%C3%BC.jsonl'],
  ])('%j', (topic, name) => expect(transcriptFileName('s', topic)).toBe(name));

  it.each(['..', '.', 'a/b', '../x', 'a\\b', 'x\0'])('refuses %j', (topic) => {
    expect(() => transcriptFileName('s', topic)).toThrow(withCode('PATH_ESCAPES_FOLDER'));
  });

  it.each(['', 1.5, Number.NaN, Number.POSITIVE_INFINITY, '\ud800', 'x'.repeat(400)])(
    'refuses %j',
    (topic) => {
      expect(() => transcriptFileName('s', topic)).toThrow(
        expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
      );
    },
  );
});

describe('agent ids', () => {
  it.each<[string | undefined | null, string]>([
    [undefined, 'main'],
    [null, 'main'],
    ['', 'main'],
    ['  ', 'main'],
    ['Codex', 'codex'],
    [' My Agent! ', 'my-agent'],
    ['...', 'main'],
  ])('%j is the folder %s', (agentId, folder) => expect(resolveAgentFolderName(agentId)).toBe(folder));

  it.each(['..', '.', '../main', '/root', 'a/b', 'a\\b', 'x\0y'])('refuses %j', (agentId) => {
    expect(() => resolveAgentFolderName(agentId)).toThrow(withCode('PATH_ESCAPES_FOLDER'));
  });

  it.each(['con', 'NUL', 7])('refuses %j', (agentId) => {
    expect(() => resolveAgentFolderName(agentId as string)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
    );
  });
});

it('whatever the ids, a transcript is directly in the folder of its agent, or is refused', HUNT, () => {
  const stateDir = '/state';
  const hostile = fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.string({
      maxLength: 20,
      unit: fc.constantFrom('.', '/', '\\', '\0', 'a', '%', '2', 'F', ':', '-', '~', ' '),
    }),
  );
  fc.assert(
    fc.property(hostile, hostile, fc.option(hostile, { nil: undefined }), (sessionId, agentId, topicId) => {
      let path: string;
      try {
        path = resolveSessionTranscriptPath(sessionId, agentId, topicId, { stateDir });
      } catch (error) {
        expect(error).toMatchObject({
          code: expect.stringMatching(/^(INVALID_SESSION_ID|PATH_ESCAPES_FOLDER|INVALID_ARGUMENT)$/),
        });
        return;
      }
      const folder = dirname(path);
      expect(folder).toBe(resolveSessionTranscriptsDirForAgent(agentId, { stateDir }));
      expect(dirname(dirname(folder))).toBe(join(stateDir, 'agents'));
      expect(path).toMatch(/\.jsonl$/);
    }),
    cases({ gate: 700, torture: 20_000 }),
  );
});
