import { resolve } from 'node:path';
import { resolveStateDir } from '@openbot/sessions';
import type { CommandInput } from '@openbot/sessions/command-line';
import { formatQuantity } from '@openbot/sessions/terminal-text';
import { CHECKS, examine, openExamination } from '../../doctor/examine.ts';
import type { HEALTH_FLAGS } from './flags.ts';
import { report } from './report-checks.ts';

/** The quick checks, as a yes or a no. */
export async function health(input: CommandInput<typeof HEALTH_FLAGS>): Promise<void> {
  const { flags, env, terminal } = input;
  const stateDir = resolve(resolveStateDir({ flag: flags.stateDir, env }));
  const place = await openExamination({ stateDir, env, cwd: input.cwd, now: Date.now() });
  const checks = await examine(
    place,
    CHECKS.filter(({ isQuick }) => isQuick),
  );
  const { green, red } = terminal.palette;
  report(terminal, checks, {
    json: flags.json,
    all: false,
    fixBy: 'openbot doctor --fix',
    end: (problems, warnings) =>
      problems > 0
        ? `${red('✗')} ${formatQuantity(problems, 'problem')}; 'openbot doctor' looks closer\n`
        : `${green('✓')} healthy${warnings === 0 ? '' : `, with ${formatQuantity(warnings, 'warning')}`}\n`,
  });
}
