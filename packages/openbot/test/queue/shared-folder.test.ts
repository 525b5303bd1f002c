import { expect, test } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { MemoryChannel } from '../../src/channels/memory/memory-channel.ts';
import { MemoryNetwork } from '../../src/channels/memory/memory-network.ts';
import { Sender } from '../../src/delivery/sender.ts';
import { openSqliteInbox } from '../../src/inbox/sqlite/sqlite-inbox.ts';
import { openSqliteOutbox } from '../../src/outbox/sqlite/sqlite-outbox.ts';
import { Dispatcher } from '../../src/queue/dispatcher.ts';
import { openFileRunLock } from '../../src/run-lock/files/file-run-lock.ts';
import { openDatabaseHere } from '../database/open-here.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { arrival, SETTINGS } from './messages.ts';

/** All that one process has open on a state folder. Its turns put one reply for each message into the outbox. */
async function openProcess(stateDir: string, network: MemoryNetwork) {
  const database = await openDatabaseHere(stateDir);
  const inbox = openSqliteInbox(database);
  const outbox = openSqliteOutbox(database);
  const runLock = openFileRunLock(stateDir);
  const sender = new Sender({ outbox, channels: [new MemoryChannel({ network })] });
  const dispatcher = new Dispatcher({
    inbox,
    runLock,
    settingsOf: () => ({ ...SETTINGS, mode: 'followup', debounceMs: 0, cap: 1000 }),
    runTurn: async ({ begun, messages, turnId, sessionKey, agentId }) => {
      await begun;
      const replies = messages.map(({ identity }, at) => ({
        key: `${turnId}:${at}`,
        agentId,
        sessionKey,
        turnId,
        target: { channel: 'memory', accountId: 'default', to: identity.conversationId },
        payload: { text: `to ${identity.messageId}` },
        createdAt: Date.now(),
      }));
      await outbox.put(replies);
      return { end: 'answered' };
    },
  });
  sender.wake();
  afterTest(async () => {
    await dispatcher.stop({ abort: true });
    await sender.stop({ withinMs: 0 });
    await runLock.close();
  });
  return { inbox, outbox, dispatcher, sender };
}

test('two processes on one state folder answer each message once, in order', async () => {
  const stateDir = makeTempFolder();
  const network = new MemoryNetwork();
  const processes = [await openProcess(stateDir, network), await openProcess(stateDir, network)];
  const wanted: string[] = [];
  for (let n = 1; n <= 15; n++) {
    for (const person of ['ada', 'bob', 'eve']) {
      const { inbox, dispatcher } = processes[n % 2]!;
      const sessionKey = `agent:main:memory:dm:${person}`;
      const id = `${person}-${n}`;
      wanted.push(`to ${id}`);
      await inbox.accept(arrival({ id, sessionKey, conversation: person, receivedAt: Date.now() }));
      dispatcher.wake(sessionKey, 'main');
    }
  }
  for (const { dispatcher } of processes) await dispatcher.idle();
  for (const { sender } of processes) expect(await sender.drain(Number.POSITIVE_INFINITY)).toBe(true);

  expect(await processes[0]!.inbox.counts()).toMatchObject({
    answered: 45,
    received: 0,
    queued: 0,
    running: 0,
  });
  const texts = network.shown.map(({ payload }) => payload.text);
  expect(texts.toSorted()).toEqual(wanted.toSorted());
  for (const person of ['ada', 'bob', 'eve']) {
    const isTheirs = (text = '') => text.startsWith(`to ${person}-`);
    expect(texts.filter(isTheirs)).toEqual(wanted.filter(isTheirs));
  }
});
