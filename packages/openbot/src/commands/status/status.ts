import { resolve } from 'node:path';
import { resolveStateDir } from '@openbot/sessions';
import {
  type CommandInput,
  FaultsFound,
  readPackageVersion,
  writeJson,
} from '@openbot/sessions/command-line';
import { gatherStatus } from '../../state-report/gather-status.ts';
import { probeState } from '../../state-report/probe-state.ts';
import { sumUsage } from '../../state-report/sum-usage.ts';
import type { STATUS_FLAGS } from './flags.ts';
import { formatStatus, hasFault } from './format-status.ts';

const RECENT = 10;
const TIMEOUT_S = 10;

/** Tells what is in the state folder and around it, and changes nothing. */
export async function status(input: CommandInput<typeof STATUS_FLAGS>): Promise<void> {
  const { flags, env, terminal } = input;
  const stateDir = resolve(resolveStateDir({ flag: flags.stateDir, env }));
  const now = Date.now();
  const most = flags.all ? Number.MAX_SAFE_INTEGER : RECENT;
  const report = await gatherStatus({ stateDir, env, cwd: input.cwd, now, most });
  const faults = flags.deep ? await probeState(stateDir, (flags.timeout ?? TIMEOUT_S) * 1000) : [];
  const whole = {
    version: readPackageVersion(import.meta.url),
    ...report,
    ...(flags.usage ? { usage: await sumUsage({ stateDir, env, cwd: input.cwd, now }) } : {}),
    faults: [...report.faults, ...faults],
  };
  if (flags.json) writeJson(terminal, whole);
  else
    terminal.write(
      formatStatus(whole, {
        now,
        env,
        all: flags.all === true,
        palette: terminal.palette,
        columns: terminal.maxLineWidth,
      }),
    );
  if (hasFault(whole, 'configuration')) throw new FaultsFound();
}
