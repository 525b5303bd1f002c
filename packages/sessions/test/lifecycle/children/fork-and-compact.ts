/**
 * Run as a process of its own: forks a large session, then shortens it. Prints by how many MB the memory of this
 * process grew above what it was before. Arguments: store path, session key.
 */
import { compactSession } from '../../../src/lifecycle/compact/compact-session.ts';
import { forkSessionFromParent } from '../../../src/lifecycle/fork/fork-session.ts';
import { resolveSession } from '../../../src/lifecycle/resolve-session.ts';

const [storePath, sessionKey] = process.argv.slice(2) as [string, string];
const { entry } = await resolveSession({ storePath, sessionKey });
const before = process.resourceUsage().maxRSS;
await forkSessionFromParent({ parentEntry: entry, storePath, newId: () => 'fork' });
await compactSession({ storePath, sessionKey, maxLines: 1000 });
console.log(Math.round((process.resourceUsage().maxRSS - before) / 1024));
