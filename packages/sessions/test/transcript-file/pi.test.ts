import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SessionManager } from '@earendil-works/pi-coding-agent';
import { beforeEach, describe, expect, it } from 'vitest';
import { transcriptFileName } from '../../src/exports/layout.ts';
import { leafOf, type TranscriptMessage } from '../../src/exports/transcript.ts';
import { activePath, appendToTranscript, createTranscript, scanTranscriptFile } from '../../src/index.ts';
import { composeDeliveryMirror } from '../../src/transcript/compose.ts';
import { assistant, user } from '../setup/drafts.ts';
import { readEntries, useTempFolder } from './temp-folder.ts';

const FIXTURES = join(import.meta.dirname, '../../../../fixtures');
const folder = useTempFolder();
let path: string;
beforeEach(() => {
  path = join(folder.path, 's1.jsonl');
});

/** Opens a copy, so that what pi rewrites at opening stays apart. */
function openInPi(): SessionManager {
  const copy = join(folder.path, `copy-${readdirSync(folder.path).length}.jsonl`);
  copyFileSync(path, copy);
  return SessionManager.open(copy);
}

const contextOf = (pi: SessionManager) =>
  pi.buildSessionContext().messages.map((message) => {
    const { role, content, summary } = message as { role: string; content?: unknown; summary?: string };
    const text = Array.isArray(content)
      ? content.map((block) => block.text ?? `[${block.type}]`).join('|')
      : (content ?? summary);
    return `${role}: ${text}`;
  });

describe('pi opens what we write', () => {
  beforeEach(() => createTranscript({ path, sessionId: 's1', cwd: '/work', parentSession: '/p.jsonl' }));

  it('a new transcript', () => {
    const pi = openInPi();
    expect(pi.getHeader()).toMatchObject({ id: 's1', cwd: '/work', version: 3, parentSession: '/p.jsonl' });
    expect(pi.getLeafId()).toBeNull();
  });

  it('every kind of entry, with its values', async () => {
    const mirror = composeDeliveryMirror({ text: 'delivered' }, 3)!;
    const first = await appendToTranscript(path, [
      { type: 'model_change', provider: 'anthropic', modelId: 'm' },
      { type: 'thinking_level_change', thinkingLevel: 'high' },
      user('read it\u2028please'),
      assistant({ type: 'toolCall', id: 't1', name: 'read', arguments: { path: 'a' } }),
      {
        type: 'message',
        message: {
          role: 'toolResult',
          toolCallId: 't1',
          toolName: 'read',
          content: [{ type: 'text', text: 'A' }],
          isError: false,
          timestamp: 2,
        },
      },
      { type: 'message', message: mirror as TranscriptMessage },
      { type: 'custom', customType: 'model-snapshot', data: { a: 1 } },
      { type: 'custom_message', customType: 'ext', content: 'injected', display: false, details: { b: 2 } },
      { type: 'session_info', name: 'my session' },
    ]);
    const target = first.entries[2]!.id!;
    await appendToTranscript(path, { type: 'label', targetId: target, label: 'bookmark' });
    const pi = openInPi();
    expect(pi.getEntries()).toEqual(readEntries(path).slice(1));
    expect(contextOf(pi)).toEqual([
      'user: read it\u2028please',
      'assistant: [toolCall]',
      'toolResult: A',
      'assistant: delivered',
      'custom: injected',
    ]);
    expect(pi.buildSessionContext()).toMatchObject({ thinkingLevel: 'high' });
    expect(pi.getSessionName()).toBe('my session');
    expect(pi.getLabel(target)).toBe('bookmark');
    expect(pi.getLeafId()).toBe(readEntries(path).at(-1)!.id);
  });

  it('compactions, that keep something or nothing', async () => {
    const { entries } = await appendToTranscript(path, [
      user('one'),
      assistant({ type: 'text', text: 'two' }),
      user('three'),
    ]);
    await appendToTranscript(path, {
      type: 'compaction',
      summary: 'S1',
      firstKeptEntryId: entries[2]!.id,
      tokensBefore: 100,
      details: { readFiles: [] },
    });
    await appendToTranscript(path, user('four'));
    expect(contextOf(openInPi())).toEqual(['compactionSummary: S1', 'user: three', 'user: four']);
    await appendToTranscript(path, [{ type: 'compaction', summary: 'S2', tokensBefore: 50 }, user('five')]);
    expect(contextOf(openInPi())).toEqual(['compactionSummary: S2', 'user: five']);
  });

  it('topic transcripts', async () => {
    path = join(folder.path, transcriptFileName('s1', 42));
    await createTranscript({ path, sessionId: 's1', cwd: '/work' });
    await appendToTranscript(path, user('in the topic'));
    expect(contextOf(openInPi())).toEqual(['user: in the topic']);
  });

  it('with torn lines and NUL between, without losing a finished one', async () => {
    await appendToTranscript(path, user('one'));
    writeFileSync(path, '{"type":"message","id":"dead', { flag: 'a' });
    await appendToTranscript(path, user('two'));
    writeFileSync(path, '\0'.repeat(4096), { flag: 'a' });
    await appendToTranscript(path, user('three'));
    writeFileSync(path, readFileSync(path, 'utf8').slice(0, -1));
    await appendToTranscript(path, user('four'));
    expect(contextOf(openInPi())).toEqual(['user: one', 'user: two', 'user: three', 'user: four']);
  });
});

describe('pi and we take turns on one file', () => {
  beforeEach(() => createTranscript({ path, sessionId: 's1', cwd: '/work' }));

  it('each goes on from the other’s leaf', async () => {
    await appendToTranscript(path, user('ours 1'));
    const pi = SessionManager.open(path);
    const theirs = pi.appendMessage({ role: 'user', content: 'theirs 1', timestamp: 1 });
    const { entries } = await appendToTranscript(path, user('ours 2'));
    expect(entries[0]!.parentId).toBe(theirs);
    const again = SessionManager.open(path);
    again.appendThinkingLevelChange('low');
    await appendToTranscript(path, user('ours 3'));
    expect(contextOf(openInPi())).toEqual(['user: ours 1', 'user: theirs 1', 'user: ours 2', 'user: ours 3']);
  });

  it('a branch that pi made is the one that we continue', async () => {
    const { entries } = await appendToTranscript(path, [user('root'), user('abandoned')]);
    const pi = SessionManager.open(path);
    pi.branchWithSummary(entries[0]!.id!, 'went elsewhere');
    const leaf = pi.appendMessage({ role: 'user', content: 'branch', timestamp: 1 });
    const ours = await appendToTranscript(path, user('on the branch'));
    expect(ours.entries[0]!.parentId).toBe(leaf);
    expect(contextOf(openInPi())).toEqual([
      'user: root',
      'branchSummary: went elsewhere',
      'user: branch',
      'user: on the branch',
    ]);
    const other = SessionManager.open(path);
    other.resetLeaf();
    other.appendMessage({ role: 'user', content: 'new root', timestamp: 1 });
    await appendToTranscript(path, user('after it'));
    expect(contextOf(openInPi())).toEqual(['user: new root', 'user: after it']);
  });

  it('a compaction by pi is one that we build on', async () => {
    const { entries } = await appendToTranscript(path, [
      user('one'),
      assistant({ type: 'text', text: 'two' }),
      user('three'),
    ]);
    SessionManager.open(path).appendCompaction('pi sums up', entries[2]!.id!, 77);
    await appendToTranscript(path, user('four'));
    expect(contextOf(openInPi())).toEqual(['compactionSummary: pi sums up', 'user: three', 'user: four']);
  });
});

describe('we append to files of others, and pi sees all', () => {
  const fixtures = [
    ...readdirSync(join(FIXTURES, 'openclaw-files/2026.7.35'))
      .filter((name) => name.endsWith('.jsonl') && !name.includes('trajectory'))
      .map((name) => `openclaw-files/2026.7.35/${name}`),
    'openclaw-files/2026.1.30/00d1fa26-b85f-4025-93d9-1e82517447a8.jsonl',
    ...readdirSync(join(FIXTURES, 'pi')).map((name) => `pi/${name}`),
    ...readdirSync(join(FIXTURES, 'pi-1.5.2')).map((name) => `pi-1.5.2/${name}`),
  ];

  it.each(fixtures)('%s', async (fixture) => {
    copyFileSync(join(FIXTURES, fixture), path);
    const before = openInPi();
    const leaf = before.getLeafId();
    const context = contextOf(before);
    const original = readFileSync(path);
    const { entries } = await appendToTranscript(path, [user('added 1'), user('added 2')]);
    expect(readFileSync(path).subarray(0, original.length)).toEqual(original);
    if (entries[0]!.id !== undefined) expect(entries[0]!.parentId).toBe(leaf);
    const after = openInPi();
    expect(contextOf(after)).toEqual([...context, 'user: added 1', 'user: added 2']);
    expect(after.getEntries()).toHaveLength(before.getEntries().length + 2);
  });

  it('a version 1 file that pi migrated meanwhile is continued as the tree that it became', async () => {
    copyFileSync(join(FIXTURES, 'pi/legacy-v1.before-open.jsonl.orig'), path);
    await appendToTranscript(path, user('linear'));
    const leaf = SessionManager.open(path).getLeafId();
    const { entries } = await appendToTranscript(path, user('tree'));
    expect(entries[0]).toMatchObject({ id: expect.any(String), parentId: leaf });
    expect(contextOf(openInPi()).slice(-2)).toEqual(['user: linear', 'user: tree']);
  });

  it('lines without ids: pi sees everything that we append to them', async () => {
    writeFileSync(
      path,
      '{"type":"session","version":3,"id":"s1","timestamp":"2026-01-01T00:00:00Z","cwd":"/w"}\n{"type":"user","content":"flat","timestamp":1}\n',
    );
    await appendToTranscript(path, user('one'));
    await appendToTranscript(path, [user('two'), user('three')]);
    expect(contextOf(openInPi())).toEqual(['user: one', 'user: two', 'user: three']);
  });

  it.each([
    ['a flat message', '{"type":"user","content":"flat","timestamp":1}\n'],
    ['a setting', '{"type":"custom","key":"k","value":1}\n'],
    ['a message', '{"type":"message","message":{"role":"user","content":"no id","timestamp":1}}\n'],
  ])('%s without an id behind entries that have one costs pi none of them', async (_name, line) => {
    await createTranscript({ path, sessionId: 's1', cwd: '/w' });
    await appendToTranscript(path, [user('one'), user('two')]);
    writeFileSync(path, line, { flag: 'a' });
    // pi alone loses the rest: to it that line is the whole conversation.
    expect(contextOf(openInPi())).not.toContain('user: two');
    const leaf = leafOf(await scanTranscriptFile(path));
    await appendToTranscript(path, user('three'));
    expect(contextOf(openInPi())).toEqual(['user: one', 'user: two', 'user: three']);
    // Our own reader has the line too: the header is line 0.
    expect(leaf).toBe(3);
    expect(activePath(await scanTranscriptFile(path)).entries).toEqual([1, 2, 3, 4]);
  });
});
