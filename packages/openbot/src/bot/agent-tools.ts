import type { Outlet } from '../channels/contract.ts';
import { CodingDesk } from '../coding-runs/coding-desk.ts';
import { makeCodingTools } from '../coding-runs/coding-tools.ts';
import { resolveAgentSettings } from '../config/agents.ts';
import type { Sender } from '../delivery/sender.ts';
import type { IndexDatabase } from '../index-db/index-database.ts';
import { resolveIndexPath } from '../index-db/index-path.ts';
import type { Dispatcher } from '../queue/dispatcher.ts';
import { canonicalRef, type SessionRef } from '../session-address.ts';
import { makeSessionTools } from '../session-tools/make-session-tools.ts';
import type { SessionToolParts } from '../session-tools/parts.ts';
import { RelayDesk } from '../session-tools/relay-desk.ts';
import type { BotState } from '../state/open-state.ts';
import type { Tool, ToolSession } from '../tools/contract.ts';
import type { TurnTools } from '../turn/turn-tools.ts';
import type { BotOptions } from './contract.ts';
import { findReadableEntry } from './find-entry.ts';
import { keepsIndex } from './keeps-index.ts';
import { isProcessGone, nameProcess } from './process-name.ts';

/** What the tools of conversations share, and the accounts that bring their messages. */
export interface AgentTools {
  readonly relays: RelayDesk;
  readonly coding: CodingDesk;
  readonly accounts: readonly Outlet[];
  toolsOf(session: ToolSession): readonly Tool[];
}

/** @param late parts of the bot that need these tools themselves */
export function openAgentTools(
  options: BotOptions,
  state: BotState,
  late: {
    now(): number;
    channels: SessionToolParts['channels'];
    dispatcher(): Dispatcher;
    sender(): Sender;
    findRunner: TurnTools['findRunner'];
    onTrouble(error: unknown, sessionKey?: string): void;
  },
): AgentTools {
  const { config, stateDir, env } = options;
  const { now, onTrouble, channels } = late;
  const wakeSender = () => late.sender().wake();
  const relays = new RelayDesk({
    ...state,
    now,
    canonical: (session) => canonicalRef(config.session, session),
    chatTypeOf: async (session: SessionRef) => (await findReadableEntry(state, config, session))?.chatType,
    wakeSession: ({ sessionKey, agentId }) => late.dispatcher().wake(sessionKey, agentId),
    lendPlace: (agentId) => late.dispatcher().lendPlace(agentId),
  });
  const coding = new CodingDesk({
    ...state,
    config,
    stateDir,
    env,
    owner: nameProcess(),
    isGone: isProcessGone,
    now,
    wakeSender,
    onTrouble,
  });
  const hasModel: SessionToolParts['hasModel'] = async ({ runner }, { provider, model }) =>
    (await late.findRunner(provider, runner))?.describeModel(provider, model) !== undefined;
  const index = {
    path: resolveIndexPath(stateDir, env),
    catchUp: async (database: IndexDatabase) => {
      const { catchUpState } = await import('../index-writing/catch-up-state.ts');
      await catchUpState(database, stateDir, env);
    },
  };
  const parts = {
    state,
    config,
    stateDir,
    channels,
    relays,
    now,
    wakeSender,
    hasModel,
    onTrouble,
    index: keepsIndex(options) ? index : undefined,
  };
  const codingParts = { desk: coding, outbox: state.outbox, config, env, now };
  return {
    relays,
    coding,
    accounts: [relays.openAccount(), coding.openAccount()],
    toolsOf: (session) => {
      const agent = resolveAgentSettings({ config, agentId: session.agentId, stateDir, env });
      return [...makeSessionTools(parts, session, agent), ...makeCodingTools(codingParts, session, agent)];
    },
  };
}
