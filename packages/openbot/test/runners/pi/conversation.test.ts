import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ChatRequest } from '../../../../../test/imitations/chat-format.ts';
import type { MessagesRequest } from '../../../../../test/imitations/messages-format.ts';
import { LONG } from '../../../../../test/setup/hunt.ts';
import { assistant, result, user } from '../../../../sessions/test/setup/drafts.ts';
import type { RunEvent, RunRequest } from '../../../src/runners/contract.ts';
import { recoverFromOverflow } from '../../../src/runners/recover-from-overflow.ts';
import { makeScriptRunner } from '../../../src/runners/script/runner.ts';
import type { Script, ScriptStep, ScriptTurn } from '../../../src/runners/script/script.ts';
import type { RunTools } from '../../../src/tools/contract.ts';
import {
  assertTranscriptHolds,
  collect,
  makeSession,
  saidIn,
  type TestSession,
  typesOf,
} from '../session.ts';
import {
  openPi,
  type ScriptedProvider,
  SUMMARY,
  startAnthropicKind,
  startOpenaiKind,
} from './scripted-provider.ts';

const MODEL = { provider: 'far', model: 'm', contextWindow: 100_000 };

let session: TestSession;
beforeEach(async () => {
  session = await makeSession(MODEL);
});

const KINDS = [
  ['Anthropic', startAnthropicKind],
  ['OpenAI', startOpenaiKind],
] as const;

/** A new runner knows nothing of the ones before, as after a restart. */
async function say(
  provider: ScriptedProvider,
  prompt: string,
  more: Partial<RunRequest> = {},
): Promise<RunEvent[]> {
  const runner = await openPi('far', provider.settings);
  const events = await collect(runner.start(await session.ask(prompt, more)));
  await assertTranscriptHolds(session);
  return events;
}

const script = (...turns: ScriptTurn[]): Script => ({ contextWindow: MODEL.contextWindow, turns });
const lastOf = (provider: ScriptedProvider) => JSON.stringify(provider.conversations.at(-1)!.messages);

describe.each(KINDS)('a conversation with a provider of the %s kind', (_kind, start) => {
  it('goes on in another process, with its tools', async () => {
    writeFileSync(join(session.workspaceDir, 'a.txt'), 'forty-two');
    const provider = await start(
      script(
        {
          when: 'read',
          steps: [
            { thinking: 'A file.' },
            { text: 'I look.' },
            { tool: 'read_file', args: { path: 'a.txt' } },
            { text: 'Read.' },
          ],
        },
        { steps: [{ text: 'Yes.' }] },
      ),
    );
    expect(saidIn(await say(provider, 'read it'))).toBe('I look.Read.');
    expect(saidIn(await say(provider, 'and now?'))).toBe('Yes.');
    expect(lastOf(provider)).toContain('forty-two');
    expect(lastOf(provider)).toContain('read it');
    expect(provider.faults).toEqual([]);
  });

  it('takes what the scripted runner said and did', async () => {
    const steps: ScriptStep[] = [
      { thinking: 'A thought of another.' },
      { text: 'I look.' },
      { tools: [{ tool: 'list_files' }, { tool: 'read_file', args: { path: 'none' } }] },
      { text: 'Looked.' },
    ];
    const scripted = makeScriptRunner({ script: { turns: [{ steps }] } });
    const model = { provider: 'script', model: 'test' };
    await collect(scripted.start(await session.ask('look', { model })));
    const controller = new AbortController();
    const stopped = makeScriptRunner({
      script: { turns: [{ steps: [{ text: 'Half a' }, { stall: true }] }] },
    });
    await collect(
      stopped.start(await session.ask('again', { model, signal: controller.signal })),
      ({ type }) => {
        if (type === 'text') controller.abort();
      },
    );
    const provider = await start(script({ steps: [{ text: 'Yes.' }] }));
    expect(saidIn(await say(provider, 'and you?'))).toBe('Yes.');
    expect(provider.faults).toEqual([]);
    expect(lastOf(provider)).toContain('Looked.');
    expect(lastOf(provider)).not.toContain('A thought of another.');
    expect(lastOf(provider)).not.toContain('Half a');
  });

  it('sends nothing that a provider refuses, whatever was written', async () => {
    const signed = { type: 'thinking', thinking: 'Signed elsewhere.', thinkingSignature: 'x' };
    const callOf = (id: string) => ({ type: 'toolCall', id, name: 'list_files', arguments: {} });
    const image = { type: 'image', data: 'aW1hZ2U=', mimeType: 'image/png' };
    await session.append([
      assistant({ type: 'text', text: 'A message of the assistant.' }),
      {
        type: 'message',
        message: { role: 'user', content: [{ type: 'text', text: 'see' }, image], timestamp: 1 } as never,
      },
      assistant(signed, callOf('toolu/1|x'), callOf('open')),
      result('toolu/1|x', ''),
      user('but'),
      result('open', 'late'),
      result('never-called'),
      assistant(),
      assistant(signed),
      assistant({ type: 'text', text: ' ' }),
      { type: 'message', message: { role: 'user', content: '', timestamp: 1 } },
      { type: 'message', message: { role: 'assistant', content: 'A text alone.', timestamp: 1 } },
    ]);
    const provider = await start(script({ steps: [{ text: 'Yes.' }] }));
    const runner = await openPi('far', provider.settings);
    const events = await collect(runner.start(await session.ask('and now?')));
    expect(events.at(-1)).toEqual({ type: 'end', reason: 'stop' });
    expect(saidIn(events)).toBe('Yes.');
    expect(provider.faults).toEqual([]);
    expect(lastOf(provider)).toContain('aW1hZ2U=');
    expect(lastOf(provider)).toContain('A text alone.');
    expect(lastOf(provider)).not.toContain('Signed elsewhere.');
  });

  it('goes on after a clean of occ', async () => {
    writeFileSync(join(session.workspaceDir, 'large.txt'), 'large '.repeat(2000));
    const read = { tool: 'read_file', args: { path: 'large.txt' } };
    const provider = await start(
      script(
        { when: 'read', steps: [{ thinking: 'Hm.' }, read, { text: 'Read.' }] },
        { steps: [{ text: 'Yes.' }] },
      ),
    );
    const runner = await openPi('far', provider.settings);
    for (let turn = 0; turn < 6; turn++) await collect(runner.start(await session.ask(`read ${turn}`)));
    const { transcript } = await session.ask('between');
    expect((await session.transcripts.clean(transcript, 'hard')).changed).toBe(true);
    const events = await collect(runner.start(await session.ask('and now?')));
    expect(saidIn(events)).toBe('Yes.');
    expect(provider.faults).toEqual([]);
    expect(lastOf(provider)).toContain('read 0');
    await assertTranscriptHolds(session);
  });

  it('is compacted by pi near the window, and goes on from the summary', async () => {
    const provider = await start({
      contextWindow: 4000,
      turns: [{ steps: [{ text: 'word '.repeat(400) }] }],
    });
    const runner = await openPi('far', provider.settings);
    const seen: RunEvent[] = [];
    const window = { model: { ...MODEL, contextWindow: 4000 } };
    for (let turn = 0; turn < 8; turn++) {
      seen.push(
        ...(await collect(runner.start(await session.ask(`question ${turn} ${'q'.repeat(400)}`, window)))),
      );
      await assertTranscriptHolds(session);
    }
    const ends = seen.filter((event) => event.type === 'compaction' && event.phase === 'end');
    expect(ends.length).toBeGreaterThan(0);
    expect(ends.length).toBeLessThan(8);
    expect(typesOf(seen).filter((type) => type === 'end')).toHaveLength(8);
    expect(session.lines().filter(({ type }) => type === 'compaction')).toHaveLength(ends.length);
    expect(JSON.stringify(await session.readContext())).toContain(SUMMARY);
    expect(lastOf(provider)).not.toContain('question 0');
    expect(provider.faults).toEqual([]);
  });

  it('is cleaned and compacted where the provider says that it is too long', async () => {
    writeFileSync(join(session.workspaceDir, 'large.txt'), 'large '.repeat(2000));
    const read = { tool: 'read_file', args: { path: 'large.txt' } };
    const steps = [read, { text: 'Read.' }];
    // The provider has less room than the configuration says.
    const provider = await start({ contextWindow: 100_000, turns: [{ steps }] }, 8000);
    const runner = recoverFromOverflow(await openPi('far', provider.settings), session.transcripts);
    for (let turn = 0; turn < 4; turn++) {
      const events = await collect(runner.start(await session.ask(`read ${turn}`)));
      expect(events.at(-1)).toEqual({ type: 'end', reason: 'stop' });
      await assertTranscriptHolds(session);
    }
    expect(provider.faults).toEqual([]);
  });

  it('is stopped inside of a tool', async () => {
    const controller = new AbortController();
    const provider = await start(
      script(
        { steps: [{ tools: [{ tool: 'list_files' }, { tool: 'list_files' }] }] },
        { steps: [{ text: 'Yes.' }] },
      ),
    );
    const { list } = session.toolsNamed('list_files');
    const tools: RunTools = {
      list,
      run: (_, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve({ text: 'It was stopped.', isError: true }));
          controller.abort();
        }),
    };
    const events = await say(provider, 'look', { tools, signal: controller.signal });
    expect(events.at(-1)).toMatchObject({ reason: 'aborted' });
    expect(session.messages().filter((message) => message.startsWith('toolResult'))).toHaveLength(2);
    expect(saidIn(await say(provider, 'and now?'))).toBe('Yes.');
    expect(provider.faults).toEqual([]);
  });

  it('waits for a slow provider', async () => {
    const provider = await start(script({ steps: [{ waitMs: 300 }, { text: 'At last.' }] }));
    expect(saidIn(await say(provider, 'hello'))).toBe('At last.');
  });
});

it('gives the model the prompt of the turn and the tools of the request, and nothing of its own', async () => {
  const home = process.env.HOME!;
  mkdirSync(join(home, '.pi/agent'), { recursive: true });
  for (const folder of [session.workspaceDir, join(home, '.pi/agent')]) {
    writeFileSync(join(folder, 'AGENTS.md'), 'POISON');
    writeFileSync(join(folder, 'SYSTEM.md'), 'POISON');
  }
  writeFileSync(
    join(home, '.pi/agent/settings.json'),
    '{"defaultModel":"POISON","extensions":["./POISON.ts"]}',
  );
  writeFileSync(
    join(home, '.pi/agent/models.json'),
    '{"providers":{"far":{"baseUrl":"http://127.0.0.1:1/POISON"}}}',
  );
  const before = readdirSync(join(home, '.pi/agent'));
  const provider = await startAnthropicKind(script({ steps: [{ text: 'Yes.' }] }));
  await say(provider, 'hello', { tools: session.toolsNamed('list_files') });
  const { system, tools } = provider.conversations[0] as unknown as MessagesRequest;
  expect((system as { text: string }[]).map(({ text }) => text)).toEqual(['You help.']);
  expect(tools!.map(({ name }) => name)).toEqual(['list_files']);
  expect(JSON.stringify(provider.conversations)).not.toContain('POISON');
  expect(readdirSync(join(home, '.pi/agent'))).toEqual(before);
  const chat = await startOpenaiKind(script({ steps: [{ text: 'Yes.' }] }));
  await say(chat, 'hello', { tools: session.toolsNamed() });
  const [first] = (chat.conversations[0] as unknown as ChatRequest).messages;
  expect(first).toMatchObject({ content: 'You help.' });
});

it.each([
  ['off', undefined],
  ['high', 'enabled'],
  ['adaptive', 'enabled'],
  ['ultra', 'enabled'],
])('thinks as hard as it is told: %s', async (thinkingLevel, type) => {
  const provider = await startAnthropicKind(script({ steps: [{ text: 'Yes.' }] }));
  await say(provider, 'hello', { thinkingLevel });
  const { thinking } = provider.conversations[0] as unknown as { thinking?: { type: string } };
  expect(thinking?.type === 'disabled' ? undefined : thinking?.type).toBe(type);
});

it('has 50 MB of a conversation behind a compaction', LONG, async () => {
  await session.ask('first');
  for (let turn = 0; turn < 50; turn++) {
    const large = 'x'.repeat(100_000);
    await session.append(Array.from({ length: 10 }, (_, at) => user(`${turn} ${at} ${large}`)));
  }
  const [kept] = await session.append([user('kept'), assistant({ type: 'text', text: 'Kept.' })]);
  await session.append([
    { type: 'compaction', summary: 'All of it.', tokensBefore: 9, firstKeptEntryId: kept!.id },
  ]);
  const provider = await startAnthropicKind(script({ steps: [{ text: 'Yes.' }] }));
  const runner = await openPi('far', provider.settings);
  for (let turn = 0; turn < 5; turn++)
    expect(saidIn(await collect(runner.start(await session.ask(`now ${turn}`))))).toBe('Yes.');
  expect(provider.faults).toEqual([]);
  expect(lastOf(provider)).toContain('All of it.');
  expect(lastOf(provider)).toContain('now 3');
  expect(lastOf(provider).length).toBeLessThan(10_000);
});
