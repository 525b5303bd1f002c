import { expect, test } from 'vitest';
import { openState } from '../../src/state/open-state.ts';
import { END_MARK, JOINED_MARK, MEMORY_FLUSH_MARK, TURN_MARK } from '../../src/transcripts/contract.ts';
import { BotHome, Chat, MAIN, type Play } from './bot-home.ts';
import { assistant, idleRunner, LeftBehind, mark, TURN, user } from './left-behind.ts';

/** A model that notes what it was asked. */
class NotedModel {
  readonly prompts: string[] = [];
  readonly play: Play = ({ prompt }) => {
    this.prompts.push(prompt);
    return [{ text: `answer ${this.prompts.length}` }];
  };
}

/** Opens the bot of the next process, and lets it finish what was left. */
async function recover(home: BotHome, chat: Chat, model: NotedModel): Promise<void> {
  const bot = await home.open({ channels: [chat.channel], play: model.play });
  await bot.idle();
  await bot.close();
}

/** As `recover`, with a model that must not be asked. */
async function recoverIdly(home: BotHome, chat: Chat): Promise<void> {
  const { runner, starts } = idleRunner();
  const bot = await home.open({ channels: [chat.channel], runners: { script: runner } });
  await bot.idle();
  await bot.close();
  expect(starts(), 'runs').toBe(0);
}

async function stateOf(home: BotHome, seq = 1) {
  const state = await openState(home.stateDir);
  const message = await state.inbox.get(seq);
  await state.close();
  return message;
}

const marksOf = (home: BotHome) =>
  home.linesOf().flatMap(({ customType, data }) => (customType === TURN_MARK ? [data] : []));

test('a turn that was begun and not asked runs once, with its id', async () => {
  const home = new BotHome();
  await LeftBehind.in(home, async (left) => {
    await left.begin();
  });
  const chat = new Chat();
  const model = new NotedModel();
  await recover(home, chat, model);
  expect(model.prompts).toEqual(['System: memory: connected as default\n\nsay hello']);
  expect(marksOf(home)).toEqual([
    { turnId: TURN, attempt: 1, messages: ['m1'], seqs: [1], sessionKey: 'agent:main:main' },
  ]);
  expect(chat.shown).toEqual(['ada: answer 1']);
  expect(await stateOf(home)).toMatchObject({ state: 'answered', turnId: TURN, tries: 2 });
});

test('a message that was accepted and not begun runs once', async () => {
  const home = new BotHome();
  await LeftBehind.in(home, async (left) => {
    await left.accept('m1', 'say hello');
  });
  const chat = new Chat();
  const model = new NotedModel();
  await recover(home, chat, model);
  expect(model.prompts).toHaveLength(1);
  expect(chat.shown).toEqual(['ada: answer 1']);
});

test('a run that was cut off goes on: open calls get a result, and the model is told', async () => {
  const home = new BotHome();
  const { sessionId } = await LeftBehind.in(home, async (left) => {
    await left.begin();
    await left.ask([assistant('I look.', { call: 'call_1' })]);
  });
  const chat = new Chat();
  const model = new NotedModel();
  await recover(home, chat, model);
  expect(model.prompts).toHaveLength(1);
  expect(model.prompts[0]).toMatch(
    /^System: \[[^\]]+\] Your run was cut off because its process ended\. .* Check what its last calls have done/,
  );
  expect(home.saidIn()).toEqual([
    'user: say hello',
    'assistant: I look.',
    'toolResult: The process ended before this call had a result. It may or may not have taken effect.',
    `user: ${model.prompts[0]}`,
    'assistant: answer 1',
  ]);
  expect(marksOf(home).map((data) => (data as { attempt?: number }).attempt)).toEqual([1, 2]);
  expect(chat.shown).toEqual(['ada: answer 1']);
  expect(home.entryOf()).toMatchObject({ sessionId, status: 'done', abortedLastRun: false });
  home.checkTranscripts();
});

test('a run that was cut off before the model spoke goes on too', async () => {
  const home = new BotHome();
  await LeftBehind.in(home, async (left) => {
    await left.begin();
    await left.ask();
  });
  const chat = new Chat();
  const model = new NotedModel();
  await recover(home, chat, model);
  expect(model.prompts[0]).toMatch(/what is done already is above\.$/);
  expect(chat.shown).toEqual(['ada: answer 1']);
});

test('an answer that is whole is delivered, and not computed again', async () => {
  const home = new BotHome();
  const { sessionId } = await LeftBehind.in(home, async (left) => {
    await left.begin();
    await left.ask([assistant('hello')]);
  });
  const chat = new Chat();
  await recoverIdly(home, chat);
  expect(chat.shown).toEqual(['ada: hello']);
  expect(home.saidIn()).toEqual(['user: say hello', 'assistant: hello']);
  expect(home.entryOf()).toMatchObject({
    sessionId,
    systemSent: true,
    model: 'echo',
    modelProvider: 'script',
    inputTokens: 40,
    outputTokens: 2,
    status: 'done',
    abortedLastRun: false,
  });
  expect(await stateOf(home)).toMatchObject({ state: 'answered', turnId: TURN });
});

test('replies that are in the outbox already are not sent a second time', async () => {
  const home = new BotHome();
  const target = { channel: 'memory', accountId: 'default', to: 'ada' };
  const reply = { agentId: 'main', sessionKey: MAIN, turnId: TURN, target, createdAt: 1 };
  await LeftBehind.in(home, async (left) => {
    await left.begin();
    await left.ask([assistant('hello')]);
    await left.state.outbox.put([{ ...reply, key: `${TURN}:0`, payload: { text: 'hello' } }]);
  });
  const chat = new Chat();
  await recoverIdly(home, chat);
  expect(chat.shown).toEqual(['ada: hello']);
  expect(chat.channel.network.sends).toBe(1);
  expect(await stateOf(home)).toMatchObject({ state: 'answered' });
});

test('the error of a run is told once and noted once, also when it is recovered twice', async () => {
  const home = new BotHome();
  await LeftBehind.in(home, async (left) => {
    await left.begin();
    await left.ask([assistant('I', { stopReason: 'error', errorMessage: 'The key is wrong' })]);
  });
  const chat = new Chat();
  await recoverIdly(home, chat);
  const notices = () => home.saidIn().filter((line) => line.includes('The key is wrong'));
  expect(notices()).toHaveLength(1);
  expect(await stateOf(home)).toMatchObject({ state: 'failed', error: 'The key is wrong' });
  expect(home.entryOf()).toMatchObject({ status: 'failed' });
  expect(chat.shown).toEqual(['ada: I', expect.stringContaining('The key is wrong')]);

  // As if the process had been killed before the message had its end.
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(`${home.stateDir}/openbot-inbox.sqlite`);
  database.exec(`UPDATE inbox SET state = 'running'`);
  database.close();
  await recoverIdly(home, chat.again());
  expect(notices()).toHaveLength(1);
  expect(chat.shown).toHaveLength(2);
  expect(await stateOf(home)).toMatchObject({ state: 'failed' });
});

test('an error that only the outbox has ends the turn: the message is not run a second time', async () => {
  const home = new BotHome();
  const target = { channel: 'memory', accountId: 'default', to: 'ada' };
  const payload = { text: '⚠️ The model failed: no key.', isError: true };
  await LeftBehind.in(home, async (left) => {
    await left.begin();
    await left.ask();
    const reply = { agentId: 'main', sessionKey: MAIN, turnId: TURN, target, createdAt: 1 };
    await left.state.outbox.put([{ ...reply, key: `${TURN}:0`, payload }]);
  });
  const chat = new Chat();
  await recoverIdly(home, chat);
  expect(chat.shown).toEqual([`ada: ${payload.text}`]);
  expect(home.saidIn()).toEqual(['user: say hello', `assistant: ${payload.text}`]);
  expect(await stateOf(home)).toMatchObject({ state: 'failed', error: payload.text });
  expect(home.entryOf()).toMatchObject({ status: 'failed' });
});

test('a message that joined the run is not answered a second time', async () => {
  const home = new BotHome();
  await LeftBehind.in(home, async (left) => {
    await left.begin();
    await left.accept('m2', 'say more');
    await left.ask([
      assistant('I look.', { call: 'call_1' }),
      {
        type: 'message',
        message: {
          role: 'toolResult',
          toolCallId: 'call_1',
          toolName: 'list_files',
          content: [{ type: 'text', text: 'no files' }],
          isError: false,
          timestamp: 3,
        },
      },
      mark(JOINED_MARK, 'm2'),
      user('say more'),
      assistant('hello and more'),
    ]);
  });
  const chat = new Chat();
  await recoverIdly(home, chat);
  expect(chat.shown).toEqual(['ada: I look.', 'ada: hello and more']);
  expect(await stateOf(home, 1)).toMatchObject({ state: 'answered', turnId: TURN });
  expect(await stateOf(home, 2)).toMatchObject({ state: 'answered', turnId: TURN });
});

test('a message that joined and has no answer yet is answered by the run that goes on', async () => {
  const home = new BotHome();
  await LeftBehind.in(home, async (left) => {
    await left.begin();
    await left.accept('m2', 'say more');
    await left.ask([assistant('hello'), mark(JOINED_MARK, 'm2'), user('say more')]);
  });
  const chat = new Chat();
  const model = new NotedModel();
  await recover(home, chat, model);
  expect(model.prompts).toHaveLength(1);
  expect(chat.shown.at(-1)).toBe('ada: answer 1');
  expect(await stateOf(home, 2)).toMatchObject({ state: 'answered', turnId: TURN });
});

test('after 8 runs the message is given up, and the next turn finds no open call', async () => {
  const home = new BotHome();
  await LeftBehind.in(home, async (left) => {
    await left.begin();
    await left.ask([assistant('', { call: 'call_8' })], 8);
  });
  const chat = new Chat();
  await recoverIdly(home, chat);
  expect(chat.shown).toEqual([expect.stringContaining('Your message could not be answered')]);
  expect(await stateOf(home)).toMatchObject({ state: 'failed' });
  expect(home.entryOf()).toMatchObject({ abortedLastRun: true, abortedBy: 'crash' });
  home.checkTranscripts();

  const later = chat.again();
  const model = new NotedModel();
  const bot = await home.open({ channels: [later.channel], play: model.play });
  await later.write('ada', 'and now?');
  await bot.idle();
  expect(model.prompts).toHaveLength(1);
  expect(model.prompts[0]).toContain('The previous run was ended early because its process died.');
  expect(model.prompts[0]).toMatch(/and now\?$/);
  expect(later.shown.at(-1)).toBe('ada: answer 1');
  home.checkTranscripts();
});

test('a turn that was killed in its memory flush runs as a new one', async () => {
  const home = new BotHome();
  await LeftBehind.in(home, async (left) => {
    await left.begin();
    await left.addEntry();
    const data = { compactionCount: 0, attempt: 1 };
    await left.append([
      user('earlier'),
      assistant('yes'),
      { type: 'custom', customType: MEMORY_FLUSH_MARK, data },
      user('Pre-compaction memory flush.'),
      assistant('NO_REPLY'),
    ]);
  });
  const chat = new Chat();
  const model = new NotedModel();
  await recover(home, chat, model);
  expect(model.prompts).toEqual(['say hello']);
  expect(chat.shown).toEqual(['ada: answer 1']);
  expect(marksOf(home)).toEqual([
    { turnId: TURN, attempt: 1, messages: ['m1'], seqs: [1], sessionKey: 'agent:main:main' },
  ]);
});

test('a turn that was killed in a memory flush of its run goes on, and no call is open', async () => {
  const home = new BotHome();
  await LeftBehind.in(home, async (left) => {
    await left.begin();
    await left.ask([
      assistant('I look.', { call: 'call_1' }),
      user('Say more.'),
      { type: 'custom', customType: MEMORY_FLUSH_MARK, data: { compactionCount: 0, attempt: 1 } },
      user('Pre-compaction memory flush.'),
      assistant('I save it.', { call: 'call_2' }),
    ]);
  });
  const chat = new Chat();
  const model = new NotedModel();
  await recover(home, chat, model);
  expect(model.prompts[0]).toMatch(
    /^System: \[[^\]]+\] Your run was cut off .* Answer the last message before the memory flush; /,
  );
  expect(chat.shown).toEqual(['ada: answer 1']);
  home.checkTranscripts();
});

test('a flush after the answer of another turn is no part of that turn', async () => {
  const home = new BotHome();
  await LeftBehind.in(home, async (left) => {
    await left.begin();
    await left.ask([
      assistant('hello'),
      { type: 'custom', customType: MEMORY_FLUSH_MARK, data: { compactionCount: 0, attempt: 1 } },
      user('Pre-compaction memory flush.'),
      assistant('I saved it.'),
    ]);
  });
  const chat = new Chat();
  await recoverIdly(home, chat);
  expect(chat.shown).toEqual(['ada: hello']);
});

test('a message of another conversation with the id of one that joined gets its own turn', async () => {
  const home = new BotHome();
  await LeftBehind.in(home, async (left) => {
    await left.begin();
    await left.accept('m2', 'say more');
    await left.accept('m2', 'say hi to Bob', Date.now(), 'bob');
    await left.ask([assistant('hello'), mark(JOINED_MARK, 'm2'), user('say more'), assistant('and more')]);
  });
  const chat = new Chat();
  const model = new NotedModel();
  await recover(home, chat, model);
  expect(model.prompts).toEqual(['say hi to Bob']);
  expect(chat.shown.at(-1)).toBe('bob: answer 1');
  expect(await stateOf(home, 2)).toMatchObject({ state: 'answered', turnId: TURN });
  expect(await stateOf(home, 3)).not.toMatchObject({ turnId: TURN });
});

test('a run that a person ended is not begun again', async () => {
  const home = new BotHome();
  await LeftBehind.in(home, async (left) => {
    await left.begin();
    const end = { type: 'custom', customType: END_MARK, data: { turnId: TURN, cause: 'person' } } as const;
    await left.ask([assistant('I be', { stopReason: 'aborted' }), end]);
  });
  const chat = new Chat();
  await recoverIdly(home, chat);
  expect(chat.shown).toEqual([]);
  expect(await stateOf(home)).toMatchObject({ state: 'answered', turnId: TURN });
});

test('replies in the outbox are not made again from the transcript', async () => {
  const home = new BotHome();
  await LeftBehind.in(home, async (left) => {
    const message = await left.begin();
    await left.ask([assistant('I look.'), assistant('', { stopReason: 'error', errorMessage: 'no credit' })]);
    const { agentId, sessionKey } = message;
    const target = { channel: 'memory', accountId: 'default', to: 'ada' };
    const reply = { agentId, sessionKey, turnId: TURN, target, createdAt: 0 };
    await left.state.outbox.put([
      { ...reply, key: `${TURN}:0`, payload: { text: 'The model failed: no credit.', isError: true } },
    ]);
  });
  const chat = new Chat();
  await recoverIdly(home, chat);
  expect(chat.shown).toEqual(['ada: The model failed: no credit.']);
  expect(await stateOf(home)).toMatchObject({ state: 'failed' });
});

test('a /compact that was cut off does not take the compaction of the run before it for its own', async () => {
  const home = new BotHome();
  await LeftBehind.in(home, async (left) => {
    await left.begin('/compact');
    await left.addEntry();
    const talk = ['one', 'two', 'three'].flatMap((text) => [user(text), assistant(text.repeat(2000))]);
    const kept = await left.append(talk);
    // The run that it waited for made it, after the command had arrived.
    const summary = { summary: 'early', tokensBefore: 9000, firstKeptEntryId: kept[2]!.id };
    await left.append([{ type: 'compaction', ...summary }]);
  });
  const chat = new Chat();
  const config = { channels: { memory: { allowFrom: ['ada'] } } };
  const bot = await home.open({ config, channels: [chat.channel], play: new NotedModel().play });
  await bot.idle();
  expect(chat.shown).toEqual([expect.stringMatching(/^ada: Compacted: .* tokens now\.$/)]);
  expect(home.linesOf().filter(({ type }) => type === 'compaction')).toHaveLength(2);
  expect(home.entryOf()).toMatchObject({ lastCompact: { turnId: TURN, summaries: 1 } });
});
