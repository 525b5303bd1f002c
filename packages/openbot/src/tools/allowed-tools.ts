import type { SessionEntry } from '@openbot/sessions';
import type { ResolvedAgent } from '../config/agents.ts';
import type { Tool } from './contract.ts';

/**
 * Names of the tools that a session may use, in OpenClaw's words for what it may execute. There is no shell yet, so they decide on
 * the tools that change something; all sessions may read.
 *
 * - `execSecurity`: `full` (also when absent) allows all; `allowlist` those that the agent's `tools` name; `deny`, and
 *   every value that is not known, none.
 * - `execAsk`: `always` would ask a person before each use and `on-miss` before one that is not on the list. A run cannot
 *   ask yet, so what would be asked is refused. `off`, also when absent, asks nothing.
 */
export function allowedTools(
  tools: readonly Tool[],
  entry: Pick<SessionEntry, 'execSecurity' | 'execAsk'>,
  settings: Pick<ResolvedAgent, 'tools'>,
): string[] {
  const mayChange = mayChangeBy(entry, settings.tools);
  return tools.flatMap(({ name, changes }) =>
    (settings.tools?.includes(name) ?? true) && (!changes || mayChange(name)) ? [name] : [],
  );
}

function mayChangeBy(
  { execSecurity = 'full', execAsk = 'off' }: Pick<SessionEntry, 'execSecurity' | 'execAsk'>,
  listed: readonly string[] | undefined,
): (name: string) => boolean {
  const isListed = (name: string) => listed?.includes(name) ?? false;
  if (execSecurity !== 'full' && execSecurity !== 'allowlist') return () => false;
  if (execAsk === 'off') return execSecurity === 'full' ? () => true : isListed;
  return execAsk === 'on-miss' ? isListed : () => false;
}
