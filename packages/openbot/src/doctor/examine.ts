import { OpenBotError, reportProgress } from '@openbot/sessions';
import type { Environment } from '@openbot/sessions/layout';
import { loadBotConfig } from '../config/load-config.ts';
import { isOpenclaws } from '../index-db/index-path.ts';
import { openSessionFolder } from '../kept-sessions/open-session-folder.ts';
import { agents, channels, configuration, models, workspaces } from './checks/configuration.ts';
import { fileModes, stateFolder } from './checks/folder.ts';
import { gateway } from './checks/gateway.ts';
import { leftovers, scheduledEdits, staleLocks } from './checks/leavings.ts';
import { diskSpace, node } from './checks/machine.ts';
import { database, deadLetters, index, stuckMessages } from './checks/messages.ts';
import { pairing } from './checks/people.ts';
import { senders } from './checks/senders.ts';
import { headers, lostTranscripts, orphans, stores, tornLines } from './checks/sessions.ts';
import { thinking } from './checks/thinking.ts';
import type { Check, CheckResult, Finding, Place } from './contract.ts';

/** In the order in which they are shown. */
export const CHECKS: readonly Check[] = [
  node,
  diskSpace,
  stateFolder,
  configuration,
  agents,
  workspaces,
  models,
  channels,
  pairing,
  senders,
  // Before fixes that write beside them: a writer removes what it finds of others.
  leftovers,
  staleLocks,
  stores,
  lostTranscripts,
  orphans,
  headers,
  tornLines,
  thinking,
  scheduledEdits,
  database,
  deadLetters,
  stuckMessages,
  index,
  gateway,
  fileModes,
];

export async function openExamination(where: {
  readonly stateDir: string;
  readonly env: Environment;
  readonly cwd: string;
  readonly now: number;
}): Promise<Place> {
  const { stateDir, env } = where;
  return {
    ...where,
    config: (await loadBotConfig(stateDir, env).catch(() => undefined))?.config,
    folder: await openSessionFolder(stateDir, where).catch(() => undefined),
  };
}

/**
 * A check that fails itself is a problem, and does not keep the others from looking. In OpenClaw's own folder there are
 * no fixes: nothing of another program is changed.
 */
export async function examine(place: Place, checks: readonly Check[]): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  const offer = isOpenclaws(place.stateDir, place.env) ? withoutFix : (finding: Finding) => finding;
  for (const { name, about, needs, look } of checks) {
    // Without it there is nothing to look at, and another check says why it is missing.
    if (needs !== undefined && place[needs] === undefined) continue;
    reportProgress({ step: 'scan', text: `Looking at: ${about}` });
    try {
      results.push({ name, about, findings: (await look(place)).map(offer) });
    } catch (error) {
      results.push({ name, about, findings: describeFault(error as Error) });
    }
  }
  reportProgress({ step: undefined });
  return results;
}

function withoutFix({ fix, ...finding }: Finding): Finding {
  return fix === undefined
    ? finding
    : { ...finding, remedy: "The folder is OpenClaw's, and openbot changes nothing in it: openclaw doctor" };
}

/** A configuration has all its faults in one error, a line for each. */
function describeFault(error: Error): Finding[] {
  const remedy = error instanceof OpenBotError ? error.hint : undefined;
  const lines = error.message.split('\n');
  return lines.map((what, at) => ({
    severity: 'problem',
    what,
    ...(at === lines.length - 1 ? { remedy } : {}),
  }));
}
