import { join } from 'node:path';
import { inject } from 'vitest';

const fault = inject('openbotBundleFault');
if (fault !== null) throw new Error(`The bundle of openbot could not be made. ${fault}`);

/** What Node runs the command by: its own file, which loads the bundle that was made before the tests. */
export const COMMAND: readonly string[] = [join(import.meta.dirname, '..', '..', 'bin', 'openbot.js')];
