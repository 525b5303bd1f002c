/** Starts a program and Claude Code without a descriptor, and with one. Prints what each says. */
import { withoutDescriptors } from '../../../../test/setup/without-descriptors.ts';
import { ClaudeProcess } from '../../src/processes/claude-process.ts';
import { runCommand } from '../../src/project-status/run-command.ts';

const run = () =>
  runCommand({ program: '/bin/sh', args: ['-c', 'exit 7'], cwd: '/', env: {}, timeoutMs: 60_000 });
const claude = async () => {
  try {
    const { child } = new ClaudeProcess({
      ...{ command: '/bin/sh', args: ['-c', 'exit 7'], cwd: '/', env: {}, mark: 'none' },
    });
    return new Promise((resolve) => child.once('exit', resolve));
  } catch (error) {
    return (error as Error).message;
  }
};
const start = async () => [await run(), await claude()];
console.log(JSON.stringify([await withoutDescriptors(start), await start()]));
