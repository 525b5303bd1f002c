import { existsSync } from 'node:fs';
import type { StoredEntry } from '@openbot/sessions';
import { makeFolder } from '@openbot/sessions/disk';
import { type ResolvedAgent, resolveAgentSettings } from '../config/agents.ts';
import { indexModels, type ModelIndex } from '../config/models.ts';
import type { InboxMessage } from '../inbox/contract.ts';
import type { TurnWork } from '../queue/contract.ts';
import type { SessionsOfAgent } from '../session-address.ts';
import type { TranscriptRef } from '../transcripts/contract.ts';
import { locateTranscript } from '../transcripts/locate-transcript.ts';
import { withHintedModel } from './commands/hinted-model.ts';
import { isHeartbeat } from './heartbeat/heartbeat-message.ts';
import type { TurnTools, TurnWatcher } from './turn-tools.ts';

/** One turn and what all its steps need. */
export interface Turn {
  readonly tools: TurnTools;
  readonly work: TurnWork;
  readonly watcher: TurnWatcher;
  /** The message that is answered. */
  readonly message: InboxMessage;
  readonly agent: ResolvedAgent;
  readonly models: ModelIndex;
  readonly sessions: SessionsOfAgent & {
    /** What a heartbeat does to an entry does not count as use of the session. */
    readonly isActivity?: false;
  };
  /** ms; the same for all that is written when the turn begins. */
  readonly startedAt: number;
  refOf(entry: Pick<StoredEntry, 'sessionId' | 'sessionFile'>): TranscriptRef;
}

export async function openTurn(tools: TurnTools, work: TurnWork, watcher: TurnWatcher): Promise<Turn> {
  const { agentId, sessionKey } = work;
  const { config, stateDir, env } = tools;
  const message = withHintedModel(tools, work.messages);
  const agent = resolveAgentSettings({ config, agentId, stateDir, env });
  if (!existsSync(agent.workspaceDir)) await makeFolder(agent.workspaceDir);
  const opened = tools.openStore(agentId);
  return {
    tools: { ...tools, findRunner: (provider, wanted = agent.runner) => tools.findRunner(provider, wanted) },
    work,
    watcher,
    message,
    agent,
    models: indexModels(agent),
    sessions: {
      ...opened,
      agentId,
      mainKey: config.session?.mainKey,
      ...(isHeartbeat(message) && { isActivity: false }),
    },
    startedAt: tools.now(),
    refOf: ({ sessionId, sessionFile }) => ({
      agentId,
      sessionKey,
      sessionId,
      sessionFile: locateTranscript(
        { stateDir, agentId, storePath: opened.storePath },
        { sessionId, sessionFile },
      ),
      cwd: agent.workspaceDir,
    }),
  };
}
