/** Discovers again and again and prints each answer as a line. Arguments: repository, state folder, how often. */
import { discoverSessions } from '../../src/discover/discover-sessions.ts';

const [repo, stateDir, times] = process.argv.slice(2) as [string, string, string];
for (let i = 0; i < Number(times); i++) {
  const sessions = await discoverSessions(repo, { stateDir });
  console.log(JSON.stringify(sessions.map(({ sessionId, lineCount }) => [sessionId, lineCount]).sort()));
}
