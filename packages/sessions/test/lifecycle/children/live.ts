/**
 * Run as a process of its own until it is killed: talks in the main session, resets it, shortens it, deletes it.
 * Arguments: store path, name. Prints `<text>` once it is said.
 */
import { writeSync } from 'node:fs';
import { compactSession } from '../../../src/lifecycle/compact/compact-session.ts';
import { initSessionState } from '../../../src/lifecycle/init/init-session-state.ts';
import { appendAssistantMessageToSessionTranscript } from '../../../src/lifecycle/mirror-delivery.ts';
import { deleteSession } from '../../../src/lifecycle/remove/delete-session.ts';

const [storePath, name] = process.argv.slice(2) as [string, string];
const sessionKey = 'agent:main:main';
const cfg = { session: { reset: { mode: 'manual' as const } } };

for (let n = 0; ; n++) {
  const Body = n % 4 === 0 ? '/new' : 'hi';
  await initSessionState({ ctx: { Body, CommandAuthorized: true }, cfg, storePath });
  for (const part of ['a', 'b', 'c']) {
    const text = `${name}-${n}${part}`;
    const outcome = await appendAssistantMessageToSessionTranscript({ storePath, sessionKey, text });
    if (!outcome.ok) throw new Error(outcome.reason);
    writeSync(1, `${text}\n`);
  }
  if (n % 2 === 0) await compactSession({ storePath, sessionKey, maxLines: 1 });
  if (n % 3 === 0) await deleteSession({ storePath, sessionKey });
}
