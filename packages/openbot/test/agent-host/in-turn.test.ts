import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { InTurn, untilDisconnected } from '../../src/agent-host/in-turn.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

test('what follows from one is done before the next', async () => {
  const done: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const calls = new InTurn<string>((name) => {
    done.push(name);
    // As a caller does that awaits an answer, through some layers.
    void Promise.resolve()
      .then(() => {})
      .then(() => {})
      .then(() => done.push(`after ${name}`))
      .then(() => name === 'c' && resolve());
  });
  for (const name of ['a', 'b', 'c']) calls.add(name);
  expect(done).toEqual([]);
  await promise;
  expect(done).toEqual(['a', 'after a', 'b', 'after b', 'c', 'after c']);
});

test('the last words of a process are heard before its end', async () => {
  const program = join(makeTempFolder(), 'talks.cjs');
  writeFileSync(
    program,
    `const sent = Array.from({ length: 200 }, (_, n) =>
       new Promise((resolve) => process.send({ n, text: 'x'.repeat(2000) }, resolve)));
     Promise.all(sent).then(() => process.disconnect());`,
  );
  const heard: number[] = [];
  const child = fork(program, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const messages = new InTurn<{ n: number }>(({ n }) => heard.push(n));
  child.on('message', (message) => messages.add(message as { n: number }));
  await once(child, 'exit');
  await untilDisconnected(child);
  messages.finish();
  expect(heard).toEqual(Array.from({ length: 200 }, (_, n) => n));
});
