/**
 * Newer Claude models bind their thinking to all that was said before it: one prompt that differs from that of the turn
 * before costs all of it, or each turn from then on. The API is imitated; pi and Claude Code are real.
 */
import { expect, test } from 'vitest';
import { findClaudeBinary } from '../../../../test/imitations/claude-binary.ts';
import { LONG } from '../../../../test/setup/hunt.ts';
import { keepMedia } from '../../src/media/keep-media.ts';
import { mediaFields } from '../../src/media/media-fields.ts';
import { makePng } from '../media/files.ts';
import { BOUND_MODELS, type BoundModel, BoundTalk, playTenTurns } from './bound-talk.ts';

const isMissing = (model: BoundModel) => model === 'claude' && 'missing' in findClaudeBinary();
const models = BOUND_MODELS.filter((model) => !isMissing(model));

test.each(models)('%s: ten turns in which much changes keep all that was said', async (model) => {
  const talk = await BoundTalk.open(model);
  await playTenTurns(talk);
  const { requests, common, ...kept } = talk.measure();
  expect(kept).toMatchObject({ refused: 0, dropped: 0, failed: [] });
  expect(requests).toBe(20);
  expect(common.filter((part) => part < 1)).toEqual([]);
  for (const news of ['tea', 'Be brief.'])
    expect(JSON.stringify(talk.api.conversations.at(-1))).toContain(news);
});

interface Change {
  readonly what: string;
  /** Between two turns of the conversation. */
  readonly change: (talk: BoundTalk) => unknown;
  /** So many times a request does not begin with the one before. 0. */
  readonly breaks?: number;
  /** With Claude Code; as `breaks` otherwise. */
  readonly breaksOfClaude?: number;
}

const CHANGES: readonly Change[] = [
  {
    what: 'the agent has another name',
    change: ({ config }) => {
      config.agents!.list = [{ id: 'main', name: 'Grace' }];
    },
  },
  {
    what: 'exec is switched off',
    change: ({ config }) => {
      config.tools = { exec: { security: 'deny' } };
    },
  },
  {
    what: 'the conversation is compacted',
    change: (talk) => talk.command('/compact'),
    breaks: 1,
    // Claude Code asks for the summary within the conversation.
    breaksOfClaude: 2,
  },
  { what: 'it is cleaned', change: (talk) => talk.command('/clean extreme'), breaks: 1 },
  {
    what: 'another model of the same program has one turn',
    change: (talk) => talk.turn('Other', { model: 'far/claude-sonnet-5-5' }),
    breaks: 2,
  },
  {
    what: 'a model whose thinking is not bound has one turn',
    change: (talk) => talk.turn('Other', { model: 'anthropic/claude-haiku-4-5' }),
    breaks: 2,
  },
  { what: 'a turn comes from another network', change: (talk) => talk.chatTurn(talk.chats[1], 'Elsewhere') },
  { what: 'there are more images than fit', change: sendImages, breaks: 1, breaksOfClaude: 0 },
  {
    what: 'Claude Code has more tools of its own',
    change: ({ config }) => {
      config.agents!.defaults!.claude = { tools: ['Read', 'Grep'] };
    },
  },
  {
    what: 'Claude Code has another permission mode',
    change: ({ config }) => {
      config.agents!.defaults!.claude = { tools: ['Read', 'Grep'], permissionMode: 'plan' };
    },
    breaksOfClaude: 1,
  },
  { what: 'the thinking level is another', change: (talk) => talk.command('/think high') },
  { what: 'it is another day', change: (talk) => talk.passMidnight() },
];

test.each(CHANGES)('between two turns of pi: $what', async ({ change, breaks = 0 }) => {
  const talk = await BoundTalk.open('pi');
  await tellAround(talk, change);
  const { common, refused, dropped, failed } = talk.measure();
  expect({ refused, dropped, failed }).toEqual({ refused: 0, dropped: 0, failed: [] });
  expect(common.filter((part) => part < 1)).toHaveLength(breaks);
});

test.skipIf(isMissing('claude')).each(CHANGES)(
  'between two turns of Claude Code: $what',
  LONG,
  async ({ change, breaks = 0, breaksOfClaude = breaks }) => {
    const talk = await BoundTalk.open('claude');
    await tellAround(talk, change);
    const { common, refused, dropped, failed } = talk.measure();
    expect({ refused, dropped, failed }).toEqual({ refused: 0, dropped: 0, failed: [] });
    expect(common.filter((part) => part < 1)).toHaveLength(breaksOfClaude);
  },
);

test.skipIf(isMissing('claude'))(
  'Claude Code: no session goes on behind another prompt, also after a run that failed and one of an older model',
  LONG,
  async () => {
    const talk = await BoundTalk.open('claude');
    const renew = async (file: string) => {
      await talk.command('/compact');
      talk.writeFile(file, `Written to ${file}.`);
    };
    await talk.turn('One');
    await renew('MEMORY.md');
    talk.isDown = true;
    await talk.turn('Two');
    talk.isDown = false;
    for (const words of ['Three', 'Four']) await talk.turn(words);
    const older = 'claude/claude-opus-4-5';
    await talk.turn('Five', { model: older });
    await renew('USER.md');
    await talk.turn('Six', { model: older });
    for (const words of ['Seven', 'Eight']) await talk.turn(words);
    const { refused, dropped, failed } = talk.measure();
    expect({ refused, dropped, failed }).toEqual({ refused: 0, dropped: 0, failed: ['Two'] });
  },
);

async function tellAround(talk: BoundTalk, change: Change['change']): Promise<void> {
  await talk.turn('One');
  await talk.turn('Two', { tool: '' });
  await talk.turn('Three');
  await change(talk);
  for (const words of ['Four', 'Five']) await talk.turn(words);
}

async function sendImages(talk: BoundTalk): Promise<void> {
  const { stateDir } = talk.home;
  for (let turn = 0; turn < 4; turn++) {
    const images = Array.from({ length: 7 }, (_, at) => makePng(turn * 7 + at));
    const kept = images.map((bytes) => keepMedia({ stateDir, maxBytes: bytes.length }, { bytes: [bytes] }));
    await talk.chatTurn(talk.chats[0], `Images ${turn}`, mediaFields(await Promise.all(kept), []));
  }
}
