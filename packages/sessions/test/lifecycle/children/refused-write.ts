/**
 * Run as a process of its own that may only write small files: tries to fork and to shorten a session. Prints the codes
 * of the errors. Arguments: store path, session key.
 */
import { compactSession } from '../../../src/lifecycle/compact/compact-session.ts';
import { forkSessionFromParent } from '../../../src/lifecycle/fork/fork-session.ts';
import { resolveSession } from '../../../src/lifecycle/resolve-session.ts';

const [storePath, sessionKey] = process.argv.slice(2) as [string, string];
const { entry } = await resolveSession({ storePath, sessionKey });
const codes: string[] = [];
for (const attempt of [
  () => forkSessionFromParent({ parentEntry: entry, storePath }),
  () => compactSession({ storePath, sessionKey, maxLines: 200 }),
]) {
  await attempt().catch((error) => codes.push(error.code));
}
console.log(codes.join(' '));
