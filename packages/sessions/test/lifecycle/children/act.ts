/**
 * Run as a process of its own: does one thing to the main session `count` times, once `go` comes in.
 * Arguments: store path, what to do (`init`, `new`, `mirror`), name, count. Prints a JSON line for each time.
 */
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { initSessionState } from '../../../src/lifecycle/init/init-session-state.ts';
import { appendAssistantMessageToSessionTranscript } from '../../../src/lifecycle/mirror-delivery.ts';

const [storePath, what, name, count] = process.argv.slice(2) as [string, string, string, string];
const lock = { timeoutMs: 60_000 };
const print = (value: unknown) => writeSync(1, `${JSON.stringify(value)}\n`);
writeSync(1, 'ready\n');
await once(process.stdin, 'data');

for (let n = 0; n < Number(count); n++) {
  if (what === 'mirror') {
    const text = `${name}-${n}`;
    const outcome = await appendAssistantMessageToSessionTranscript({
      storePath,
      sessionKey: 'agent:main:main',
      text,
      lock,
    });
    print({ text, ...outcome });
  } else {
    const ctx = { Body: what === 'new' ? '/new' : 'hi', CommandAuthorized: true };
    const { sessionId, isNewSession, previousSessionEntry } = await initSessionState({
      ctx,
      cfg: { session: { reset: { mode: 'manual' } } },
      storePath,
      lock,
    });
    print({ sessionId, isNewSession, previous: previousSessionEntry?.sessionId });
  }
}
process.exit(0);
