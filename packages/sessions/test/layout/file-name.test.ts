import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifySessionFileName, isSessionId, transcriptFileName } from '../../src/exports/layout.ts';
import { archiveFileName, type SessionFileName } from '../../src/layout/file-name.ts';

const FIXTURES = join(import.meta.dirname, '../../../../fixtures/openclaw-files/2026.7.35');

describe('classifySessionFileName', () => {
  it.each<[string, SessionFileName]>([
    ['sessions.json', { kind: 'store' }],
    ['sessions.json.lock', { kind: 'lock', target: 'sessions.json' }],
    ['abc.jsonl', { kind: 'transcript', sessionId: 'abc' }],
    ['abc-topic-42.jsonl', { kind: 'topic-transcript', sessionId: 'abc', topicId: '42' }],
    ['abc-topic-a%3Ab.jsonl', { kind: 'topic-transcript', sessionId: 'abc', topicId: 'a:b' }],
    ['abc-topic-%E0%A4%A.jsonl', { kind: 'topic-transcript', sessionId: 'abc', topicId: '%E0%A4%A' }],
    ['abc-topic-x-topic-y.jsonl', { kind: 'topic-transcript', sessionId: 'abc', topicId: 'x-topic-y' }],
    ['abc.jsonl.lock', { kind: 'lock', target: 'abc.jsonl' }],
    ['abc.backup.12.jsonl', { kind: 'backup', sessionId: 'abc', number: 12 }],
    ['abc.trajectory.jsonl', { kind: 'trajectory', sessionId: 'abc' }],
    ['abc.trajectory-path.json', { kind: 'trajectory', sessionId: 'abc' }],
    ['abc.checkpoint.9f.jsonl', { kind: 'checkpoint', sessionId: 'abc' }],
    [
      'abc.jsonl.reset.2026-11-15T18-14-09.411Z',
      {
        kind: 'archive',
        reason: 'reset',
        target: 'abc.jsonl',
        sessionId: 'abc',
        archivedAt: Date.UTC(2026, 10, 15, 18, 14, 9, 411),
      },
    ],
    [
      'abc-topic-7.jsonl.deleted.2026-11-15T18-14-09Z',
      {
        kind: 'archive',
        reason: 'deleted',
        target: 'abc-topic-7.jsonl',
        sessionId: 'abc',
        topicId: '7',
        archivedAt: Date.UTC(2026, 10, 15, 18, 14, 9),
      },
    ],
    [
      'abc.jsonl.damaged.2026-01-13T07-45-00.000Z',
      {
        kind: 'archive',
        reason: 'damaged',
        target: 'abc.jsonl',
        sessionId: 'abc',
        archivedAt: Date.UTC(2026, 0, 13, 7, 45),
      },
    ],
    ['abc.jsonl.bak.yesterday', { kind: 'archive', reason: 'bak', target: 'abc.jsonl', sessionId: 'abc' }],
    [
      'sessions.json.bak.1794766449411',
      { kind: 'archive', reason: 'bak', target: 'sessions.json', archivedAt: 1794766449411 },
    ],
    ['sessions.json.812.1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed.tmp', { kind: 'temp' }],
    ['abc.jsonl.lock.812.1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed.claimed', { kind: 'temp' }],
    ['sessions.json.lock.claim', { kind: 'temp' }],
    ['skills-prompts', { kind: 'other' }],
    ['notes.txt', { kind: 'other' }],
    ['.jsonl', { kind: 'other' }],
    ['.hidden.jsonl', { kind: 'other' }],
    ['two words.jsonl', { kind: 'other' }],
    ['.lock', { kind: 'other' }],
    ['', { kind: 'other' }],
  ])('%s', (name, expected) => {
    expect(classifySessionFileName(name)).toEqual(expected);
  });

  it('knows every file that OpenClaw left', () => {
    const kinds = readdirSync(FIXTURES).map((name) => [name.slice(0, 8), classifySessionFileName(name).kind]);
    expect(kinds.filter(([, kind]) => kind === 'archive').map(([name]) => name)).toEqual([
      '7f130267',
      'dab933e7',
      'e8d94cf6',
    ]);
    expect(kinds.filter(([name]) => name === 'c08003b6').map(([, kind]) => kind)).toEqual([
      'transcript',
      'trajectory',
      'trajectory',
    ]);
    expect(kinds.filter(([, kind]) => kind === 'transcript')).toHaveLength(10);
  });

  it('reads back every transcript name that can be made', () => {
    const id = fc.stringMatching(/^[A-Za-z0-9._-]{1,60}$/).filter(isSessionId);
    const topic = fc.oneof(
      fc.integer({ min: 0 }),
      fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }),
      fc
        .array(
          fc.constantFrom(
            'x',
            '1',
            '.',
            '.trajectory',
            '.checkpoint.',
            '.backup.',
            '.jsonl',
            '.json',
            '.reset.',
          ),
          {
            minLength: 1,
            maxLength: 5,
          },
        )
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(id, fc.option(topic, { nil: undefined }), (sessionId, topicId) => {
        fc.pre(!/[/\\\0]/.test(String(topicId)) && topicId !== '.' && topicId !== '..');
        // A name has room for only so much, and encoding takes up to twelve bytes for a character.
        fc.pre(encodeURIComponent(String(topicId)).length <= 120);
        const name = transcriptFileName(sessionId, topicId);
        expect(classifySessionFileName(name)).toEqual(
          topicId === undefined
            ? { kind: 'transcript', sessionId }
            : { kind: 'topic-transcript', sessionId, topicId: String(topicId) },
        );
        const archived = classifySessionFileName(archiveFileName(name, 'reset', 1794766449411));
        expect(archived).toMatchObject({
          kind: 'archive',
          sessionId,
          target: name,
          archivedAt: 1794766449411,
        });
      }),
    );
  });
});

describe('archiveFileName', () => {
  it('is OpenClaw’s, colons as dashes', () => {
    expect(archiveFileName('a.jsonl', 'deleted', Date.UTC(2026, 10, 15, 18, 14, 2, 824))).toBe(
      'a.jsonl.deleted.2026-11-15T18-14-02.824Z',
    );
  });

  it.each([Number.NaN, 8.64e15 + 1, Date.UTC(10000, 0)])('refuses the time %d', (time) => {
    expect(() => archiveFileName('a.jsonl', 'bak', time)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
    );
  });
});
