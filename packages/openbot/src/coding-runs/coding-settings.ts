import { realpathSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { type Environment, resolveUserPath } from '@openbot/sessions/layout';
import type { ResolvedAgent } from '../config/agents.ts';
import type { BotConfig, CodingSettings } from '../config/bot-config.ts';
import { toolFailure } from '../tools/contract.ts';

/** The settings for all agents, with what the agent's own say instead; those of the selection are merged one by one. */
export function resolveCodingSettings(config: BotConfig, agent: ResolvedAgent): CodingSettings {
  const [forAll, forAgent] = [config.claudeCode ?? {}, agent.claudeCode ?? {}];
  return {
    ...forAll,
    ...forAgent,
    sessionSelection: { ...forAll.sessionSelection, ...forAgent.sessionSelection },
  };
}

/** The real path of a repository in which runs may work. Throws for any other folder, also for a link that leads out. */
export function findRepo(wanted: string, { repos = [] }: CodingSettings, env: Environment): string {
  const folders = repos.map((folder) => resolveUserPath(folder, env));
  const allowed = folders.flatMap((folder) => realPathOf(folder) ?? []);
  const named = wanted.trim();
  // A bare name means a folder in one of the allowed ones, or one of these by its own name.
  const paths = [
    resolveUserPath(named, env),
    ...(/^[\w.-]+$/.test(named)
      ? [
          ...folders.filter((folder) => folder.split(sep).at(-1) === named),
          ...folders.map((folder) => join(folder, named)),
        ]
      : []),
  ];
  for (const path of paths) {
    const real = realPathOf(path);
    if (real !== undefined && allowed.some((folder) => isWithin(folder, real))) return real;
  }
  throw toolFailure(
    `${JSON.stringify(named)} is not a folder in which coding runs may work. Allowed are: ${repos.join(', ')}.`,
  );
}

function realPathOf(path: string): string | undefined {
  try {
    const real = realpathSync(path);
    return statSync(real).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !way.startsWith(sep));
}
