import { expect, test } from 'vitest';
import { openMemoryOutbox } from '../../src/outbox/memory/memory-outbox.ts';
import { ConversationDesk } from '../../src/questions/conversation-desk.ts';
import { parseAnswer } from '../../src/questions/parse-answer.ts';

const CONVERSATION = { channel: 'chat', accountId: 'default', conversationId: 'ada' };
const TURN = {
  agentId: 'main',
  sessionKey: 'agent:main:main',
  turnId: 't1',
  conversation: CONVERSATION,
  target: { channel: 'chat', accountId: 'default', to: 'ada' },
};
const QUESTION = { toolName: 'Bash', arguments: { command: 'ls' }, timeoutMs: 60_000 };

function open(ids: string[], outbox = openMemoryOutbox()) {
  const desk = new ConversationDesk({ outbox, now: () => 1, onPut: () => {}, newId: () => ids.shift()! });
  const take = (text: string, more: { replyToId?: string; replyToText?: string; from?: string } = {}) => {
    const { from = 'ada', ...reply } = more;
    const identity = { ...CONVERSATION, conversationId: from, messageId: `m-${text}` };
    return desk.take({ identity, text, ...reply });
  };
  const texts = async () => {
    const claim = { channel: 'chat', accountId: 'default', owner: 'o', now: 2, leaseMs: 1, limit: 1 };
    const [next] = await outbox.claim(claim);
    if (next === undefined) return undefined;
    await outbox.sent(next.key, 'o', { at: 2, ids: [`id of ${next.key}`] });
    return next.payload.text;
  };
  return { desk, outbox, take, texts };
}

test('an id is not used twice in a conversation, also by questions at the same time', async () => {
  const { desk, outbox } = open(['aaaa', 'aaaa', 'bbbb', 'aaaa', 'cccc']);
  const asker = desk.askerFor(TURN);
  const [first] = await Promise.all([asker.ask(QUESTION), asker.ask(QUESTION)]);
  await first.close('withdrawn');
  await asker.ask(QUESTION);
  const key = (id: string) => `question:["chat","default","ada"]:${id}`;
  for (const id of ['aaaa', 'bbbb', 'cccc']) expect(await outbox.get(key(id))).toBeDefined();
});

test('the first answer counts, and the second is told so', async () => {
  const { desk, take, texts } = open(['aaaa']);
  const { answer } = await desk.askerFor(TURN).ask(QUESTION);
  const [yes, no] = [await take('yes aaaa'), await take('no aaaa')];
  await yes!.settle();
  await no!.settle();
  await expect(answer).resolves.toBe('yes');
  expect(yes!.turnId).toBe('t1');
  await (await take('deny aaaa'))!.settle();
  expect([await texts(), await texts(), await texts()].slice(1)).toEqual([
    '[aaaa] Allowed.',
    'That question is closed. [aaaa] Allowed.',
  ]);
});

test('an answer to a question of a process that is gone is told so', async () => {
  const dead = open(['aaaa']);
  await dead.desk.askerFor(TURN).ask(QUESTION);
  const { take, texts } = open([], dead.outbox);
  const late = await take('yes', { replyToId: 'x', replyToText: await texts() });
  expect(late?.turnId).toBe('t1');
  await late!.settle();
  expect(await texts()).toContain('[aaaa] The process that asked ended before it had an answer');
});

test('what is no answer here is left alone', async () => {
  const { desk, take, texts } = open(['aaaa']);
  await desk.askerFor(TURN).ask(QUESTION);
  const text = await texts();
  expect(await take('yes bbbb')).toBeUndefined();
  expect(await take('yes aaaa', { from: 'bob' })).toBeUndefined();
  expect(await take('yes')).toBeUndefined();
  expect(await take('yes', { replyToId: 'another' })).toBeUndefined();
  // Anyone can quote, or invent, the words of an open question.
  expect(await take('yes', { replyToId: 'another', replyToText: text })).toBeUndefined();
  expect(await take('yes', { replyToId: 'id of question:["chat","default","ada"]:aaaa' })).toBeDefined();
});

test('a question that cannot be kept is not open', async () => {
  const outbox = { ...openMemoryOutbox(), put: () => Promise.reject(new Error('full')) };
  const { desk, take } = open(['aaaa'], outbox);
  await expect(desk.askerFor(TURN).ask(QUESTION)).rejects.toThrow('full');
  expect(await take('yes aaaa')).toBeUndefined();
});

test.each([
  ['yes 3f2a', { answer: 'yes', id: '3f2a' }],
  [' Allow #3F2A! ', { answer: 'yes', id: '3f2a' }],
  ['ALWAYS 3f2a', { answer: 'always', id: '3f2a' }],
  ['no', { answer: 'no', id: undefined }],
  ['yes please', undefined],
  ['yes 3f2', undefined],
  ['yes 3f2a and more', undefined],
  ['3f2a', undefined],
  ['yes\n3f2a', { answer: 'yes', id: '3f2a' }],
  [`yes${' '.repeat(1_000_000)}3f2a`, undefined],
  ['', undefined],
])('parseAnswer %j', (text, expected) => {
  expect(parseAnswer(text)).toEqual(expected);
});
