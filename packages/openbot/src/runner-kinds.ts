/** The programs that run models, and the providers whose models each can run. `runners/all.ts` loads them. */
const KINDS = {
  script: { own: ['script'], also: [] },
  // `claude-cli` is OpenClaw's name for it.
  claude: { own: ['claude', 'claude-cli'], also: ['anthropic'] },
  // Knows most providers, so it has those that are no other's own.
  pi: { own: undefined, also: [] },
} as const satisfies Record<string, RunnerKind>;

interface RunnerKind {
  /** Their models are run by it where an agent names no runner. */
  readonly own: readonly string[] | undefined;
  /** Whose models it runs for agents that name it. */
  readonly also: readonly string[];
}

export type RunnerName = keyof typeof KINDS;

export const RUNNER_NAMES = Object.keys(KINDS) as readonly RunnerName[] as readonly [
  RunnerName,
  ...RunnerName[],
];

export function canRun(name: RunnerName, provider: string): boolean {
  const { own, also }: RunnerKind = KINDS[name];
  return own === undefined ? findOwner(provider) === undefined : [...own, ...also].includes(provider);
}

/** The one that an agent names, if it can run the models of the provider; else that of the provider. */
export function chooseRunnerName(provider: string, wanted?: RunnerName): RunnerName {
  return wanted !== undefined && canRun(wanted, provider) ? wanted : (findOwner(provider) ?? 'pi');
}

/** `claude, claude-cli, anthropic`; undefined for one that has all others. */
export function describeProviders(name: RunnerName): string | undefined {
  const { own, also }: RunnerKind = KINDS[name];
  return own && [...own, ...also].join(', ');
}

function findOwner(provider: string): RunnerName | undefined {
  return RUNNER_NAMES.find((name) => (KINDS[name] as RunnerKind).own?.includes(provider));
}
