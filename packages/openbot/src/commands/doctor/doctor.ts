import { resolve } from 'node:path';
import { resolveStateDir } from '@openbot/sessions';
import type { CommandInput } from '@openbot/sessions/command-line';
import { formatQuantity } from '@openbot/sessions/terminal-text';
import type { CheckResult } from '../../doctor/contract.ts';
import { CHECKS, examine, openExamination } from '../../doctor/examine.ts';
import { confirm } from '../confirm.ts';
import type { DOCTOR_FLAGS } from './flags.ts';
import { formatChecks, report, type Treated, type TreatedCheck } from './report-checks.ts';

/** All checks, and with `--fix` their fixes. */
export async function doctor(input: CommandInput<typeof DOCTOR_FLAGS>): Promise<void> {
  const { flags, env, terminal } = input;
  const stateDir = resolve(resolveStateDir({ flag: flags.stateDir, env }));
  const place = await openExamination({ stateDir, env, cwd: input.cwd, now: Date.now() });
  const found = await examine(place, CHECKS);
  const fixes = found.flatMap(({ findings }) => findings.flatMap(({ fix }) => fix ?? []));
  let checks: readonly TreatedCheck[] = found;
  if (flags.fix && fixes.length > 0) {
    if (!flags.json && !flags.yes)
      terminal.say(formatChecks(found, terminal, { all: false, fixBy: '--fix' }));
    await confirm(input, `Make ${formatQuantity(fixes.length, 'repair')}`);
    const treated: TreatedCheck[] = [];
    for (const check of found) treated.push(await treat(check));
    checks = treated;
  }
  const hint = fixes.length > 0 && !flags.fix ? "'openbot doctor --fix' repairs what it can.\n" : '';
  report(terminal, checks, {
    json: flags.json,
    all: true,
    fixBy: '--fix',
    end: (problems, warnings) =>
      `\n${formatQuantity(problems, 'problem')}, ${formatQuantity(warnings, 'warning')}\n${hint}`,
  });
}

async function treat(check: CheckResult): Promise<TreatedCheck> {
  const findings: Treated[] = [];
  for (const finding of check.findings) {
    try {
      await finding.fix?.apply();
      findings.push(finding.fix === undefined ? finding : { ...finding, fixed: true });
    } catch (error) {
      findings.push({ ...finding, fixed: false, failure: (error as Error).message });
    }
  }
  return { ...check, findings };
}
