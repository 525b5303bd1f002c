import { resolve } from 'node:path';
import { resolveStateDir } from '@openbot/sessions';
import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { formatQuantity } from '@openbot/sessions/terminal-text';
import type { CheckResult } from '../../doctor/contract.ts';
import { CHECKS, examine, openExamination } from '../../doctor/examine.ts';
import { confirm } from '../confirm.ts';
import type { DOCTOR_FLAGS } from './flags.ts';
import {
  countLeft,
  endWith,
  formatChecks,
  type Treated,
  type TreatedCheck,
  toJson,
} from './report-checks.ts';

/** All checks, and with `--fix` their fixes. */
export async function doctor(input: CommandInput<typeof DOCTOR_FLAGS>): Promise<void> {
  const { flags, env, terminal } = input;
  const stateDir = resolve(resolveStateDir({ flag: flags.stateDir, env }));
  const place = await openExamination({ stateDir, env, cwd: input.cwd, now: Date.now() });
  const found = await examine(place, CHECKS);
  const fixes = found.flatMap(({ findings }) => findings.flatMap(({ fix }) => fix ?? []));
  let checks: readonly TreatedCheck[] = found;
  if (flags.fix && fixes.length > 0) {
    if (!flags.json && !flags.yes) terminal.write(formatChecks(found, terminal, { all: false }));
    await confirm(input, `Make ${formatQuantity(fixes.length, 'repair')}`);
    const treated: TreatedCheck[] = [];
    for (const check of found) treated.push(await treat(check));
    checks = treated;
  }
  if (flags.json) writeJson(terminal, toJson(checks));
  else {
    terminal.write(formatChecks(checks, terminal, { all: true }));
    const left = [countLeft(checks, 'problem'), countLeft(checks, 'warning')] as const;
    terminal.write(`\n${formatQuantity(left[0], 'problem')}, ${formatQuantity(left[1], 'warning')}\n`);
  }
  const isFixable = found.some(({ findings }) =>
    findings.some(({ severity, fix }) => severity === 'problem' && fix !== undefined),
  );
  endWith(
    checks,
    isFixable && !flags.fix ? "'openbot doctor --fix' repairs what it can" : 'Do what the report says',
  );
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
