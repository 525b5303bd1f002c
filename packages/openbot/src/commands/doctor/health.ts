import { resolve } from 'node:path';
import { resolveStateDir } from '@openbot/sessions';
import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { formatQuantity } from '@openbot/sessions/terminal-text';
import { CHECKS, examine, openExamination } from '../../doctor/examine.ts';
import type { HEALTH_FLAGS } from './flags.ts';
import { countLeft, endWith, formatChecks, toJson } from './report-checks.ts';

/** The quick checks, as a yes or a no. */
export async function health(input: CommandInput<typeof HEALTH_FLAGS>): Promise<void> {
  const { flags, env, terminal } = input;
  const stateDir = resolve(resolveStateDir({ flag: flags.stateDir, env }));
  const place = await openExamination({ stateDir, env, cwd: input.cwd, now: Date.now() });
  const checks = await examine(
    place,
    CHECKS.filter(({ isQuick }) => isQuick),
  );
  if (flags.json) writeJson(terminal, toJson(checks));
  else {
    const warnings = countLeft(checks, 'warning');
    terminal.write(formatChecks(checks, terminal, { all: false }));
    if (countLeft(checks, 'problem') === 0)
      terminal.write(
        `${terminal.palette.green('✓')} healthy${warnings === 0 ? '' : `, with ${formatQuantity(warnings, 'warning')}`}\n`,
      );
  }
  endWith(checks, "'openbot doctor' looks closer");
}
