import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadSqlite } from '@openbot/sessions/disk';
import { describe, expect, test } from 'vitest';
import type { Bot } from '../../src/bot/contract.ts';
import type { BotConfig, HeartbeatSettings } from '../../src/config/bot-config.ts';
import { HEARTBEAT_PROMPT } from '../../src/heartbeats/compose-heartbeat.ts';
import type { ScriptStep } from '../../src/runners/script/script.ts';
import { openState } from '../../src/state/open-state.ts';
import { ManualClock } from '../setup/manual-clock.ts';
import { BotHome, Chat, MAIN, type Play } from './bot-home.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-01-10T10:10:00Z');

/** A bot whose time passes by hand, a person who wrote to it once, and what its agent says at heartbeats. */
async function makeBench(settings: HeartbeatSettings = { every: '30m' }, more: BotConfig = {}) {
  const home = new BotHome();
  const clock = new ManualClock(START);
  const now = () => clock.now();
  const config: BotConfig = {
    ...more,
    agents: {
      ...more.agents,
      defaults: { userTimezone: 'UTC', heartbeat: settings, ...more.agents?.defaults },
    },
  };
  const agent = { beats: [] as string[], answer: [{ text: 'HEARTBEAT_OK' }] as readonly ScriptStep[] };
  const play: Play = ({ prompt, model }) => {
    if (!prompt.includes('HEARTBEAT_OK')) return [{ text: `Hello from ${model}.` }];
    agent.beats.push(prompt);
    return agent.answer;
  };
  let chat = new Chat();
  const open = () => home.open({ config, clock, now, play, channels: [chat.channel] });
  const bench = {
    home,
    clock,
    agent,
    config,
    play,
    get chat() {
      return chat;
    },
    bot: await open(),
    /** Other bots on the same folder and clock. */
    others: [] as Bot[],
    /** Lets time pass until the agent has been asked once more, and its turn has ended. */
    async beat(answer = agent.answer) {
      agent.answer = answer;
      const wanted = agent.beats.length + 1;
      for (let minutes = 0; agent.beats.length < wanted; minutes++) {
        if (minutes > 5000) throw new Error('there was no heartbeat');
        await bench.pass();
      }
    },
    /** One minute, with all that follows from it: a timer that has looked sleeps again, and has woken its session. */
    async pass() {
      const bots = [bench.bot, ...bench.others];
      await clock.advance(MINUTE);
      while (clock.waiting < bots.length) await sleep(1);
      for (const bot of bots) await bot.idle();
    },
    async restart() {
      await bench.bot.close();
      chat = chat.again();
      bench.bot = await open();
    },
  };
  await chat.write('ada', 'hello');
  await bench.bot.idle();
  return bench;
}

const sentOf = ({ chat }: { chat: Chat }) => chat.shown.slice(1);

describe('a heartbeat', () => {
  test('runs in the main session and tells nobody that there is nothing', async () => {
    const bench = await makeBench();
    const before = bench.home.entryOf();
    await bench.beat();
    expect(bench.agent.beats).toEqual([`${HEARTBEAT_PROMPT}\n\nIt is 2026-01-10 10:30:00 UTC.`]);
    expect(sentOf(bench)).toEqual([]);
    expect(bench.home.saidIn().slice(-2)).toEqual([
      `user: ${bench.agent.beats[0]}`,
      'assistant: HEARTBEAT_OK',
    ]);
    const after = bench.home.entryOf();
    expect(after.endedAt).toBeGreaterThan(before.endedAt!);
    const kept = [
      'updatedAt',
      'lastInteractionAt',
      'deliveryContext',
      'lastChannel',
      'lastTo',
      'origin',
    ] as const;
    for (const field of kept) expect([field, after[field]]).toEqual([field, before[field]]);
    expect(after.lastHeartbeatText).toBeUndefined();
  });

  test('that meets a damaged transcript, where nobody can be told, leaves it to the agent to tell the person', async () => {
    const bench = await makeBench();
    await bench.bot.close();
    const { sessionId, sessionFile } = bench.home.entryOf();
    bench.home.changeEntry(MAIN, { deliveryContext: undefined });
    writeFileSync(sessionFile!, Buffer.alloc(100));
    await bench.restart();
    await bench.beat();
    expect(bench.home.entryOf().sessionId).not.toBe(sessionId);
    expect(sentOf(bench)).toEqual([]);
    await bench.chat.write('ada', 'are you there?');
    await bench.bot.idle();
    const told = bench.home.saidIn().filter((line) => line.includes('The person has not been told yet'));
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/^user: System: /);
    expect(sentOf(bench)).toHaveLength(1);
  });

  test('an alert goes to the last place, and the same one not again within a day, also after a restart', async () => {
    const bench = await makeBench();
    await bench.beat([{ text: 'Looking.' }, { tool: 'list_files' }, { text: 'The disk is full.' }]);
    expect(sentOf(bench)).toEqual(['ada: The disk is full.']);
    expect(bench.home.entryOf()).toMatchObject({ lastHeartbeatText: 'The disk is full.' });
    const sentAt = bench.home.entryOf().lastHeartbeatSentAt!;
    await bench.beat();
    await bench.restart();
    await bench.beat();
    expect(sentOf(bench)).toHaveLength(1);
    await bench.beat([{ text: 'The mail server is down.' }]);
    expect(sentOf(bench).at(-1)).toBe('ada: The mail server is down.');
    expect(bench.home.entryOf().lastHeartbeatSentAt).toBeGreaterThan(sentAt);
    const day = 24 * 60 * MINUTE;
    await bench.clock.advance(day);
    await bench.beat();
    expect(sentOf(bench)).toHaveLength(3);
    bench.home.checkTranscripts();
  });

  test.each([
    ['HEARTBEAT_OK\n\nAll quiet.', 0],
    ['All quiet. HEARTBEAT_OK', 0],
    [`HEARTBEAT_OK ${'x'.repeat(301)}`, 1],
    ['The answer HEARTBEAT_OK was expected here.', 1],
    ['NO_REPLY', 0],
  ])('%j is sent %i times', async (text, times) => {
    const bench = await makeBench();
    await bench.beat([{ text }]);
    expect(sentOf(bench)).toHaveLength(times);
    expect(bench.home.entryOf().lastHeartbeatText === undefined).toBe(times === 0);
  });

  test('ackMaxChars, model, prompt and target are settings', async () => {
    const settings = {
      every: '1h',
      ackMaxChars: 0,
      model: 'script/cheap',
      prompt: 'Check. Else HEARTBEAT_OK',
      target: 'memory',
      to: 'bob',
    };
    const bench = await makeBench(settings);
    await bench.beat([{ text: 'HEARTBEAT_OK fine' }]);
    expect(bench.agent.beats[0]).toMatch(/^Check\. Else HEARTBEAT_OK\n\nIt is 2026-01-10 11:00:00 UTC\.$/);
    expect(sentOf(bench)).toEqual(['bob: fine']);
    expect(bench.home.linesOf().at(-1)?.message?.model).toBe('cheap');
    expect(bench.home.entryOf()).toMatchObject({ lastTo: 'ada', model: 'cheap' });
  });

  test('nothing is sent with the target none, or where the session must not send', async () => {
    const silent = await makeBench({ every: '30m', target: 'none' });
    await silent.beat([{ text: 'Fire!' }]);
    expect(sentOf(silent)).toEqual([]);
    expect(silent.home.entryOf().lastHeartbeatText).toBeUndefined();
    const denied = await makeBench(undefined, {
      session: { sendPolicy: { rules: [{ action: 'deny', match: { channel: 'memory' } }] } },
    });
    await denied.beat([{ text: 'Fire!' }]);
    expect(denied.chat.shown).toEqual([]);
    expect(denied.home.entryOf().lastHeartbeatText).toBeUndefined();
  });

  test('what its tools say goes where an alert would go', async () => {
    const bench = await makeBench();
    await bench.beat([{ tool: 'message', args: { text: 'The disk is full.' } }, { text: 'HEARTBEAT_OK' }]);
    expect(sentOf(bench)).toEqual(['ada: The disk is full.']);
    await bench.beat([{ tool: 'sessions_spawn', args: { task: 'clean up' } }, { text: 'HEARTBEAT_OK' }]);
    expect(sentOf(bench).slice(1)).toEqual(['ada: Hello from echo.']);
  });

  test('its tools have no chat with the target none', async () => {
    const bench = await makeBench({ every: '30m', target: 'none' });
    await bench.beat([
      { tool: 'message', args: { text: 'The disk is full.' } },
      { tool: 'sessions_spawn', args: { task: 'clean up' } },
      { text: 'HEARTBEAT_OK' },
    ]);
    expect(sentOf(bench)).toEqual([]);
    const [sent, spawned] = bench.home.saidIn().filter((line) => line.startsWith('toolResult: '));
    expect(sent).toBe(
      'toolResult: This heartbeat has no chat to send to. To send somewhere, name channel and to. Open are: memory.',
    );
    // There is no place for a later result, so it was waited for.
    expect(spawned).toContain('"result": "Hello from echo."');
  });

  test('does not keep a session fresh', async () => {
    const bench = await makeBench(undefined, { session: { reset: { mode: 'idle', idleMinutes: 45 } } });
    const { sessionId } = bench.home.entryOf();
    await bench.beat();
    await bench.beat();
    expect(bench.home.entryOf().sessionId).toBe(sessionId);
    await bench.chat.write('ada', 'are you there?');
    await bench.bot.idle();
    expect(bench.home.entryOf().sessionId).not.toBe(sessionId);
  });

  test('a failure is told to the owner and not to the person', async () => {
    const bench = await makeBench();
    await bench.beat([{ fail: 'No key', failure: 'unauthorised' }]);
    expect(sentOf(bench)).toEqual([]);
    expect(bench.home.notices).toEqual([
      { about: 'trouble', message: 'A heartbeat of the agent main failed: No key' },
    ]);
  });

  test('the change of the model is told with the next answer to a person', async () => {
    const model = { primary: 'script/first', fallbacks: ['script/second'] };
    const bench = await makeBench(undefined, { agents: { defaults: { model } } });
    const state = await openState(bench.home.stateDir);
    const now = bench.clock.now();
    await state.cooldowns.change('script/first', () => ({
      failure: 'overloaded',
      failures: 1,
      since: now,
      until: now + 60 * MINUTE,
    }));
    await state.close();
    await bench.beat([{ text: 'The disk is full.' }]);
    expect(sentOf(bench)).toEqual(['ada: The disk is full.']);
    await bench.chat.write('ada', 'hello again');
    await bench.bot.idle();
    expect(sentOf(bench).at(-1)).toBe(
      'ada: Hello from second.\n\n↪️ script/first is overloaded. script/second answers instead.',
    );
  });

  test('an alert that was in the outbox when its process died is not sent again', async () => {
    const bench = await makeBench();
    await bench.beat([{ text: 'The disk is full.' }]);
    await bench.bot.close();
    // As if the process had died right after the outbox had the alert.
    bench.home.changeEntry(MAIN, { lastHeartbeatText: undefined, lastHeartbeatSentAt: undefined });
    const path = join(bench.home.stateDir, 'openbot-inbox.sqlite');
    const db = new (loadSqlite().DatabaseSync)(path);
    db.exec("UPDATE inbox SET state = 'running', reason = NULL WHERE channel = 'heartbeat'");
    db.close();
    await bench.restart();
    await bench.bot.idle();
    expect(bench.home.entryOf()).toMatchObject({ lastHeartbeatText: 'The disk is full.' });
    await bench.beat();
    expect(bench.agent.beats).toHaveLength(2);
    expect(sentOf(bench)).toEqual(['ada: The disk is full.']);
  });

  test('two bots on one folder make one', async () => {
    const bench = await makeBench();
    const { home, clock, config, play } = bench;
    const other: Bot = await home.open({
      config,
      clock,
      now: () => clock.now(),
      play,
      channels: [new Chat({ accountId: 'second' }).channel],
    });
    bench.others.push(other);
    await bench.beat([{ text: 'The disk is full.' }]);
    // Nearly to the end of the interval.
    for (let minutes = 0; minutes < 20; minutes++) await bench.pass();
    expect(bench.agent.beats).toHaveLength(1);
    expect(sentOf(bench)).toEqual(['ada: The disk is full.']);
    expect(home.turnsOf(MAIN)).toHaveLength(2);
  });
});

test('what a clock asks is not taken for the words of a person', () => {
  // `occ list` leaves a message out that begins so: packages/sessions/test/transcript/first-words.test.ts
  expect(HEARTBEAT_PROMPT).toMatch(/^Heartbeat\. Work through HEARTBEAT\.md .*HEARTBEAT_OK/);
});

test('there are none without a setting, and none in a process that serves no channel', async () => {
  const home = new BotHome();
  const clock = new ManualClock(START);
  const now = () => clock.now();
  const chat = new Chat();
  const without = await home.open({ clock, now, channels: [chat.channel] });
  await clock.advance(48 * 60 * MINUTE);
  await without.close();
  const config = { agents: { defaults: { heartbeat: { every: '30m' } } } };
  const command = await home.open({ clock, now, config });
  await clock.advance(48 * 60 * MINUTE);
  await command.close();
  expect(home.entriesOf()).toEqual({});
});
