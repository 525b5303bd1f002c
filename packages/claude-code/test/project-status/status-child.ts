/** Gathers a status. Arguments: the folder, and what to do when SIGTERM comes: `exit`, `go-on`, or nothing. */
import { gatherProjectStatus } from '../../src/project-status/gather-project-status.ts';

const [folder, onTerm] = process.argv.slice(2) as [string, string?];
if (onTerm === 'exit') process.once('SIGTERM', () => process.exit(7));
if (onTerm === 'go-on') process.once('SIGTERM', () => console.log('heard'));
const status = await gatherProjectStatus(folder, {
  discover: false,
  gitTimeoutMs: 60_000,
  ghTimeoutMs: 60_000,
});
console.log(JSON.stringify(status.github));
