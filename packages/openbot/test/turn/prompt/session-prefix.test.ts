import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EntryDraft } from '@openbot/sessions/transcript';
import { describe, expect, test } from 'vitest';
import { assistant, user } from '../../../../sessions/test/setup/drafts.ts';
import type { OwnSettings, Runner } from '../../../src/runners/contract.ts';
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

const candidateOf = (runner: string, own?: OwnSettings, model = BOUND) => ({
  model,
  runner: { name: runner, ...(own && { ownSettings: () => own }) } as Runner,
});

type Given = Partial<Omit<SystemPromptRequest, 'tools'>> &
  Partial<Pick<PrefixSource, 'candidate' | 'tools' | 'isFromPlace'>> & { readonly runner?: string };

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
      candidate = candidateOf(runner),
      ...request
    }: Given = {}) =>
      SessionPrefix.open(() => transcripts.lookBack(REF), {
        sessionKey: REF.sessionKey,
        sessionId: REF.sessionId,
        agentId: 'main',
        candidate,
        tools,
        isFromPlace,
        build: () =>
          buildSystemPrompt({
            agentId: 'main',
            tools: tools.list,
            stateDir: '/state',
            sessionKey: REF.sessionKey,
            sessionId: REF.sessionId,
            isShared: false,
            workspaceDir,
            model: BOUND,
            now: Date.UTC(2026, 10, 16, 22),
            ...request,
          }),
        readFiles: () => readFiles(workspaceDir, { isShared: false }),
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

  test('what others write while a call waits for them, or for the answer of a person', async () => {
    const talk = makeConversation();
    const path = join(talk.workspaceDir, 'MEMORY.md');
    const tools = toolsOf('sessions_spawn', 'exec');
    const prefix = await talk.open({ tools });
    await talk.say(prefix, 'one');
    const call = (id: string, name: string) => prefix.note({ type: 'tool-call', id, name, arguments: {} });
    const result = (id: string, name: string) =>
      prefix.note({ type: 'tool-result', id, name, text: '', isError: false });
    call('1', 'sessions_spawn');
    writeFileSync(path, 'papaya');
    result('1', 'sessions_spawn');
    expect(await talk.say(prefix, 'two')).toEqual(['New: MEMORY.md (what you remember)', '+ papaya']);
    call('2', 'exec');
    writeFileSync(path, 'papaya\nplum');
    prefix.noteAnswer();
    writeFileSync(join(talk.workspaceDir, 'USER.md'), 'Ann');
    result('2', 'exec');
    expect(await talk.say(prefix, 'three')).toEqual([
      'Changed: MEMORY.md (what you remember)',
      '@ line 2, after: papaya',
      '+ plum',
    ]);
  });

  test('tools that the configuration has no more, has again, or has now', async () => {
    const talk = makeConversation();
    await talk.say(await talk.open(), 'one');
    expect(await talk.say(await talk.open({ tools: toolsOf('list_files', 'exec') }), 'two')).toEqual([
      'Tools that you cannot use any more: read_file',
      'New tools, which you get after the next compaction or reset: exec',
    ]);
    expect(await talk.say(await talk.open(), 'three')).toEqual([
      'Tools that you cannot use any more: exec',
      'Tools that you can use again: read_file',
    ]);
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

  test('is made again after a compaction within a run of another program, which went on behind the old one', async () => {
    const talk = makeConversation();
    await talk.say(await talk.open({ agentName: 'Ada' }), 'one');
    await talk.write([{ type: 'compaction', summary: 'They talked.', tokensBefore: 1 }, thought('more')]);
    const later = await talk.open({ agentName: 'Eve' });
    expect(later.systemPrompt(BOUND).text).toContain('You are Eve');
    expect(await talk.say(later, 'two')).toEqual([TODAY]);
    expect(await talk.thinkingIn()).toEqual(['about answer to two']);
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

test('a long prefix is not repeated in each turn', async () => {
  const talk = makeConversation();
  const files = ['AGENTS.md', 'SOUL.md', 'USER.md', 'MEMORY.md'];
  for (const name of files) writeFileSync(join(talk.workspaceDir, name), '漢字'.repeat(9000));
  const systemPrompt = '漢'.repeat(200_000);
  for (let turn = 0; turn < 8; turn++) await talk.say(await talk.open({ systemPrompt }), `turn ${turn}`);
  expect(await talk.recordsOf()).toHaveLength(1);
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

  test('of another runner only once that has answered', async () => {
    const talk = makeConversation();
    await talk.say(await talk.open(), 'one');
    const prefix = await talk.open();
    await prefix.append([TURN, user('two')], talk.write);
    prefix.use(candidateOf('claude'));
    const context = [{ message: { role: 'assistant', content: [] } }];
    expect(prefix.behind(context)).toEqual([{ ...context[0], isBehindChange: true }]);
    await prefix.append([assistant()], talk.write);
    await prefix.settle(talk.write);
    expect(await talk.thinkingIn()).toEqual(['about answer to one']);
    const later = await talk.open();
    expect(later.behind(context)).toEqual(context);
    later.use(candidateOf('claude'));
    await later.append([thought('two')], talk.write);
    expect(await talk.thinkingIn()).toEqual(['about two']);
    expect(await talk.recordsOf()).toHaveLength(2);
  });

  test('not of a turn without a runner', async () => {
    const talk = makeConversation();
    await talk.say(await talk.open(), 'one');
    await talk.say(await talk.open({ candidate: { model: BOUND, runner: undefined } }), 'two');
    await talk.say(await talk.open(), 'three');
    expect(await talk.thinkingIn()).toHaveLength(3);
  });

  test('not of a runner whose settings change: the tools of its own program stay until a compaction', async () => {
    const talk = makeConversation();
    const claude = (...tools: string[]) => ({ candidate: candidateOf('claude', { tools }) });
    await talk.say(await talk.open(claude('Read')), 'one');
    const wider = await talk.open(claude('Read', 'Bash'));
    expect(wider.ownTools).toEqual(['Read']);
    await talk.say(wider, 'two');
    expect(await talk.thinkingIn()).toHaveLength(2);
    await talk.write([{ type: 'compaction', summary: 'They talked.', tokensBefore: 1 }]);
    expect((await talk.open(claude('Read', 'Bash'))).ownTools).toEqual(['Read', 'Bash']);
    const other = await talk.open();
    expect(other.ownTools).toBeUndefined();
    other.use(candidateOf('claude', { tools: 'all' }));
    expect(other.ownTools).toEqual('all');
  });

  test('of another runner also where its prefix is repeated because it is far back', async () => {
    const talk = makeConversation();
    await talk.say(await talk.open(), 'one');
    await talk.write([TURN, user('x'.repeat(600_000)), thought('much')]);
    await talk.say(await talk.open({ runner: 'claude' }), 'two');
    expect(await talk.thinkingIn()).toEqual(['about answer to two']);
  });
});
