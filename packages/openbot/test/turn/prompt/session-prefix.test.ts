import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EntryDraft } from '@openbot/sessions/transcript';
import { describe, expect, test } from 'vitest';
import { assistant, user } from '../../../../sessions/test/setup/drafts.ts';
import type { RunTools, Tool } from '../../../src/tools/contract.ts';
import { openMemoryTranscripts } from '../../../src/transcripts/memory/memory-transcripts.ts';
import { buildSystemPrompt, type SystemPromptRequest } from '../../../src/turn/prompt/build-system-prompt.ts';
import { readFiles } from '../../../src/turn/prompt/facts.ts';
import { type PrefixSource, SessionPrefix } from '../../../src/turn/prompt/session-prefix.ts';
import { makeTempFolder } from '../../setup/temp-folder.ts';

const BOUND = { provider: 'far', model: 'claude-opus-5-5' };
const OLDER = { provider: 'far', model: 'claude-opus-4-5' };
const REF = { agentId: 'main', sessionKey: 'agent:main:main', sessionId: 'sid', sessionFile: 's', cwd: '/' };
const TURN: EntryDraft = { type: 'custom', customType: 'openbot.turn', data: { turnId: 't' } };
const thought = (text: string) =>
  assistant({ type: 'thinking', thinking: `about ${text}`, thinkingSignature: 's' } as never, {
    type: 'text',
    text,
  });

function toolNamed(name: string): Tool {
  return {
    name,
    description: `Does ${name}`,
    parameters: { type: 'object', properties: {}, required: [] },
    changes: false,
    run: async () => name,
  };
}

function toolsOf(...names: string[]): RunTools {
  return {
    list: names.map(toolNamed),
    run: async ({ name }) => ({ text: `ran ${name}`, isError: false }),
  };
}

type Given = Partial<Omit<SystemPromptRequest, 'tools'>> &
  Partial<Pick<PrefixSource, 'runner' | 'tools' | 'isFromPlace'>>;

/** A transcript and an agent whose settings change. */
function makeConversation() {
  const transcripts = openMemoryTranscripts();
  const workspaceDir = makeTempFolder();
  const write = (drafts: readonly EntryDraft[]) => transcripts.append(REF, drafts);
  return {
    workspaceDir,
    write,
    /** As another process does in each turn. */
    open: ({
      runner = 'pi',
      tools = toolsOf('list_files', 'read_file'),
      isFromPlace = true,
      ...request
    }: Given = {}) =>
      SessionPrefix.open(() => transcripts.lookBack(REF), {
        sessionKey: REF.sessionKey,
        sessionId: REF.sessionId,
        runner,
        tools,
        isFromPlace,
        build: () =>
          buildSystemPrompt({
            agentId: 'main',
            stateDir: '/state',
            sessionKey: REF.sessionKey,
            sessionId: REF.sessionId,
            isShared: false,
            workspaceDir,
            model: BOUND,
            now: Date.UTC(2026, 10, 16, 22),
            ...request,
          }),
        readFiles: () => readFiles(workspaceDir, false),
      }),
    async say(prefix: SessionPrefix, text: string): Promise<readonly string[]> {
      const { lines, told } = prefix.tellNews();
      await prefix.append([TURN, ...told, user(text)], write);
      await prefix.append([thought(`answer to ${text}`)], write);
      return lines;
    },
    /** That may be sent to a model which binds it. */
    async thinkingIn(): Promise<string[]> {
      const context = await transcripts.readContext(REF);
      return context.flatMap(({ message: { content }, isBehindChange }) =>
        Array.isArray(content) && !isBehindChange
          ? content.flatMap(({ thinking }) => (typeof thinking === 'string' ? [thinking] : []))
          : [],
      );
    },
    async recordsOf(): Promise<unknown[]> {
      const records: unknown[] = [];
      for await (const { customType, data } of (await transcripts.lookBack(REF)).entries)
        if (customType?.startsWith('openbot.prefix')) records.push(data);
      return records;
    },
  };
}

const TODAY = 'Today is Monday, 2026-11-16 (time zone UTC).';

describe('what is told', () => {
  test('the day and the network first, then what is new, once', async () => {
    const talk = makeConversation();
    expect(await talk.say(await talk.open({ channel: 'telegram' }), 'one')).toEqual([
      TODAY,
      'Messages to you come from telegram.',
    ]);
    expect(await talk.say(await talk.open({ channel: 'telegram' }), 'two')).toEqual([]);
    // A message from no network says nothing about the network.
    expect(await talk.say(await talk.open(), 'three')).toEqual([]);
    expect(await talk.say(await talk.open({ channel: 'discord' }), 'four')).toEqual([
      'Messages to you come from discord now.',
    ]);
    expect(await talk.say(await talk.open({ isReadOnly: true, timeZone: 'Asia/Tokyo' }), 'five')).toEqual([
      'Today is Tuesday, 2026-11-17 (time zone Asia/Tokyo).',
      'Your tools cannot change files of your workspace any more.',
    ]);
  });

  test('a file that appears, changes and vanishes, by its lines', async () => {
    const talk = makeConversation();
    await talk.say(await talk.open(), 'one');
    const path = join(talk.workspaceDir, 'USER.md');
    writeFileSync(path, 'Ann\nlikes tea\n');
    expect(await talk.say(await talk.open(), 'two')).toEqual([
      'New: USER.md (the person you work for)',
      '+ Ann',
      '+ likes tea',
    ]);
    writeFileSync(path, 'Ann\nlikes coffee\nlives here\n');
    expect(await talk.say(await talk.open(), 'three')).toEqual([
      'Changed: USER.md (the person you work for)',
      '@ line 2, after: Ann',
      '- likes tea',
      '+ likes coffee',
      '+ lives here',
    ]);
    writeFileSync(path, Array.from({ length: 200 }, (_, n) => `fact ${n}`).join('\n'));
    expect(await talk.say(await talk.open(), 'four')).toEqual([
      'Changed: USER.md (the person you work for). It is too much to show here: read USER.md.',
    ]);
    rmSync(path);
    expect(await talk.say(await talk.open(), 'five')).toEqual(['Gone: USER.md (the person you work for)']);
    expect(await talk.say(await talk.open(), 'six')).toEqual([]);
  });

  test('not what the agent writes, but what others write beside it', async () => {
    const talk = makeConversation();
    const path = join(talk.workspaceDir, 'MEMORY.md');
    const other = join(talk.workspaceDir, 'USER.md');
    const prefix = await talk.open();
    await talk.say(prefix, 'one');
    writeFileSync(other, 'Ann');
    prefix.note({ type: 'tool-call', id: '1', name: 'write_file', arguments: {} });
    writeFileSync(path, 'mine');
    prefix.note({ type: 'tool-result', id: '1', name: 'write_file', text: '', isError: false });
    await prefix.settle(talk.write);
    expect(await talk.say(await talk.open(), 'two')).toEqual([
      'New: USER.md (the person you work for)',
      '+ Ann',
    ]);
    writeFileSync(path, 'mine\nand yours');
    expect(await talk.say(await talk.open(), 'three')).toEqual([
      'Changed: MEMORY.md (what you remember)',
      '@ line 2, after: mine',
      '+ and yours',
    ]);
  });

  test('what a flush of the same turn writes, and what changed before it', async () => {
    const talk = makeConversation();
    const path = join(talk.workspaceDir, 'MEMORY.md');
    writeFileSync(path, 'a\nb\nc');
    await talk.say(await talk.open(), 'one');
    writeFileSync(path, 'EXT\na\nb\nc');
    const prefix = await talk.open();
    prefix.note({ type: 'tool-call', id: '1', name: 'write_file', arguments: {} });
    writeFileSync(path, 'EXT\na\nb\nmine');
    prefix.note({ type: 'tool-result', id: '1', name: 'write_file', text: '', isError: false });
    expect(await talk.say(prefix, 'two')).toEqual([
      'Changed: MEMORY.md (what you remember)',
      '@ line 1',
      '+ EXT',
      '@ line 3, after: b',
      '- c',
      '+ mine',
    ]);
    expect(await talk.say(await talk.open(), 'three')).toEqual([]);
  });

  test('the place of a conversation only where a person writes there', async () => {
    const talk = makeConversation();
    const inGroup = { channel: 'telegram', groupIntro: 'You take part in "Plums".', extra: 'Be brief.' };
    const news = [
      TODAY,
      'Messages to you come from telegram.',
      'New: the description of this group',
      '+ You take part in "Plums".',
      'New: the additional instructions',
      '+ Be brief.',
    ];
    expect(await talk.say(await talk.open({ isFromPlace: false }), 'a relay')).toEqual([TODAY]);
    expect(await talk.say(await talk.open(inGroup), 'one')).toEqual(news.slice(1));
    expect(await talk.say(await talk.open({ isFromPlace: false }), 'a relay')).toEqual([]);
    expect(await talk.say(await talk.open(inGroup), 'two')).toEqual([]);
    await talk.write([{ type: 'compaction', summary: 'They talked.', tokensBefore: 1 }]);
    await talk.say(await talk.open({ isFromPlace: false }), 'a relay');
    expect(await talk.say(await talk.open(inGroup), 'three')).toEqual(news.slice(1));
  });

  test('a workspace and a state folder that moved', async () => {
    const talk = makeConversation();
    await talk.say(await talk.open({ workspaceDir: '/old' }), 'one');
    expect(await talk.say(await talk.open({ workspaceDir: '/new', stateDir: '/kept' }), 'two')).toEqual([
      'Your workspace is /new now. Relative paths start there.',
      'The state folder for occ is /kept now.',
    ]);
  });

  test('how to remember, once the workspace can be changed', async () => {
    const talk = makeConversation();
    const first = await talk.open({ isReadOnly: true });
    expect(first.systemPrompt(BOUND).text).not.toContain('memory/YYYY-MM-DD.md');
    await talk.say(first, 'one');
    expect(await talk.say(await talk.open(), 'two')).toEqual([
      expect.stringMatching(/^Your tools can change files of your workspace\. .*memory\/YYYY-MM-DD\.md/),
    ]);
  });

  test('again what was told before a summary of another program', async () => {
    const talk = makeConversation();
    await talk.say(await talk.open({ runner: 'claude' }), 'one');
    const given = { runner: 'claude', systemPrompt: 'Never delete.' };
    const news = ['New: the instructions of your configuration', '+ Never delete.'];
    const prefix = await talk.open(given);
    expect(await talk.say(prefix, 'two')).toEqual(news);
    // Claude Code compacts in a run, and its prompt stays.
    await prefix.append([{ type: 'compaction', summary: 'They talked.', tokensBefore: 1 }], talk.write);
    await prefix.append([thought('more')], talk.write);
    const text = prefix.systemPrompt(BOUND).text;
    const later = await talk.open(given);
    expect(later.systemPrompt(BOUND).text).toBe(text);
    expect(await talk.say(later, 'three')).toEqual([TODAY, ...news]);
    expect(await talk.say(await talk.open(given), 'four')).toEqual([]);
  });

  test('again also where the record was repeated since', async () => {
    const talk = makeConversation();
    await talk.say(await talk.open({ runner: 'claude' }), 'one');
    const given = { runner: 'claude', agentName: 'Eve' };
    await talk.say(await talk.open(given), 'two');
    await talk.write([TURN, user('x'.repeat(600_000)), thought('much')]);
    await talk.say(await talk.open(given), 'three');
    await talk.write([{ type: 'compaction', summary: 'They talked.', tokensBefore: 1 }, thought('more')]);
    expect(await talk.say(await talk.open(given), 'four')).toEqual([TODAY, 'Your name is Eve now.']);
  });

  test('nothing is taken for told that was not written', async () => {
    const talk = makeConversation();
    await talk.say(await talk.open(), 'one');
    writeFileSync(join(talk.workspaceDir, 'USER.md'), 'Ann');
    // This process dies before it writes the message.
    expect((await talk.open()).tellNews().lines).toHaveLength(2);
    expect(await talk.say(await talk.open(), 'two')).toHaveLength(2);
  });

  test('skills: only those that differ', async () => {
    const talk = makeConversation();
    const skills = (...lines: string[]) => ({
      skillsPrompt: ['Intro', '<skills>', ...lines, '</skills>'].join('\n'),
    });
    const [a, b] = ['<skill name="a" file="a">A</skill>', '<skill name="b" file="b">B</skill>'];
    await talk.say(await talk.open(skills(a!)), 'one');
    expect(await talk.say(await talk.open(skills(a!, b!)), 'two')).toEqual(['New skills', b]);
    expect(await talk.say(await talk.open(skills(b!.replace('B<', 'C<'))), 'three')).toEqual([
      'Changed skills',
      b!.replace('B<', 'C<'),
      'Skills that are gone: a',
    ]);
  });
});

describe('the prefix', () => {
  test('stays, whatever the configuration says, until a compaction', async () => {
    const talk = makeConversation();
    const first = await talk.open({ agentName: 'Ada' });
    await talk.say(first, 'one');
    const later = await talk.open({ agentName: 'Eve', tools: toolsOf('read_file', 'new_one') });
    expect(later.systemPrompt(OLDER).text).toBe(first.systemPrompt(BOUND).text);
    expect(later.systemPrompt(OLDER).report).toMatchObject({ model: OLDER.model, sessionId: 'sid' });
    expect(later.tools().list.map(({ name, description }) => [name, description])).toEqual([
      ['list_files', 'Does list_files'],
      ['read_file', 'Does read_file'],
    ]);
    const { signal } = new AbortController();
    const run = (name: string) => later.tools().run({ id: '1', name, arguments: {} }, signal);
    expect(await run('read_file')).toEqual({ text: 'ran read_file', isError: false });
    expect(await run('list_files')).toEqual({
      text: 'The tool list_files is not available any more.',
      isError: true,
    });
    await talk.say(later, 'two');
    await talk.write([{ type: 'compaction', summary: 'They talked.', tokensBefore: 1 }]);
    const renewed = await talk.open({ agentName: 'Eve', tools: toolsOf('read_file', 'new_one') });
    expect(renewed.systemPrompt(BOUND).text).toContain('You are Eve');
    expect(renewed.tools().list.map(({ name }) => name)).toEqual(['read_file', 'new_one']);
    // The summary may have lost it.
    expect(await talk.say(renewed, 'three')).toEqual([TODAY]);
    expect(await talk.recordsOf()).toHaveLength(2);
  });

  test('stays where something was thought since the compaction', async () => {
    const talk = makeConversation();
    await talk.say(await talk.open({ agentName: 'Ada' }), 'one');
    await talk.write([{ type: 'compaction', summary: 'They talked.', tokensBefore: 1 }, thought('more')]);
    expect((await talk.open({ agentName: 'Eve' })).systemPrompt(BOUND).text).toContain('You are Ada');
  });

  test('of a run that compacts is another one from the next request on, once', async () => {
    const talk = makeConversation();
    const prefix = await talk.open();
    await talk.say(prefix, 'one');
    expect(prefix.renew()).toBe(false);
    await prefix.append([{ type: 'compaction', summary: 'They talked.', tokensBefore: 1 }], talk.write);
    writeFileSync(join(talk.workspaceDir, 'USER.md'), 'Ann');
    expect([prefix.renew(), prefix.renew()]).toEqual([true, false]);
    expect(prefix.systemPrompt(BOUND).text).toContain('Ann');
    await prefix.append([thought('after')], talk.write);
    const later = await talk.open();
    expect(later.systemPrompt(BOUND).text).toBe(prefix.systemPrompt(BOUND).text);
    expect(await talk.thinkingIn()).toEqual(['about after']);
  });

  test('is written in the same piece as the message', async () => {
    const talk = makeConversation();
    const prefix = await talk.open();
    const fail = async () => {
      throw new Error('disk');
    };
    await expect(prefix.append([TURN, user('one')], fail)).rejects.toThrow('disk');
    const pieces: string[][] = [];
    const entries = await prefix.append([TURN, user('one')], (drafts) => {
      pieces.push(drafts.map((draft) => ('customType' in draft ? draft.customType : draft.type)));
      return talk.write(drafts);
    });
    expect(pieces).toEqual([['openbot.prefix', 'openbot.turn', 'message']]);
    expect(entries.map(({ type }) => type)).toEqual(['custom', 'message']);
  });

  test('is repeated where much lies behind it, and then means the same', async () => {
    const talk = makeConversation();
    const first = await talk.open();
    await talk.say(first, 'one');
    await talk.write([TURN, user('x'.repeat(600_000)), thought('much')]);
    const second = await talk.open({ agentName: 'Eve' });
    expect(await talk.say(second, 'two')).toEqual(['Your name is Eve now.']);
    expect(await talk.recordsOf()).toHaveLength(2);
    const third = await talk.open({ agentName: 'Eve' });
    expect(third.systemPrompt(BOUND).text).toBe(first.systemPrompt(BOUND).text);
    expect(await talk.say(third, 'three')).toEqual([]);
    expect(await talk.recordsOf()).toHaveLength(2);
    expect(await talk.thinkingIn()).toHaveLength(4);
  });
});

describe('thinking that was made behind another prefix is not sent to a model that binds it', () => {
  test('of a session that began without one', async () => {
    const talk = makeConversation();
    await talk.write([user('before'), thought('old')]);
    const prefix = await talk.open();
    await talk.say(prefix, 'one');
    expect(await talk.thinkingIn()).toEqual(['about answer to one']);
  });

  test('of another runner', async () => {
    const talk = makeConversation();
    const first = await talk.open({ runner: 'claude' });
    await talk.say(first, 'one');
    const other = await talk.open({ runner: 'pi', agentName: 'Eve' });
    expect(await talk.say(other, 'two')).toEqual(['Your name is Eve now.']);
    expect(other.systemPrompt(BOUND).text).toBe(first.systemPrompt(BOUND).text);
    expect(await talk.thinkingIn()).toEqual(['about answer to two']);
  });

  test('of a program that went on with the conversation', async () => {
    const talk = makeConversation();
    await talk.say(await talk.open(), 'one');
    await talk.write([user('by another program'), thought('elsewhere')]);
    const prefix = await talk.open();
    await talk.say(prefix, 'two');
    expect(await talk.thinkingIn()).toEqual(['about answer to two']);
  });
});
