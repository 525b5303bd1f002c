import { rmSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import { type Terminal, writeJson } from '@openbot/sessions/command-line';
import { undoAtEnding } from '@openbot/sessions/disk';
import { DEFAULT_PRESET_NAME } from '../clean/presets.ts';
import type { Settings } from '../config/settings.ts';
import { DEMO_STEPS, type DemoStep, formatStep } from '../demo/steps.ts';
import { demoTranscriptPath, writeDemoState } from '../demo/write-state.ts';
import { RestoreError } from '../errors.ts';
import { clone } from './clone.ts';
import type { OccInput } from './command.ts';
import { edit } from './edit.ts';
import type { OUTPUT_FLAGS } from './flags.ts';
import { info } from './info.ts';
import { list } from './list.ts';
import { restore } from './restore.ts';

const COMMANDS = { list, info, edit, restore, clone };

/** Shows the whole flow on a generated session. Its folder is home, state and working folder, and is gone afterwards. */
export async function demo(input: OccInput<typeof OUTPUT_FLAGS>): Promise<void> {
  const folder = await makeDemoFolder();
  const forget = undoAtEnding('folders', () => rmSync(folder, { recursive: true, force: true }));
  try {
    await runDemo(input, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
    forget();
  }
  if (!input.flags.json) {
    input.terminal.write(`Removed ${folder}. Your own sessions were not read or changed.\n`);
  }
}

async function makeDemoFolder(): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), 'occ-demo-'));
  } catch (cause) {
    throw new OpenBotError('UNEXPECTED', `Cannot make a folder in ${tmpdir()}: ${(cause as Error).message}`, {
      hint: 'Name a folder that you may write to: TMPDIR=<folder> occ demo',
      cause,
    });
  }
}

async function runDemo(input: OccInput<typeof OUTPUT_FLAGS>, folder: string): Promise<void> {
  const { terminal, flags } = input;
  const stateDir = join(folder, '.openclaw');
  await writeDemoState(stateDir, Date.now());
  const original = await readFile(demoTranscriptPath(stateDir));
  // Nothing of the person's own surroundings: no state folder, agent, session or configuration.
  const env = { PATH: input.env.PATH, HOME: folder, OCC_STATE_DIRECTORY: stateDir };
  const settings: Settings = {
    defaultPreset: DEFAULT_PRESET_NAME,
    customPresets: {},
    outputFormat: 'human',
    verboseOutput: false,
    keepOriginal: true,
  };

  const runStep = (step: DemoStep, shownOn: Terminal) =>
    COMMANDS[step.command]({
      env,
      cwd: folder,
      settings,
      flags: { ...step.flags, json: flags.json === true, verbose: flags.verbose === true },
      words: step.words,
      commandLine: formatStep(step).split(' '),
      terminal: shownOn,
      isInteractive: false,
      readInput: async () => '',
    });

  if (!flags.json)
    terminal.write(
      `The demo makes an OpenClaw agent with three sessions in ${folder}, shown as ~ below.\n\n`,
    );
  const results: Record<string, unknown> = {};
  for (const step of DEMO_STEPS) {
    if (flags.json) {
      results[step.name] = { command: formatStep(step), result: await captureJson(step, terminal, runStep) };
    } else {
      announce(step, terminal);
      await runStep(step, terminal);
      terminal.write('\n');
    }
    if (step.command === 'restore') await checkRestored(stateDir, original, input);
  }
  if (flags.json) writeJson(terminal, results);
}

function announce(step: DemoStep, terminal: Terminal): void {
  const { dim, bold } = terminal.palette;
  terminal.write(`${dim(`# ${step.why}`)}\n${bold(`$ ${formatStep(step)}`)}\n`);
}

async function captureJson(
  step: DemoStep,
  terminal: Terminal,
  runStep: (step: DemoStep, shownOn: Terminal) => Promise<void>,
): Promise<unknown> {
  let text = '';
  await runStep(step, {
    ...terminal,
    write: (more) => {
      text += more;
    },
  });
  return JSON.parse(text);
}

async function checkRestored(
  stateDir: string,
  original: Buffer,
  { flags, terminal }: OccInput<typeof OUTPUT_FLAGS>,
): Promise<void> {
  if (!original.equals(await readFile(demoTranscriptPath(stateDir)))) {
    throw new RestoreError('The restored session is not what it was before', {
      hint: 'This is a fault in occ or of the disk. Please report it',
    });
  }
  if (!flags.json) terminal.write('(Checked: the session is byte for byte what it was before the edit.)\n\n');
}
