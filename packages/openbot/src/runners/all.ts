import type { Environment } from '@openbot/sessions/layout';
import type { BotConfig } from '../config/bot-config.ts';
import { chooseRunnerName, type RunnerName } from '../runner-kinds.ts';
import type { Runner } from './contract.ts';
import { hasPiProvider } from './pi/load-pi.ts';

export interface RunnerSettings {
  readonly stateDir: string;
  readonly config: BotConfig;
  readonly env: Environment;
}

/** Loaded when a session first uses one: most processes need one of them, or none. */
const RUNNERS: Readonly<Record<RunnerName, (settings: RunnerSettings) => Promise<Runner>>> = {
  script: async ({ stateDir }) => (await import('./script/runner.ts')).openScriptRunner(stateDir),
  claude: async (settings) => (await import('./claude/runner.ts')).openClaudeRunner(settings),
  pi: async (settings) => (await import('./pi/runner.ts')).openPiRunner(settings),
};

/** @param wanted the runner that the agent names */
export function loadRunner(provider: string, settings: RunnerSettings, wanted?: RunnerName): Promise<Runner> {
  return RUNNERS[chooseRunnerName(provider, wanted)](settings);
}

/** Whether a runner may have models of the provider. Loads none. */
export function isProvider(provider: string, { models }: BotConfig): boolean {
  if (chooseRunnerName(provider) !== 'pi') return true;
  const described = Object.keys(models?.providers ?? {});
  return described.some((name) => name.toLowerCase() === provider) || hasPiProvider(provider);
}

/** Each of them once. */
export function loadRunners(settings: RunnerSettings): Promise<readonly Runner[]> {
  return Promise.all(Object.values(RUNNERS).map((load) => load(settings)));
}
