/** Starts a program without a descriptor, and with one. Prints the code of the failure and the exit code. */
import { once } from 'node:events';
import { withoutDescriptors } from '../../../../../test/setup/without-descriptors.ts';
import { startChild } from '../../../src/disk/start-child.ts';

const start = () => startChild('/bin/sh', ['-c', 'exit 7'], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
const failure = await withoutDescriptors(() => start().catch((error: NodeJS.ErrnoException) => error.code));
const [exitCode] = await once(await start(), 'exit');
console.log(failure, exitCode);
