import { FaultsFound, type Terminal, writeJson } from '@openbot/sessions/command-line';
import { printable } from '@openbot/sessions/terminal-text';
import type { CheckResult, Finding } from '../../doctor/contract.ts';

/** A finding, with what became of its fix. */
export type Treated = Finding & { readonly fixed?: boolean; readonly failure?: string };
export type TreatedCheck = CheckResult & { readonly findings: readonly Treated[] };

const isLeft = ({ fixed }: Treated) => fixed !== true;

function countLeft(checks: readonly TreatedCheck[], severity: Finding['severity']): number {
  return checks.flatMap(({ findings }) => findings).filter((one) => isLeft(one) && one.severity === severity)
    .length;
}

/** As it is printed with `--json`. */
function toJson(checks: readonly TreatedCheck[]) {
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

/**
 * One line for each check, with what it found below.
 * @param fixBy what repairs it: `--fix`
 */
export function formatChecks(
  checks: readonly TreatedCheck[],
  { palette }: Pick<Terminal, 'palette'>,
  { all, fixBy }: { readonly all: boolean; readonly fixBy: string },
): string {
  const lines = checks.flatMap(({ name, findings }) => {
    if (findings.length === 0) return all ? [`${palette.green('✓')} ${name}`] : [];
    const worst = findings.some((one) => isLeft(one) && one.severity === 'problem');
    const mark = worst ? palette.red('✗') : findings.some(isLeft) ? palette.yellow('!') : palette.green('✓');
    return [`${mark} ${name}`, ...findings.flatMap((one) => describe(one, fixBy, palette.dim))];
  });
  return lines.map((line) => `${line}\n`).join('');
}

function describe(
  { what, remedy, fix, fixed, failure }: Treated,
  fixBy: string,
  dim: (text: string) => string,
): string[] {
  const next =
    failure !== undefined
      ? `Not fixed: ${failure}`
      : fixed
        ? `Fixed: ${fix!.does}`
        : fix === undefined
          ? remedy
          : `${fixBy}: ${fix.does}`;
  return [`  ${printable(what)}`, ...(next === undefined ? [] : [`    ${dim(printable(next))}`])];
}

/** Prints the result as JSON, or the report and its last lines. Throws FaultsFound where problems are left. */
export function report(
  terminal: Terminal,
  checks: readonly TreatedCheck[],
  { json, all, fixBy, more, end }: ReportOptions,
): void {
  const problems = countLeft(checks, 'problem');
  if (json) writeJson(terminal, { ...toJson(checks), ...more });
  else
    terminal.say(
      formatChecks(checks, terminal, { all, fixBy }) + end(problems, countLeft(checks, 'warning')),
    );
  if (problems > 0) throw new FaultsFound();
}

interface ReportOptions {
  readonly json: boolean | undefined;
  /** Also the checks that found nothing. */
  readonly all: boolean;
  readonly fixBy: string;
  /** Further fields of the JSON. */
  readonly more?: object;
  end(problems: number, warnings: number): string;
}
