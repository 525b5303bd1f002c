/**
 * Loaded into a real process by `node --import`: counts what it asks of SQLite, and strikes at one such call. What to do
 * stands as JSON in SQLITE_FAULTS; see sqlite-faults.ts.
 */
import { writeFileSync } from 'node:fs';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { isMainThread, Worker } from 'node:worker_threads';

const { at = 0, strike, within = 0, errcode, log } = JSON.parse(process.env.SQLITE_FAULTS ?? '{}');
const calls = [];
let counted = 0;

function die() {
  process.kill(process.pid, 'SIGKILL');
  // The signal is on its way; not one more statement of the program may run.
  for (;;);
}

/** Waits for its word in a thread of its own, so that the call itself is what is struck. */
const word = new Int32Array(new SharedArrayBuffer(4));
if (strike === 'kill-within' && isMainThread) {
  const killer = new Worker(
    `const { workerData: { word, within } } = require('node:worker_threads');
     Atomics.wait(word, 0, 0);
     const end = performance.now() + within;
     while (performance.now() < end);
     process.kill(process.pid, 'SIGKILL');`,
    { eval: true, workerData: { word, within } },
  );
  killer.unref();
  await new Promise((resolve) => killer.once('online', resolve));
}

function wrap(prototype, name, describe) {
  const original = prototype[name];
  prototype[name] = function (...args) {
    counted++;
    if (log !== undefined) calls.push(describe.call(this, args));
    if (strike === undefined || counted !== at) return original.apply(this, args);
    if (strike === 'kill-before') die();
    if (strike === 'kill-within') {
      Atomics.store(word, 0, 1);
      Atomics.notify(word, 0);
    }
    if (strike === 'fail') throw Object.assign(new Error('made by the test'), { errcode });
    const result = original.apply(this, args);
    if (strike === 'kill-after') die();
    return result;
  };
}

wrap(DatabaseSync.prototype, 'exec', ([sql]) => `exec ${sql}`);
for (const name of ['run', 'get', 'all', 'iterate']) {
  wrap(StatementSync.prototype, name, function () {
    return `${name} ${this.sourceSQL.trim().replaceAll(/\s+/g, ' ')}`;
  });
}

if (log !== undefined && isMainThread) process.on('exit', () => writeFileSync(log, JSON.stringify(calls)));
