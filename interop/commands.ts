/** Commands of OpenClaw, occ and openbot, run to their end in the home of one OpenClaw. */
import { resolve } from 'node:path';
import type { OpenclawInstall } from './install-openclaw.ts';
import type { OpenclawHome } from './openclaw-home.ts';
import { type CommandResult, runCommand } from './started-processes.ts';

export interface CommandOptions {
  /** On top of the home's; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
}

/** The fields that scenarios look at. */
export interface OccAnswer {
  readonly success?: boolean;
  readonly changed?: boolean;
  readonly scheduled?: boolean;
  readonly [field: string]: unknown;
}

/** What `occ … --json` printed; throws with its error where it fails. */
export async function runOcc(
  home: OpenclawHome,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<OccAnswer> {
  const { code, stdout, stderr } = await runCommand('occ', [...args, '--json'], startOptions(home, options));
  if (code !== 0) throw new Error(`occ ${args.join(' ')}: ${stderr.trim() || `exit code ${code}`}`);
  return JSON.parse(stdout) as OccAnswer;
}

/** The fields that scenarios look at. */
export type OpenbotAnswer = Readonly<Record<string, unknown>>;

export const OPENBOT = resolve(import.meta.dirname, '../packages/openbot/bin/openbot.js');

/** What `openbot … --json` printed; throws with its error where it fails. */
export async function runOpenbot(home: OpenclawHome, args: readonly string[]): Promise<OpenbotAnswer> {
  const command = [OPENBOT, ...args, '--json'];
  const { code, stdout, stderr } = await runCommand(process.execPath, command, startOptions(home, {}));
  if (code !== 0) throw new Error(`openbot ${args.join(' ')}: ${stderr.trim() || `exit code ${code}`}`);
  return JSON.parse(stdout) as OpenbotAnswer;
}

/** What a command of OpenClaw printed, without colours; throws where it fails. */
export async function runOpenclaw(
  install: OpenclawInstall,
  home: OpenclawHome,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<string> {
  const command = [install.program, ...args];
  const result = await runCommand(process.execPath, command, startOptions(home, options));
  const { code, stdout, stderr } = plain(result);
  if (code !== 0)
    throw new Error(
      `openclaw ${args[0]}: exit code ${code}: ${(stderr.trim() || stdout.trim()).slice(-500)}`,
    );
  return stdout;
}

/** The JSON object in what a command printed: OpenClaw may say other things before it. */
export function parsePrinted(stdout: string): unknown {
  return JSON.parse(stdout.slice(stdout.indexOf('{')));
}

function startOptions(home: OpenclawHome, { env = {}, input }: CommandOptions) {
  const whole = Object.entries({ ...home.env, ...env }).filter(([, value]) => value !== undefined);
  return {
    cwd: home.workspace,
    env: Object.fromEntries(whole) as Record<string, string>,
    ...(input !== undefined && { input }),
  };
}

function plain(result: CommandResult): CommandResult {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they begin what sets a colour.
  return { ...result, stdout: result.stdout.replaceAll(/\x1b\[[0-9;]*m/g, '') };
}
