/** Whatever an edit accepts, a restore undoes byte for byte, and what was said since follows. */
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OpenBotError, scanTranscriptFile, type Transcript } from '@openbot/sessions';
import { leafOf } from '@openbot/sessions/transcript';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { counted, HUNT } from '../../../../test/setup/hunt.ts';
import { updateJournal } from '../../src/backups/journal.ts';
import { editSession } from '../../src/rewrite/edit-session.ts';
import { restoreSession } from '../../src/rewrite/restore-session.ts';
import { findStaleThinking } from '../../src/rewrite/stale-thinking.ts';
import { storageOf } from '../../src/storage/all.ts';
import type { FoundSession } from '../../src/storage/contract/found-session.ts';
import { openFileLines } from '../../src/storage/files/rewriting.ts';
import { removalOptions } from '../clean/arbitraries/removal-options.ts';
import { makeLastingFolder } from '../setup/temp-folder.ts';
import { ODD_SOURCES, type OddSource, STRANGE_SOURCES } from './odd-transcripts.ts';

// Shrinking rewrites hundreds of files: the failing case is told as it is.
const runs = { ...counted({ gate: 4, torture: 100, seed: 11 }), endOnFailure: true };
const ID = '11111111-1111-4111-8111-111111111111';
const folder = makeLastingFolder();
let sessions = 0;

function writeSession(bytes: Buffer): string {
  const own = join(folder, String(sessions++));
  mkdirSync(own);
  const path = join(own, `${ID}.jsonl`);
  writeFileSync(path, bytes);
  return path;
}

const read = (path: string) => readFileSync(path, 'latin1');

type Source = OddSource['source'];

function sessionAt(path: string) {
  const session = { source: 'pi', sessionId: ID, path } as FoundSession;
  return [storageOf(session), session] as const;
}

const REFUSALS = new Set(['EDIT_FAILED', 'SESSION_UNSUPPORTED']);

async function edit(path: string, options: { keepTurnsWithTools: number; truncatePercent: number }) {
  try {
    return (await editSession(...sessionAt(path), { options, now: () => new Date(0) })).backupPath;
  } catch (error) {
    // One that is refused leaves everything as it is.
    if (error instanceof OpenBotError && REFUSALS.has(error.code)) return undefined;
    throw error;
  }
}

const restore = (path: string, backup?: number) =>
  restoreSession(...sessionAt(path), { backup, now: () => new Date(0) });

/** What backups tell, also behind a clean that removed all stale thinking. */
async function findStale(path: string) {
  await updateJournal(path, ({ rewrites, ...journal }) => ({
    ...journal,
    rewrites: rewrites.map(({ isRepaired: _, ...record }) => record),
  }));
  const lines = await openFileLines(path);
  try {
    return await findStaleThinking(path, lines);
  } finally {
    await lines.close();
  }
}

const numberOf = (backupPath: string) => Number(/\.backup\.(\d+)\.jsonl$/.exec(backupPath)![1]);

/** A turn as the agent appends it: below the leaf, behind a line end. */
async function say(path: string, source: Source, about: string, thinks = false): Promise<string> {
  const { said } = await sayBoth(path, source, about, thinks);
  return said;
}

/** @returns the lines of the turn, and the same without their thinking */
async function sayBoth(path: string, source: Source, about: string, thinks: boolean) {
  const now = await scanTranscriptFile(path);
  const sayAs = source === 'claude' ? sayAsClaude : sayAsOpenclaw;
  const [said, plain] = [thinks, false].map((isThought) => {
    const lines = sayAs(now, about, thinks ? BOUND : undefined, isThought);
    return `${now.terminated ? '' : '\n'}${lines.map((line) => `${JSON.stringify(line)}\n`).join('')}`;
  });
  appendFileSync(path, said!);
  // As `read` gives it.
  const inBytes = (text: string) => Buffer.from(text).toString('latin1');
  return { said: inBytes(said!), plain: inBytes(plain!) };
}

const BOUND = 'claude-opus-5-5';

const SIGNED = { type: 'thinking', thinking: 'About it.', thinkingSignature: 'c2lnbmVk' };

const content = (about: string, model: string | undefined, thinks: boolean) => [
  { role: 'user', content: `Say ${about}` },
  {
    role: 'assistant',
    model,
    content: [
      ...(thinks ? [SIGNED] : []),
      { type: 'toolCall', id: `c ${about}`, name: 'read', arguments: { path: 'x'.repeat(300) } },
    ],
  },
  { role: 'toolResult', toolCallId: `c ${about}`, content: [{ type: 'text', text: 'y'.repeat(300) }] },
  {
    role: 'assistant',
    model,
    content: [...(thinks ? [SIGNED] : []), { type: 'text', text: `Said ${about}` }],
  },
];

function sayAsOpenclaw(now: Transcript, about: string, model: string | undefined, thinks: boolean): object[] {
  const leaf = leafOf(now);
  const isTree = leaf >= 0 && now.idOf(leaf) !== undefined;
  let parentId = now.tree === undefined ? now.idOf(leaf) : now.appendParentId;
  return content(about, model, thinks).map((message, number) => {
    if (!isTree) return { type: 'message', timestamp: number, message };
    const id = `said-${about}-${number}`;
    const line = { type: 'message', id, parentId, timestamp: '2026-03-01T00:00:00.000Z', message };
    parentId = id;
    return line;
  });
}

/** Thinking has lines of its own. */
function sayAsClaude(now: Transcript, about: string, model: string | undefined, thinks: boolean): object[] {
  const leaf = leafOf(now);
  let parentUuid = leaf < 0 ? null : (now.idOf(leaf) ?? null);
  const thinking = { type: 'thinking', thinking: 'About it.', signature: 'c2lnbmVk' };
  const lines: [name: string, type: string, blocks: unknown, message?: number][] = [
    ['question', 'user', `Say ${about}`],
    ['thought', 'assistant', [thinking], 1],
    [
      'call',
      'assistant',
      [{ type: 'tool_use', id: `toolu_${about}`, name: 'Read', input: { path: 'x'.repeat(300) } }],
      1,
    ],
    ['result', 'user', [{ type: 'tool_result', tool_use_id: `toolu_${about}`, content: 'y'.repeat(300) }]],
    ['redacted', 'assistant', [{ type: 'redacted_thinking', data: 'cmVkYWN0ZWQ=' }], 3],
    ['answer', 'assistant', [{ type: 'text', text: `Said ${about}` }], 3],
  ];
  const isSaid = ([name]: (typeof lines)[number]) => thinks || (name !== 'thought' && name !== 'redacted');
  const said = lines.filter(isSaid).map(([name, type, blocks, number]) => {
    const uuid = `said-${about}-${name}`;
    const message = {
      role: type,
      content: blocks,
      ...(type === 'assistant' ? { id: `msg-${about}-${number}`, model } : {}),
    };
    const line = { parentUuid, isSidechain: false, type, message, uuid, sessionId: ID };
    parentUuid = uuid;
    return line;
  });
  return [...said, { type: 'last-prompt', lastPrompt: `Say ${about}`, leafUuid: parentUuid, sessionId: ID }];
}

/** @param least how many of so many cases must be edited */
async function undoEdits(transcripts: OddSource['transcripts'], least: number): Promise<void> {
  let edited = 0;
  await fc.assert(
    fc.asyncProperty(transcripts, removalOptions, async ({ bytes }, options) => {
      const path = writeSession(bytes);
      const backup = await edit(path, options);
      if (backup === undefined) {
        expect(read(path) === bytes.toString('latin1')).toBe(true);
        return;
      }
      edited++;
      const cleaned = read(path);
      const done = await restore(path);
      // Not by toBe: of two files it would print all.
      expect(read(path) === bytes.toString('latin1')).toBe(true);
      expect(done.linesKept).toBe(0);
      await restore(path);
      expect(read(path) === cleaned).toBe(true);
      rmSync(join(path, '..'), { recursive: true });
    }),
    runs,
  );
  expect(edited).toBeGreaterThan(runs.numRuns * least);
}

const SOURCES = [
  ...ODD_SOURCES.map((source) => ({ ...source, values: 'ordinary' })),
  ...STRANGE_SOURCES.map((source) => ({ ...source, values: 'strange' })),
];

describe.each(SOURCES)(
  'sessions of $source with $values ids and values',
  ({ source, transcripts, values }) => {
    test('an edit, and its restore', HUNT, () => undoEdits(transcripts, 1 / 10));

    test('edits and turns between, and a restore to the first state and back', HUNT, async () => {
      let edited = 0;
      await fc.assert(
        fc.asyncProperty(transcripts, removalOptions, removalOptions, async ({ bytes }, first, second) => {
          const path = writeSession(bytes);
          const backup = await edit(path, first);
          if (backup === undefined) return;
          edited++;
          const one = await say(path, source, 'one');
          await edit(path, second);
          const two = await say(path, source, 'two');
          const before = read(path);
          const original = bytes.toString('latin1');
          const done = await restore(path, numberOf(backup));
          const isApart = !original.endsWith('\n') && !one.startsWith('\n');
          expect(read(path)).toBe(`${original}${isApart ? '\n' : ''}${one}${two}`);
          await restore(path, numberOf(done.backupPath));
          expect(read(path)).toBe(before);
          rmSync(join(path, '..'), { recursive: true });
        }),
        runs,
      );
      expect(edited).toBeGreaterThan(runs.numRuns / 8);
    });

    test('of what a model that binds thinking said since, all but its thinking', HUNT, async () => {
      let unbound = 0;
      await fc.assert(
        fc.asyncProperty(transcripts, removalOptions, async ({ bytes }, options) => {
          const path = writeSession(bytes);
          if ((await edit(path, options)) === undefined) return;
          const { said, plain } = await sayBoth(path, source, 'one', true);
          expect(await findStale(path)).toBeUndefined();
          const before = read(path);
          const original = bytes.toString('latin1');
          const { thinkingUnbound } = await restore(path);
          if (thinkingUnbound > 0) unbound++;
          // It stays where the model reads the same before it: what was cleaned was not in the context.
          const kept = thinkingUnbound > 0 ? plain : said;
          const isApart = !original.endsWith('\n') && !kept.startsWith('\n');
          expect(read(path)).toBe(`${original}${isApart ? '\n' : ''}${kept}`);
          expect(await findStale(path)).toBeUndefined();
          await restore(path);
          expect(read(path)).toBe(before);
          expect(await findStale(path)).toBeUndefined();
          rmSync(join(path, '..'), { recursive: true });
        }),
        runs,
      );
      // Few of the strange ones are a conversation that goes on.
      expect(unbound).toBeGreaterThan(values === 'ordinary' ? runs.numRuns / 20 : -1);
    });
  },
);
