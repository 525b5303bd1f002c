import {
  chmodSync,
  chownSync,
  copyFileSync,
  linkSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { SessionManager } from '@earendil-works/pi-coding-agent';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases, HUNT } from '../../../../test/setup/hunt.ts';
import { acquireLock } from '../../src/exports/disk.ts';
import type { EntryDraft } from '../../src/exports/transcript.ts';
import {
  appendToTranscript,
  compactSession,
  contextTokens,
  createTranscript,
  onSessionTranscriptUpdate,
  scanTranscriptFile,
} from '../../src/index.ts';
import { assistant, call, result, user } from '../setup/drafts.ts';
import { asJsonl, generatedTree } from '../transcript/generated-tree.ts';
import { leafInPi, NOW, readLines, readWithPi, useAgentFolder } from './agent-folder.ts';

const agent = useAgentFolder();
const FIXTURES = join(import.meta.dirname, '../../../../fixtures');
const KEY = 'agent:main:main';
const BAK = 's.jsonl.bak.2026-03-10T12-00-00.000Z';
const entry = {
  sessionId: 's',
  updatedAt: NOW - 1000,
  inputTokens: 1,
  outputTokens: 2,
  cacheRead: 5,
  cacheWrite: 6,
  totalTokens: 3,
  totalTokensFresh: true,
  contextBudgetStatus: { shouldCompact: true },
  compactionCount: 1,
};

async function write(...drafts: EntryDraft[]): Promise<string> {
  agent.writeStore({ [KEY]: entry });
  const path = agent.path('s.jsonl');
  await createTranscript({ path, sessionId: 's', cwd: '/work', now: () => NOW, durable: false });
  await appendToTranscript(path, drafts, { now: () => NOW, durable: false });
  return path;
}

const compact = (maxLines?: number) =>
  compactSession({ storePath: agent.storePath, sessionKey: KEY, maxLines, now: () => NOW });

const texts = (count: number, from = 0): EntryDraft[] =>
  Array.from({ length: count }, (_, i) =>
    (from + i) % 2 === 0 ? user(`${from + i}`) : assistant({ type: 'text', text: `${from + i}` }),
  );

describe('compactSession', () => {
  it('keeps the header and the last lines, and the whole file as an archive', async () => {
    const path = await write(...texts(1000));
    const before = readFileSync(path, 'utf8');
    const leaf = leafInPi(path);
    const updates: string[] = [];
    const end = onSessionTranscriptUpdate(({ sessionFile }) => updates.push(sessionFile));
    expect(await compact()).toEqual({
      compacted: true,
      sessionKey: KEY,
      sessionId: 's',
      sessionFile: path,
      kept: 400,
      removed: 600,
      archived: agent.path(BAK),
    });
    end();
    expect(updates).toEqual([path]);
    expect(readFileSync(agent.path(BAK), 'utf8')).toBe(before);
    const lines = readFileSync(path, 'utf8').split('\n');
    const old = before.split('\n');
    expect(lines).toHaveLength(402);
    expect(lines[0]).toBe(old[0]);
    // Only the new root says something else: its parent.
    expect(lines[1]).toBe(old[601]!.replace(/"parentId":"[0-9a-f]{8}"/, '"parentId":null'));
    // And the last answer, which counted what is gone.
    expect(lines.slice(2, 400)).toEqual(old.slice(602, 1000));
    expect(lines.slice(401)).toEqual(['']);
    expect(readWithPi(path)).toEqual(readWithPi(agent.path(BAK)).slice(600));
    expect(leafInPi(path)).toBe(leaf);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(agent.files()).toEqual(['s.jsonl', BAK]);
    await appendToTranscript(path, user('goes on'));
    expect(readWithPi(path)).toHaveLength(401);
  });

  it('keeps mode and, where the user may give files away, owner', async () => {
    const path = await write(...texts(10));
    chmodSync(path, 0o640);
    if (process.getuid?.() === 0) chownSync(path, 65534, 65534);
    const { uid, gid } = statSync(path);
    await compact(4);
    expect(statSync(path)).toMatchObject({ uid, gid });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('marks the figures of the entry as out of date', async () => {
    await write(...texts(10));
    await compact(4);
    expect(agent.entry()).toEqual({
      sessionId: 's',
      updatedAt: NOW,
      totalTokensFresh: false,
      compactionCount: 1,
    });
  });

  it('does nothing where there is nothing to remove', async () => {
    const path = await write(...texts(4));
    const before = readFileSync(path);
    expect(await compact(4)).toMatchObject({ compacted: false, reason: 'nothing to remove', kept: 4 });
    expect(readFileSync(path)).toEqual(before);
    expect(agent.entry()).toEqual(entry);
    expect(agent.files()).toEqual(['s.jsonl']);
    agent.writeStore({ [KEY]: { sessionId: 'none', updatedAt: 1 } });
    expect(await compact(4)).toMatchObject({ compacted: false, reason: 'no transcript' });
  });

  it('once more does nothing more', async () => {
    await write(...texts(20), call('a', 'b'), result('a'), result('b'), ...texts(3, 20));
    await compact(4);
    const after = readFileSync(agent.path('s.jsonl'));
    expect(await compact(4)).toMatchObject({ compacted: false });
    expect(readFileSync(agent.path('s.jsonl'))).toEqual(after);
  });

  it('never parts a call from its results', async () => {
    const path = await write(
      user('start'),
      call('a', 'b', 'c'),
      result('a'),
      result('b'),
      result('c'),
      assistant({ type: 'text', text: 'done' }),
      user('end'),
    );
    expect(await compact(3)).toMatchObject({ kept: 6, removed: 1 });
    expect(readWithPi(path)).toEqual([
      'assistant: [toolCall a]|[toolCall b]|[toolCall c]',
      'toolResult: result of a',
      'toolResult: result of b',
      'toolResult: result of c',
      'assistant: done',
      'user: end',
    ]);
  });

  it('the leaf stays even where it is a result and only one line is asked for', async () => {
    const path = await write(...texts(6), call('a'), result('a'));
    const leaf = leafInPi(path);
    await compact(1);
    expect(readWithPi(path)).toEqual(['assistant: [toolCall a]', 'toolResult: result of a']);
    expect(leafInPi(path)).toBe(leaf);
  });

  it('ids of calls that come round again belong to the last call before them', async () => {
    const path = await write(call('x'), result('x', 'first'), ...texts(4), call('x'), result('x', 'second'));
    await compact(2);
    expect(readWithPi(path)).toEqual(['assistant: [toolCall x]', 'toolResult: second']);
  });

  it('an old compaction replaces one of the lines, and refers to nothing that was removed', async () => {
    const path = await write(...texts(4));
    const ids = readLines(path)
      .slice(1)
      .map(({ id }) => id as string);
    await appendToTranscript(path, [
      { type: 'compaction', summary: 'SUM', firstKeptEntryId: ids[2], tokensBefore: 100 },
      ...texts(10, 10),
    ]);
    expect(await compact(4)).toMatchObject({ kept: 4, removed: 11 });
    expect(readWithPi(path)).toEqual([
      'compactionSummary: SUM',
      'assistant: 17',
      'user: 18',
      'assistant: 19',
    ]);
    expect(await compact(4)).toMatchObject({ compacted: false });
  });

  it('a compaction among the last lines keeps what is left of what it kept', async () => {
    const path = await write(...texts(6));
    const ids = readLines(path)
      .slice(1)
      .map(({ id }) => id as string);
    await appendToTranscript(path, [
      { type: 'compaction', summary: 'SUM', firstKeptEntryId: ids[1], tokensBefore: 100 },
      ...texts(2, 6),
    ]);
    await compact(5);
    expect(readWithPi(path)).toEqual([
      'compactionSummary: SUM',
      'user: 4',
      'assistant: 5',
      'user: 6',
      'assistant: 7',
    ]);
  });

  it('lowers the usage of the last answer to what is left, says so, and leaves what it cost', async () => {
    const path = await write();
    const cost = { input: 0.5, output: 0.25, cacheRead: 0, cacheWrite: 0, total: 0.75 };
    const answer = (totalTokens: number) => ({
      type: 'message' as const,
      message: {
        ...(assistant({ type: 'text', text: 'y'.repeat(4000) }) as { message: object }).message,
        usage: { input: totalTokens - 90, output: 40, cacheRead: 30, cacheWrite: 20, totalTokens, cost },
      },
    });
    const drafts = Array.from({ length: 50 }, (_, i) => [
      user('x'.repeat(4000)),
      answer(1000 + 2000 * (i + 1)),
    ]);
    await appendToTranscript(path, [...drafts.flat(), user('z')] as EntryDraft[]);
    const before = readFileSync(path, 'utf8').split('\n');
    await compact(11);
    const after = readFileSync(path, 'utf8').split('\n');
    const usages = readLines(path).flatMap(({ message }) => (message as { usage?: object })?.usage ?? []);
    // The first 1000 are the system prompt's; ten messages of 1000 each are left.
    expect(usages.at(-1)).toEqual({
      estimatedBy: 'openbot',
      input: 10_960,
      output: 40,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 11_000,
      cost,
    });
    expect(usages.slice(0, -1).every((usage) => !('estimatedBy' in usage))).toBe(true);
    expect(after.slice(2, 10)).toEqual(before.slice(92, 100));
    expect(contextTokens(await scanTranscriptFile(path))).toMatchObject({
      tokens: 11_000,
      basis: 'estimated',
    });
  });

  it('leaves the usage of an answer that says no more than is left', async () => {
    const path = await write(...texts(5).map((_, i) => user(`${i}`)));
    const usage = { input: 1, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 1 };
    const { message } = assistant({ type: 'text', text: 'a' }) as { message: object };
    await appendToTranscript(path, { type: 'message', message: { ...message, usage } } as never);
    await compact(2);
    expect(readLines(path).at(-1)).toMatchObject({ message: { usage } });
    expect(readFileSync(path, 'utf8')).not.toContain('estimatedBy');
  });

  it('keeps what the person set, though it was set long ago', async () => {
    const path = await write(
      { type: 'model_change', provider: 'p', modelId: 'old' },
      { type: 'thinking_level_change', thinkingLevel: 'low' },
      user('0'),
      { type: 'model_change', provider: 'p', modelId: 'chosen' },
      { type: 'thinking_level_change', thinkingLevel: 'high' },
    );
    SessionManager.open(path).appendSessionInfo('mine');
    await appendToTranscript(path, ['1', '2', '3', '4'].map(user));
    expect(await compact(2)).toMatchObject({ kept: 5, removed: 5 });
    const pi = SessionManager.open(path);
    expect(pi.buildSessionContext()).toMatchObject({
      thinkingLevel: 'high',
      model: { provider: 'p', modelId: 'chosen' },
    });
    expect(pi.getSessionName()).toBe('mine');
    expect(readWithPi(path)).toEqual(['user: 3', 'user: 4']);
    expect(await compact(2)).toMatchObject({ compacted: false });
  });

  it('a name that was given on another branch stays the name', async () => {
    const path = await write(...texts(2));
    const before = SessionManager.open(path);
    const leaf = before.getLeafId()!;
    before.appendSessionInfo('mine');
    before.branch(leaf);
    before.appendMessage({ role: 'user', content: 'on', timestamp: 1 });
    await compact(1);
    expect(SessionManager.open(path).getSessionName()).toBe('mine');
    expect(readWithPi(path)).toEqual(['user: on']);
  });

  it('a transcript that has a second name already is archived all the same', async () => {
    const path = await write(...texts(6));
    linkSync(path, agent.path('elsewhere'));
    const before = readFileSync(path);
    expect(await compact(2)).toMatchObject({ compacted: true, archived: agent.path(BAK) });
    expect(readFileSync(agent.path(BAK))).toEqual(before);
    expect(readFileSync(agent.path('elsewhere'))).toEqual(before);
  });

  it('CRLF and a torn last line stay as they are', async () => {
    const path = await write(...['0', '1', '2', '3', '4', '5'].map(user));
    const whole = readFileSync(path, 'utf8').replaceAll('\n', '\r\n');
    const torn = '{"type":"message","id":"torn","par';
    writeFileSync(path, whole + torn);
    await compact(3);
    const lines = readFileSync(path, 'utf8').split('\n');
    const old = whole.split('\n');
    expect(lines[0]).toBe(old[0]);
    expect(lines.slice(2)).toEqual([old[6], torn]);
    expect(readFileSync(agent.path(BAK), 'utf8')).toBe(whole + torn);
    await appendToTranscript(path, user('goes on'));
    expect(readWithPi(path)).toEqual(['user: 4', 'user: 5', 'user: goes on']);
  });

  it('labels and other branches are re-pointed, and nothing dangles', async () => {
    const path = await write(...texts(4));
    const ids = readLines(path)
      .slice(1)
      .map(({ id }) => id as string);
    await appendToTranscript(path, { type: 'label', targetId: ids[0]!, label: 'here' });
    const pi = SessionManager.open(path);
    pi.branchWithSummary(ids[1]!, 'went back');
    pi.appendMessage({ role: 'user', content: 'on the branch', timestamp: 1 });
    await compact(4);
    const lines = readLines(path).slice(1);
    const known = new Set(lines.map(({ id }) => id));
    for (const line of lines) {
      if (line.parentId !== null) expect(known).toContain(line.parentId);
      if (line.targetId !== undefined) expect(known).toContain(line.targetId);
    }
    expect(readWithPi(path).at(-1)).toBe('user: on the branch');
  });

  it('broken lines among the last ones stay as they are', async () => {
    const path = await write(...texts(6));
    writeFileSync(path, 'not json\n\n{"type":"future","n":12345678901234567890.10}\n', { flag: 'a' });
    await appendToTranscript(path, texts(1, 6));
    await compact(3);
    const [, ...lines] = readFileSync(path, 'utf8').split('\n');
    expect(lines.slice(0, 3)).toEqual(['not json', '', '{"type":"future","n":12345678901234567890.10}']);
    expect(readWithPi(path)).toEqual(['user: 6']);
  });

  it('a line that must change keeps every other byte', async () => {
    const path = await write(...texts(2));
    const parent = readLines(path).at(-1)!.id;
    const odd = `{ "type":"message","id":"aaaaaaaa", "parentId" : "${parent}" ,"big":12345678901234567890.10,"nested":{"parentId":"x"},"timestamp":"t","message":{"role":"user","content":"\\u0041 \\"parentId\\":1","timestamp":1}}\r\n`;
    writeFileSync(path, odd, { flag: 'a' });
    await compact(1);
    expect(readFileSync(path, 'utf8').split('\n').slice(1).join('\n')).toBe(
      odd.replace(`"parentId" : "${parent}"`, '"parentId" : null'),
    );
  });

  it('a version 1 file, whose compactions name lines by number', async () => {
    agent.writeStore({ [KEY]: entry });
    const message = (text: string) => ({ type: 'message', message: { role: 'user', content: text } });
    const lines = [
      { type: 'session', id: 's', timestamp: 't', cwd: '/w' },
      ...[1, 2, 3, 4].map((n) => message(`${n}`)),
      { type: 'compaction', summary: 'SUM', firstKeptEntryIndex: 2, tokensBefore: 1 },
      ...[5, 6].map((n) => message(`${n}`)),
    ];
    const path = agent.path('s.jsonl');
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const before = readWithPi(path);
    expect(before).toEqual(['compactionSummary: SUM', 'user: 2', 'user: 3', 'user: 4', 'user: 5', 'user: 6']);
    await compact(5);
    expect(readWithPi(path)).toEqual(['compactionSummary: SUM', 'user: 3', 'user: 4', 'user: 5', 'user: 6']);
    await compact(2);
    expect(readWithPi(path)).toEqual(['compactionSummary: SUM', 'user: 6']);
  });

  it('lines that another program appends without the lock are carried over', async () => {
    const path = await write(...texts(200));
    let stop = false;
    const written: string[] = [];
    const writer = (async () => {
      for (let n = 0; !stop; n++) {
        const line = {
          type: 'message',
          id: `late${n}`,
          parentId: null,
          message: { role: 'user', content: `late ${n}` },
        };
        writeFileSync(path, `${JSON.stringify(line)}\n`, { flag: 'a' });
        written.push(line.id);
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    await compact(50);
    stop = true;
    await writer;
    const live = readLines(path).map(({ id }) => id as string);
    const whole = readLines(agent.path(BAK)).map(({ id }) => id as string);
    const late = live.filter((id) => id?.startsWith('late'));
    expect(late.length).toBeGreaterThan(0);
    // What was cut off had been there before and is in the archive; from then on nothing is missing.
    expect(late).toEqual(written.slice(written.indexOf(late[0]!)));
    expect(written.filter((id) => !live.includes(id) && !whole.includes(id))).toEqual([]);
  });

  it('waits for a writer, and changes nothing if it does not finish', async () => {
    const path = await write(...texts(10));
    const before = readFileSync(path);
    const lock = await acquireLock(`${path}.lock`);
    const impatient = { storePath: agent.storePath, sessionKey: KEY, maxLines: 2, lock: { timeoutMs: 30 } };
    await expect(compactSession(impatient)).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
    expect(readFileSync(path)).toEqual(before);
    await lock.release();
    expect(agent.files()).toEqual(['s.jsonl']);
  });

  it('refuses what it cannot shorten safely', async () => {
    const claude = join(FIXTURES, 'claude-code/projects/-home-user-work-sess');
    const name = readdirSync(claude).find((one) => one.endsWith('.jsonl'))!;
    agent.writeStore({ [KEY]: entry });
    copyFileSync(join(claude, name), agent.path('s.jsonl'));
    await expect(compact(1)).rejects.toMatchObject({ code: 'TRANSCRIPT_UNSUPPORTED' });
    writeFileSync(agent.path('s.jsonl'), '{"type":"message","id":"a","message":{"role":"user"}}\n'.repeat(3));
    await expect(compact(1)).rejects.toMatchObject({ code: 'TRANSCRIPT_HEADER_INVALID' });
    for (const maxLines of [0, -1, 1.5, Number.NaN]) {
      await expect(compact(maxLines)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    }
    expect(agent.files()).toEqual(['s.jsonl']);
  });
});

interface Line {
  id?: string;
  parentId?: string | null;
  type?: string;
  message?: { role?: string; toolCallId?: string; content?: { type: string; id: string }[] };
}

it(
  'any tree, any length: leaf kept, nothing dangles, no result without its call, pi opens it',
  HUNT,
  async () => {
    let round = 0;
    await fc.assert(
      fc.asyncProperty(generatedTree, fc.integer({ min: 1, max: 30 }), async (lines, maxLines) => {
        const sessionId = `t${round++}`;
        const path = agent.path(`${sessionId}.jsonl`);
        agent.writeStore({ [KEY]: { sessionId, updatedAt: 1 } });
        writeFileSync(path, asJsonl(lines));
        const leaf = leafInPi(path);
        const context = readWithPi(path);
        const { compacted, kept } = await compact(maxLines);
        const after = readLines(path) as Line[];
        expect(after[0]!.type).toBe('session');
        expect(after).toHaveLength(kept + 1);
        expect(leafInPi(path)).toBe(leaf);
        if (!compacted) expect(readWithPi(path)).toEqual(context);
        const ids = new Set(after.map(({ id }) => id));
        const calls = new Set<string>();
        for (const { parentId, message } of after) {
          if (typeof parentId === 'string') expect(ids).toContain(parentId);
          for (const block of message?.role === 'assistant' ? message.content! : []) calls.add(block.id);
          if (message?.role === 'toolResult') expect(calls).toContain(message.toolCallId);
        }
        expect((await compact(maxLines)).compacted).toBe(false);
      }),
      cases({ gate: 12, torture: 600 }),
    );
  },
);
