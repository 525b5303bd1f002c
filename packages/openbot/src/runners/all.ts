import type { Environment } from '@openbot/sessions/layout';
import type { BotConfig } from '../config/bot-config.ts';
import type { Runner } from './contract.ts';

export interface RunnerSettings {
  readonly stateDir: string;
  readonly config: BotConfig;
  readonly env: Environment;
}

/** Loaded when a session first uses one: most processes need one of them, or none. */
const RUNNERS: Readonly<Record<string, (settings: RunnerSettings) => Promise<Runner>>> = {
  script: async ({ stateDir }) => (await import('./script/runner.ts')).openScriptRunner(stateDir),
  claude: openClaude,
  'claude-cli': openClaude,
};

async function openClaude(settings: RunnerSettings): Promise<Runner> {
  return (await import('./claude/runner.ts')).openClaudeRunner(settings);
}

/** Whatever has no runner of its own is pi's, which knows most providers. */
const loadOther = async (settings: RunnerSettings) => (await import('./pi/runner.ts')).openPiRunner(settings);

export async function loadRunner(provider: string, settings: RunnerSettings): Promise<Runner | undefined> {
  return (Object.hasOwn(RUNNERS, provider) ? RUNNERS[provider]! : loadOther)(settings);
}

/** Each of them once. */
export function loadRunners(settings: RunnerSettings): Promise<readonly Runner[]> {
  return Promise.all([...new Set(Object.values(RUNNERS)), loadOther].map((load) => load(settings)));
}
