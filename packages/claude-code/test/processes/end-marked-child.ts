/** A process that carries a mark itself ends the others that do. Argument: the mark. */
import { spawn } from 'node:child_process';
import { endMarked, findMarked } from '../../src/processes/marked-processes.ts';

const mark = process.argv[2]!;
const other = spawn('tail', ['-f', '/dev/null'], { stdio: 'ignore' });
await new Promise((resolve) => other.once('spawn', resolve));
const found = findMarked(mark).length;
const left = await endMarked(mark);
console.log(`found ${found}, left ${left.length}`);
