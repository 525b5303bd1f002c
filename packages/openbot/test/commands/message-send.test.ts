/** `openbot message send`: into the outbox and the session, or refused. */
import { readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { acquireLock } from '@openbot/sessions/disk';
import { expect, it, vi } from 'vitest';
import { type BotState, openState } from '../../src/state/open-state.ts';
import { makePlace } from '../kept-sessions/session-places.ts';

const CHANNELS = { 'openbot.json': JSON.stringify({ channels: { telegram: {} } }) };

it('is sent by the process that has the channel, and the session has it', async () => {
  const place = makePlace(undefined, CHANNELS);
  expect((await place.run('agent', '-t', 'telegram:42', '-m', 'hello')).code).toBe(0);
  const gateway = await acquireLock(join(place.stateDir, 'gateway.lock'));
  const dry = await place.json('message', 'send', '-t', '42', '-m', 'news', '--dry-run');
  expect(dry).toMatchObject({ state: 'none', channel: 'telegram', mirrored: false });
  const sending = place.json('message', 'send', '-t', '42', '-m', 'news', '--thread-id', '7');
  const state = await openState(place.stateDir);
  const [letter] = await claimFirst(state);
  expect(letter).toMatchObject({ payload: { text: 'news' }, target: { channel: 'telegram', to: '42' } });
  await state.outbox.sent(letter!.key, 'me', { at: Date.now(), ids: ['9'] });
  expect(await sending).toMatchObject({ state: 'sent', ids: ['9'], to: '42', threadId: '7', mirrored: true });
  await state.close();
  await gateway.release();
  const [entry] = Object.values(place.store()) as { sessionFile: string }[];
  expect(readFileSync(entry!.sessionFile, 'utf8').split('news')).toHaveLength(2);
});

it('carries data for its network alone, also without a text', async () => {
  const place = makePlace(undefined, CHANNELS);
  const gateway = await acquireLock(join(place.stateDir, 'gateway.lock'));
  const telegram = { buttons: [[{ text: 'More', callback_data: 'more' }]] };
  const data = JSON.stringify({ telegram, discord: { embeds: [] } });
  const dry = await place.runHere('message', 'send', '-t', '42', '--channel-data', data, '--dry-run');
  expect(dry.stdout).toContain(JSON.stringify({ telegram }));
  const sending = place.json('message', 'send', '-t', '42', '--channel-data', data);
  const state = await openState(place.stateDir);
  const [letter] = await claimFirst(state);
  expect(letter?.payload).toEqual({ channelData: { telegram } });
  await state.outbox.sent(letter!.key, 'me', { at: Date.now(), ids: ['9'] });
  expect(await sending).toMatchObject({ state: 'sent', mirrored: false });
  await state.close();
  await gateway.release();
});

it('says that the file was not sent', async () => {
  const place = makePlace(undefined, { ...CHANNELS, 'a.png': 'a' });
  const gateway = await acquireLock(join(place.stateDir, 'gateway.lock'));
  const state = await openState(place.stateDir);
  const send = async (...args: string[]) => {
    const media = ['--media', join(place.stateDir, 'a.png')];
    const sending = place.runHere('message', 'send', '-t', '42', ...media, ...args);
    const [letter] = await claimFirst(state);
    const error = 'It is larger than 10 MB';
    await state.outbox.sent(letter!.key, 'me', { at: Date.now(), ids: ['9'], error });
    return sending;
  };
  const both = await send('-m', 'See');
  expect(both).toMatchObject({
    ...{ code: 0, stdout: 'Sent to 42 on telegram.\n' },
    stderr: 'Warning: the file was not sent: It is larger than 10 MB\n',
  });
  const { stdout } = await send('-m', 'See', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ state: 'sent', ids: ['9'], error: 'It is larger than 10 MB' });
  const buttons = { telegram: { buttons: [[{ text: 'Yes', callback_data: 'yes' }]] } };
  expect(await send('--channel-data', JSON.stringify(buttons))).toEqual(both);
  const alone = await send('--json');
  expect([alone.code, JSON.parse(alone.stderr).error]).toEqual([
    1,
    {
      code: 'MEDIA_NOT_SENT',
      message: 'The file was not sent: It is larger than 10 MB',
      hint: 'The chat has only a note of it (message 9)',
    },
  ]);
  await state.close();
  await gateway.release();
});

it('is refused for an account that is not configured', async () => {
  const channels = { telegram: { accounts: { work: {} } } };
  const place = makePlace(undefined, { 'openbot.json': JSON.stringify({ channels }) });
  const send = (...more: string[]) =>
    place.runHere('message', 'send', '-t', '42', '-m', 'x', '--dry-run', ...more);
  for (const more of [['--account', 'nope'], []])
    expect((await send(...more)).stderr).toMatch(/no account (nope|default) of telegram\n.*work/);
  expect((await send('--account', 'Work')).code).toBe(0);
});

const claimFirst = ({ outbox }: BotState) =>
  vi.waitUntil(
    async () => {
      const now = Date.now();
      const account = { channel: 'telegram', accountId: 'default', owner: 'me' };
      const claimed = await outbox.claim({ ...account, now, leaseMs: 60_000, limit: 1 });
      return claimed.length > 0 && claimed;
    },
    { timeout: 20_000 },
  );

it('is refused where nothing can send it, and nothing is made', async () => {
  const place = makePlace(undefined, {
    'openbot.json': JSON.stringify({ channels: { smokesigns: {} } }),
  });
  const { code, stderr } = await place.runHere('message', 'send', '-t', '42', '-m', 'x');
  expect([code, stderr]).toEqual([2, expect.stringMatching(/cannot speak on smokesigns/)]);
  expect(readdirSync(place.stateDir)).toEqual(['openbot.json']);
  renameSync(join(place.stateDir, 'openbot.json'), join(place.stateDir, 'openclaw.json'));
  const foreign = await place.runHere('message', 'send', '-t', '42', '-m', 'x');
  expect([foreign.code, foreign.stderr]).toEqual([2, expect.stringMatching(/is OpenClaw's/)]);
  expect(readdirSync(place.stateDir)).toEqual(['openclaw.json']);
});

it.each([
  [['-m', 'x'], /Who gets it/],
  [['-t', '42'], /There is no message/],
  [['-t', '42', '-m', 'x', '--channel', 'telegrm'], /telegrm is not configured\n.*Did you mean telegram/],
  [['-t', '42', '--media', '/nowhere.jpg'], /neither a file/],
  [['-t', '42', '-m', 'x', '--channel-data', '{telegram'], /no JSON object: {telegram\n.*Example/],
  [['-t', '42', '-m', 'x', '--channel-data', '[{}]'], /no JSON object/],
  [['-t', '42', '--channel-data', '{"discord":{}}'], /no message, and .* nothing for telegram/],
])('%j is refused', async (args, message) => {
  const { code, stderr } = await makePlace(undefined, CHANNELS).run('message', 'send', ...args);
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
});
