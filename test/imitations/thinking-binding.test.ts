import { expect, test } from 'vitest';
import { afterTest } from '../setup/cleaning.ts';
import { type MessagesApiOptions, startMessagesApi } from './messages-api.ts';
import { type ApiMessage, type ContentBlock, call, redact, say, think } from './messages-format.ts';
import { BINDING_BETA, bindsThinking, commonPrefix } from './thinking-binding.ts';

const MODEL = 'claude-opus-5-5';

interface Answer {
  readonly status: number;
  readonly content: readonly ContentBlock[];
  readonly error?: { readonly message: string };
  readonly input_transformations?: unknown;
}

async function startTalk(options: Partial<MessagesApiOptions> = {}) {
  const api = await startMessagesApi({
    replies: (_, count) => ({ blocks: [think(`thought ${count}`), say(`answer ${count}`)] }),
    ...options,
  });
  afterTest(() => api.close());
  const system = 'Be kind.';
  const tools = [{ name: 'read', description: 'reads', input_schema: { type: 'object' } }];
  const ask = async (messages: readonly ApiMessage[], more: object = {}, beta = ''): Promise<Answer> => {
    const response = await fetch(`${api.url}/v1/messages`, {
      method: 'POST',
      headers: { 'anthropic-beta': beta },
      body: JSON.stringify({ model: MODEL, max_tokens: 10, system, tools, messages, ...more }),
    });
    return { ...((await response.json()) as Omit<Answer, 'status'>), status: response.status };
  };
  return { api, ask, tools };
}

const user = (text: string): ApiMessage => ({ role: 'user', content: text });
const assistant = ({ content }: Pick<Answer, 'content'>): ApiMessage => ({ role: 'assistant', content });
const DROPS = { thinking: { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } } };

test('takes thinking again behind what it was bound to, and refuses it behind anything else', async () => {
  const { api, ask, tools } = await startTalk();
  const first = await ask([user('one')]);
  const told = [user('one'), assistant(first), user('two')];
  const second = await ask(told);
  const whole = [...told, assistant(second), user('three')];
  const marked = { system: [{ type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral' } }] };
  expect([first.status, second.status]).toEqual([200, 200]);
  expect((await ask(whole)).status).toBe(200);
  expect((await ask(whole, marked)).status).toBe(200);

  const changes: [string, readonly ApiMessage[], object][] = [
    ['messages.1.content.0', whole, { system: 'Be brief.' }],
    ['messages.1.content.0', whole, { tools: [...tools, { name: 'write' }] }],
    ['messages.1.content.0', [user('One'), ...whole.slice(1)], {}],
    // The first thinking is where it was; the second is behind an answer that was changed.
    [
      'messages.3.content.0',
      whole.with(1, { role: 'assistant', content: [first.content[0]!, say('other')] }),
      {},
    ],
    // Nor may other thinking be left out before it.
    ['messages.3.content.0', whole.with(1, { role: 'assistant', content: [say('answer 0')] }), {}],
  ];
  for (const [path, messages, more] of changes) {
    const refused = await ask(messages, more);
    expect([refused.status, refused.error?.message]).toEqual([
      400,
      `${path}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".`,
    ]);
  }
  expect(api.faults).toHaveLength(changes.length);
  const bare = [user('One'), assistant({ content: [say('answer 0')] }), user('two')];
  expect((await ask(bare)).status).toBe(200);
});

test('drops on request what an account would refuse, lists it, and binds later thinking to what was read', async () => {
  const { api, ask } = await startTalk();
  const first = await ask([user('one')]);
  const changed = [user('One'), assistant(first), user('two')];
  expect((await ask(changed, DROPS)).error?.message).toContain('Extra inputs are not permitted');
  const second = await ask(changed, DROPS, `other, ${BINDING_BETA}`);
  const dropped = {
    type: 'thinking_dropped',
    path: 'messages.1.content.0',
    reason: 'prefix_binding_mismatch',
  };
  expect([second.status, second.input_transformations]).toEqual([200, [dropped]]);
  const third = await ask([...changed, assistant(second), user('three')], DROPS, BINDING_BETA);
  expect([third.status, third.input_transformations]).toEqual([200, [dropped]]);
  expect(api.dropped).toEqual([dropped, dropped]);
  // Without that first thinking the second is where it was.
  const bare = [
    user('One'),
    assistant({ content: [say('answer 0')] }),
    user('two'),
    assistant(second),
    user('3'),
  ];
  expect((await ask(bare)).status).toBe(200);
});

test('an account that drops says nothing unless it is asked to, and an older one checks nothing', async () => {
  const { api, ask } = await startTalk({ binding: 'drop_block' });
  const changed = [user('One'), assistant(await ask([user('one')])), user('two')];
  const silent = await ask(changed);
  expect([silent.status, silent.input_transformations, api.dropped.length]).toEqual([200, undefined, 1]);
  api.setBinding('older account');
  expect((await ask(changed)).status).toBe(200);
  expect(api.dropped).toHaveLength(1);
  const asked = await ask(changed, DROPS, BINDING_BETA);
  expect([asked.status, api.dropped.length]).toEqual([200, 2]);
  const block_binding = { prefix_mismatch_behavior: 'error' };
  expect((await ask(changed, { thinking: { type: 'adaptive', block_binding } }, BINDING_BETA)).status).toBe(
    400,
  );
});

test('leaves out what an older model thought, without a word', async () => {
  const { api, ask } = await startTalk({});
  const older = await ask([user('one')], { model: 'claude-opus-4-5' });
  const talk = [user('another'), assistant(older), user('two')];
  const newer = await ask(talk);
  expect((await ask([...talk, assistant(newer), user('three')])).status).toBe(200);
  expect([api.faults, api.dropped]).toEqual([[], []]);
});

test('binds each block of an answer, also redacted and empty ones, in pieces and as a whole', async () => {
  const blocks = [think(''), redact('secret'), say('so'), call('toolu_1', 'read', { b: 1, a: 2 })];
  const { ask } = await startTalk({
    replies: (_, count) => (count === 0 ? { blocks } : { blocks: [say('done')] }),
  });
  const first = await ask([user('one')]);
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'x' } as const;
  const next = (content: readonly ContentBlock[]) =>
    ask([user('one'), { role: 'assistant', content }, { role: 'user', content: [result] }]);
  expect((await next(first.content)).status).toBe(200);
  const [, second] = first.content as [ContentBlock, ContentBlock];
  const error = (await next([second, ...first.content.slice(2)])).error?.message;
  expect(error).toContain('messages.1.content.0: Invalid `signature` in `redacted_thinking` block');
});

test.each([
  ['claude-opus-5-5', true],
  ['claude-fable-5-1', true],
  ['claude-mythos-5-2', true],
  ['claude-haiku-6', true],
  ['claude-opus-5', false],
  ['claude-sonnet-4-6', false],
  ['claude-opus-4-20250514', false],
  ['m', false],
])('%s binds thinking: %s', (model, expected) => {
  expect(bindsThinking(model)).toBe(expected);
});

test('measures what a request has in common with the one before', () => {
  const request = (messages: readonly ApiMessage[], system = 'Be kind.') => ({
    model: MODEL,
    system,
    messages,
  });
  const one = request([user('one')]);
  expect(commonPrefix(one, request([user('one'), user('two')]))).toBe(1);
  expect(commonPrefix(one, request([user('one')], 'Be brief.'))).toBeLessThan(0.6);
});
