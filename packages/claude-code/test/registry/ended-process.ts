import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ownIdentity, type ProcessIdentity } from '@openbot/sessions/disk';

const IDENTITY = new URL('../../../sessions/src/disk/process-identity.ts', import.meta.url).href;

/** The identity of a process of this host that was killed. */
export async function endedProcess(): Promise<ProcessIdentity> {
  const script = `import { ownIdentity } from '${IDENTITY}'; console.log(JSON.stringify(ownIdentity())); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const [text] = (await once(child.stdout, 'data')) as [Buffer];
  child.kill('SIGKILL');
  await ended;
  return { ...ownIdentity(), ...(JSON.parse(text.toString()) as ProcessIdentity) };
}
