import { OpenBotError } from '@openbot/sessions';
import type { Terminal } from '@openbot/sessions/command-line';
import { formatQuantity, printable, wrapText } from '@openbot/sessions/terminal-text';
import type { CheckResult, Finding } from '../../doctor/contract.ts';

/** A finding, with what became of its fix. */
export type Treated = Finding & { readonly fixed?: boolean; readonly failure?: string };
export type TreatedCheck = CheckResult & { readonly findings: readonly Treated[] };

const isLeft = ({ fixed }: Treated) => fixed !== true;

export function countLeft(checks: readonly TreatedCheck[], severity: Finding['severity']): number {
  return checks.flatMap(({ findings }) => findings).filter((one) => isLeft(one) && one.severity === severity)
    .length;
}

/** As it is printed with `--json`. */
export function toJson(checks: readonly TreatedCheck[]) {
  const problems = countLeft(checks, 'problem');
  return {
    healthy: problems === 0,
    problems,
    warnings: countLeft(checks, 'warning'),
    checks: checks.map(({ name, about, findings }) => ({
      name,
      about,
      findings: findings.map(({ fix, ...rest }) => ({ ...rest, fix: fix?.does })),
    })),
  };
}

/** One line for each check, with what it found below. */
export function formatChecks(
  checks: readonly TreatedCheck[],
  { palette, maxLineWidth }: Pick<Terminal, 'palette' | 'maxLineWidth'>,
  { all }: { readonly all: boolean },
): string {
  const wrap = (text: string, indent: string) =>
    (Number.isFinite(maxLineWidth) ? wrapText(text, Math.max(20, maxLineWidth - indent.length)) : [text]).map(
      (line) => indent + line,
    );
  const lines = checks.flatMap(({ name, findings }) => {
    if (findings.length === 0) return all ? [`${palette.green('✓')} ${name}`] : [];
    const worst = findings.some((one) => isLeft(one) && one.severity === 'problem');
    const mark = worst ? palette.red('✗') : findings.some(isLeft) ? palette.yellow('!') : palette.green('✓');
    return [`${mark} ${name}`, ...findings.flatMap((one) => describe(one, wrap, palette.dim))];
  });
  return lines.map((line) => `${line}\n`).join('');
}

function describe(
  { what, remedy, fix, fixed, failure }: Treated,
  wrap: (text: string, indent: string) => string[],
  dim: (text: string) => string,
): string[] {
  const next =
    failure !== undefined
      ? `Not fixed: ${failure}`
      : fixed
        ? `Fixed: ${fix!.does}`
        : fix === undefined
          ? remedy
          : `--fix: ${fix.does}`;
  return [
    ...wrap(printable(what), '  '),
    ...(next === undefined ? [] : wrap(printable(next), '    ').map((line) => dim(line))),
  ];
}

/** Throws UNHEALTHY where problems are left: the exit code tells scripts. */
export function endWith(checks: readonly TreatedCheck[], hint: string): void {
  const problems = countLeft(checks, 'problem');
  if (problems > 0)
    throw new OpenBotError('UNHEALTHY', `${formatQuantity(problems, 'problem')} found`, { hint });
}
