/**
 * Runs the scenarios (all, or those whose names contain one of the words given) against the real OpenClaw of both
 * eras. One line each; exits with 1 where one fails.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { BINDING_MODES, type BindingMode } from '../test/imitations/thinking-binding.ts';
import { type Era, ensureOpenclaw } from './install-openclaw.ts';
import { scenarios } from './scenarios/all.ts';
import { openScene, type Scenario } from './scene.ts';
import { makeStage, type Stage } from './stage.ts';
import { endAllProcesses } from './started-processes.ts';

const SCENARIO_LIMIT_MS = 900_000;
const { values: flags, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { bound: { type: 'string' } },
});
const binding = flags.bound === undefined ? undefined : readMode(flags.bound);
let failed = 0;
let played = 0;
let skipped = 0;
let stage: Stage | undefined;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => void leave(130));
}
for (const era of ['sqlite', 'files'] as const) {
  const chosen = scenarios[era].filter((scenario) => isWanted(era, scenario));
  if (chosen.length === 0) continue;
  const install = await ensureOpenclaw(era).catch((error: unknown) => {
    report(`FAIL OpenClaw of the era ${era} is not installed`, error, []);
    return undefined;
  });
  if (install === undefined) continue;
  stage = await makeStage(era, install, binding !== undefined);
  try {
    for (const scenario of chosen) await play(stage, scenario);
  } finally {
    await stage.close();
    stage = undefined;
  }
}
if (played + failed + skipped === 0) console.log(`No scenario has a name with: ${wanted.join(', ')}`);
process.exitCode = failed > 0 || played + skipped === 0 ? 1 : 0;

function isWanted(era: Era, scenario: Scenario): boolean {
  const name = `${era}: ${scenario.name}`;
  return wanted.length === 0 || wanted.some((word) => name.includes(word));
}

function readMode(text: string): BindingMode {
  const mode = BINDING_MODES.find((one) => one === text);
  if (mode === undefined) throw new Error(`--bound takes one of: ${BINDING_MODES.join(', ')}`);
  return mode;
}

async function play(on: Stage, scenario: Scenario): Promise<void> {
  const name = `${on.install.version} ${scenario.name}`;
  const hindrance = scenario.cannotRun?.(on);
  if (hindrance !== undefined) {
    skipped++;
    console.log(`skip ${name}: ${hindrance}`);
    return;
  }
  played++;
  on.model.setBinding(binding ?? 'enforce');
  const scene = openScene(on, on.isBound ? (scenario.provokesBound ?? scenario.provokes) : scenario.provokes);
  const began = Date.now();
  const limit = new AbortController();
  try {
    await Promise.race([
      scenario.run(scene),
      sleep(SCENARIO_LIMIT_MS, undefined, { signal: limit.signal, ref: false }).then(() => {
        throw new Error(`not done after ${SCENARIO_LIMIT_MS / 1000} s`);
      }),
    ]);
    if (!scenario.isWithoutOpenclaw) scene.checkEnd();
    console.log(`ok   ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  } catch (error) {
    report(`FAIL ${name}`, error, scene.logTail());
    // What still runs of a scenario that failed must not reach into the next one.
    await on.gateway.stop();
  } finally {
    limit.abort();
  }
}

function report(what: string, error: unknown, log: readonly string[]): void {
  failed++;
  const [first, ...rest] = (error instanceof Error ? error.message : String(error)).split('\n');
  console.log(`${what}: ${first}`);
  for (const line of rest) console.log(`       ${line}`);
  for (const line of log) console.log(`       | ${line}`);
}

async function leave(code: number): Promise<never> {
  await endAllProcesses(3000);
  await stage?.home.remove();
  process.exit(code);
}
