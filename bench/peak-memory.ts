import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Peak memory of a process that does the given work with what is published, in bytes. */
export async function peakMemoryOf(script: string): Promise<number> {
  // On Linux maxRSS begins with what the process had that started this one; VmHWM is its own.
  const report = `
    const { readFileSync } = process.getBuiltinModule('node:fs');
    const own = process.platform === 'linux' ? /VmHWM:\\s*(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8')) : null;
    process.stdout.write(String(Number(own?.[1] ?? process.resourceUsage().maxRSS) * 1024));`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--eval',
    `${script}\n${report}`,
  ]);
  return Number(stdout);
}
