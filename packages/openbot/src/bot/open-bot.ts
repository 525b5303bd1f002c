import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { resolveQueueSettings } from '@openbot/sessions/policy';
import { openGatekeeper } from '../access/gatekeeper.ts';
import type { CommandWords } from '../chat-commands/parse-words.ts';
import { systemClock } from '../clock.ts';
import { CODING_CHANNEL } from '../coding-runs/contract.ts';
import { resolveDefaultAgentId, resolveMaxConcurrent } from '../config/agents.ts';
import { Sender } from '../delivery/sender.ts';
import { feedIndex, type IndexFeed } from '../index-writing/feed.ts';
import type { ReplyPayload } from '../outbox/reply-payload.ts';
import { ConversationDesk } from '../questions/conversation-desk.ts';
import type { TurnFailure } from '../queue/contract.ts';
import { Dispatcher } from '../queue/dispatcher.ts';
import { reachesAccount } from '../routing/resolve-route.ts';
import { chooseRunnerName } from '../runner-kinds.ts';
import { isProvider, loadRunner } from '../runners/all.ts';
import type { Runner } from '../runners/contract.ts';
import { addressOf } from '../session-address.ts';
import { readQueueHint } from '../session-settings/queue-setting.ts';
import { tellUnsentFile } from '../session-tools/message.ts';
import { type BotState, openState } from '../state/open-state.ts';
import { LOCAL_CHANNEL, SESSIONS_CHANNEL } from '../turn/deliver.ts';
import { tellFailure } from '../turn/recovery/give-up.ts';
import { buildErrorPayload } from '../turn/reply/error-payload.ts';
import { watchSkills } from '../turn/skills/watch-skills.ts';
import type { TurnTools } from '../turn/turn-tools.ts';
import { openAgentTools } from './agent-tools.ts';
import { BotChannels } from './bot-channels.ts';
import type { BotParts } from './bot-parts.ts';
import { hostOf, withdraw } from './channel-host.ts';
import { keepMenu } from './command-menu.ts';
import { type Bot, type BotOptions, REFUSED } from './contract.ts';
import { FailingSteps } from './failing-steps.ts';
import { findReadableEntry } from './find-entry.ts';
import { HEARTBEAT_SINK, keepHeartbeats } from './heartbeat.ts';
import { keepsIndex } from './keeps-index.ts';
import { giveUpRepliesTo, openLocalAccount } from './local-account.ts';
import { mayRetry } from './may-retry.ts';
import { type MessageReader, makeMessageReader } from './message-reader.ts';
import { compileMentions, describeTrouble, warn } from './notices.ts';
import { observeFailure, runWatched } from './observed-turns.ts';
import { followOutages, patienceOf, tellOutage } from './outages.ts';
import { OWN_CHANNELS } from './own-channels.ts';
import { findAsker } from './permission-questions.ts';
import { isProcessGone, nameProcess } from './process-name.ts';
import { readWish } from './read-wish.ts';
import { say } from './say.ts';
import { listAccountSteps, nameOutboxStep, nameReplyStep, nameTurnStep } from './step-names.ts';

export async function openBot(options: BotOptions): Promise<Bot> {
  const { stateDir, config, env } = options;
  const staysOpen = hasChannels(options);
  const state = options.state ?? (await openState(stateDir, { store: config.session?.store, env }));
  const index = startIndex(options, state);
  const { observer } = options;
  const stopObserving = observer && state.transcripts.onUpdate((ref) => observer.onAppended(ref));
  const parts = assemble(options, state);
  const { dispatcher, sender, channels } = parts;
  const openChannel: Bot['openChannel'] = async (channel, hide) => {
    await channel.start(hostOf(parts, channel, hide));
    channels.add(channel, sender, hide);
    keepMenu(channel, {
      channels,
      onTrouble: (message) =>
        (options.report ?? warn)({ about: 'trouble', message: hide?.(message) ?? message }),
    });
  };
  const now = options.now ?? Date.now;
  await state.outbox.release(isProcessGone);
  await giveUpRepliesTo(LOCAL_CHANNEL, state.outbox, {
    now: now(),
    error: 'The command that asked ended before it had the answer. The transcript has it.',
  });
  for (const channel of options.channels ?? []) await openChannel(channel);
  const heartbeats = staysOpen ? await keepHeartbeats(parts, options) : undefined;
  // A command answers its own message; what others left in other sessions is for a process that stays.
  if (staysOpen) {
    await giveUpRepliesTo(CODING_CHANNEL, state.outbox, { now: now(), error: 'Its process has ended' });
    await parts.agentTools.coding.tellLost();
    await dispatcher.recover();
  }
  sender.wake();
  return {
    say: (request) => say(parts, request),
    addSystemEvent: (sessionKey, text, agentId = resolveDefaultAgentId(config)) =>
      state.inbox.addEvent(addressOf({ agentId, sessionKey }), { text, at: now() }),
    idle: async () => {
      do {
        await dispatcher.idle();
        // What one session sends to another begins a turn.
        await sender.drain(Number.POSITIVE_INFINITY);
      } while (!dispatcher.isIdle);
    },
    wishOf: (session, request) => readWish(parts, request, session),
    abort: async (session, how) => dispatcher.abort(addressOf(session)) || dispatcher.withdraw(session, how),
    withdraw: (identity) => withdraw(parts, identity),
    get isIdle() {
      return dispatcher.isIdle && !parts.agentTools.coding.isBusy;
    },
    get waits() {
      return dispatcher.waits;
    },
    get failingSteps() {
      return parts.steps.list();
    },
    wakeSender: () => sender.wake(),
    openChannel,
    closeChannel: async (channel) => {
      try {
        await channels.remove(channel, sender, CLOSE_MS);
      } finally {
        for (const step of listAccountSteps(channel)) parts.steps.worked(step);
      }
    },
    get channels() {
      return channels.list();
    },
    close: async ({ graceMs = 0 } = {}) => {
      parts.forgetConfig();
      await heartbeats?.stop();
      if (graceMs > 0) await Promise.race([dispatcher.stop(), sleep(graceMs, undefined, { ref: false })]);
      // A turn may wait for its coding run.
      await Promise.all([dispatcher.stop({ abort: true }), parts.agentTools.coding.close()]);
      const deadline = systemClock.now() + CLOSE_MS;
      if (graceMs > 0) await sender.drain(deadline);
      await sender.stop({ withinMs: Math.max(0, deadline - systemClock.now()) });
      // Last: they carry the replies of the turns that have just ended. What arrives meanwhile waits in the inbox.
      await Promise.all(channels.open.map((channel) => channel.stop()));
      stopObserving?.();
      parts.tools.skillWatch?.close();
      await index?.close();
      await state.close();
    },
  };
}

/** A bot without channels is one of a command, which answers its own message alone. */
function hasChannels({ channels = [] }: BotOptions): boolean {
  return channels.length > 0;
}

function startIndex(options: BotOptions, state: BotState): IndexFeed | undefined {
  const { stateDir, env, report = warn } = options;
  if (!keepsIndex(options)) return undefined;
  return feedIndex({
    stateDir,
    env,
    transcripts: state.transcripts,
    storePathOf: state.storePathOf,
    report: (message, cause) => report({ about: 'trouble', message, cause }),
    catchesUp: hasChannels(options),
  });
}

/** How long a send may hold up the end of the process. */
const CLOSE_MS = 5000;

/**
 * Turns that were begun and never came to a run. Far more than runs: a process that dies soon after its start has begun
 * the turns of all sessions, and only one of them is to blame.
 */
const MAX_TRIES = 100;

function assemble(options: BotOptions, state: BotState): BotParts {
  const { config, stateDir, env, observer } = options;
  const staysOpen = hasChannels(options);
  const channels = new BotChannels();
  const now = options.now ?? Date.now;
  const local = openLocalAccount();
  const report = options.report ?? warn;
  const onTrouble = (error: unknown, sessionKey?: string) => report(describeTrouble(error, sessionKey));
  const steps = new FailingSteps(now);
  const watchers: BotParts['watchers'] = new Map();
  const runners = new Map<string, Promise<Runner | undefined>>();
  const findRunner: TurnTools['findRunner'] = (provider, wanted) => {
    const own = options.runners?.[provider];
    if (own !== undefined) return Promise.resolve(own);
    const name = chooseRunnerName(provider, wanted);
    // A runner reads its providers when it is opened.
    const known = runners.get(name);
    if (known !== undefined) return known;
    const runner = loadRunner(provider, { stateDir, config, env }, wanted);
    runners.set(name, runner);
    return runner;
  };
  const agentTools = openAgentTools(options, state, {
    now,
    onTrouble,
    findRunner,
    channels: channels.open,
    dispatcher: () => dispatcher,
    sender: () => sender,
  });
  const onDead: BotParts['onDead'] = ({ target, key }, error) =>
    report({
      about: 'dead letter',
      message: `The reply ${key} to ${target.channel} was given up: ${error}`,
    });
  const sender = new Sender({
    outbox: state.outbox,
    channels: [local, ...agentTools.accounts, ...(staysOpen ? [HEARTBEAT_SINK] : [])],
    owner: nameProcess(),
    onTrouble: (error, outlet, step) => {
      steps.failed('outbox', nameOutboxStep(outlet, step), error);
      onTrouble(error);
    },
    onWorked: (outlet, step) => steps.worked(nameOutboxStep(outlet, step)),
    onRetry: ({ target }, error) => steps.failed('send', nameReplyStep(target), error),
    onSent: (message, fault) => {
      const { target } = message;
      steps.worked(nameReplyStep(target));
      channels.noteOutbound({ ...target, name: target.channel }, now());
      if (fault !== undefined)
        tellUnsentFile(state, message, { fault, at: now() }).catch((error: unknown) => onTrouble(error));
    },
    onDead,
  });
  const desk = new ConversationDesk({ outbox: state.outbox, now, onPut: () => sender.wake() });
  const gate = openGatekeeper({
    config,
    stateDir,
    ...state,
    now,
    onPut: () => sender.wake(),
    report: (message) => report({ about: 'trouble', message }),
  });
  let mentions = compileMentions(config, report);
  let reader = makeMessageReader(options, mentions);
  let { models } = config;
  const forgetConfig = options.onConfigChange?.(() => {
    mentions = compileMentions(config, report);
    reader = makeMessageReader(options, mentions);
    if (!isDeepStrictEqual(models, config.models)) runners.clear();
    models = config.models;
  });
  const read: MessageReader = Object.assign((message: Parameters<MessageReader>[0]) => reader(message), {
    stripInside: (...given: Parameters<MessageReader['stripInside']>) => reader.stripInside(...given),
    readAfterReset: (...given: Parameters<MessageReader['readAfterReset']>) =>
      reader.readAfterReset(...given),
  });
  const tools: TurnTools = {
    inbox: state.inbox,
    outbox: state.outbox,
    transcripts: state.transcripts,
    cooldowns: state.cooldowns,
    openStore: (agentId) => ({ store: state.storeOf(agentId), storePath: state.storePathOf(agentId) }),
    findRunner,
    isProvider: (provider) => Object.hasOwn(options.runners ?? {}, provider) || isProvider(provider, config),
    sessionTools: agentTools.toolsOf,
    askerOf: (place) => findAsker({ config, channels: channels.open, desk }, place),
    clock: options.clock ?? systemClock,
    config,
    stateDir,
    env,
    now,
    get mentions() {
      return mentions;
    },
    kindOf: (message) => message.kind ?? read(message).kind,
    wordsOf: (message) => read(message).words,
    stripInside: read.stripInside,
    readAfterReset: read.readAfterReset,
    patienceOf: (message) => patienceOf(config, message),
    runLock: state.runLock,
    summarizeChannels: (agentId) =>
      channels.open
        .filter(({ name, accountId }) => reachesAccount(config, agentId, { channel: name, accountId }))
        .flatMap((channel) => channel.summary?.() ?? []),
    skillWatch: staysOpen ? watchSkills() : undefined,
  };
  const followOutage = followOutages((message) => report({ about: 'trouble', message }));
  const dispatcher: Dispatcher = new Dispatcher({
    inbox: state.inbox,
    runLock: state.runLock,
    settingsOf: async (session, channel) => {
      const sessionEntry = await findReadableEntry(state, config, session);
      const settings = resolveQueueSettings({ cfg: config, channel, sessionEntry });
      // Another session of the agent waits its turn: it neither interrupts a person nor joins a run.
      return channel === SESSIONS_CHANNEL ? { ...settings, mode: 'followup', debounceMs: 0 } : settings;
    },
    runTurn: (work) =>
      followOutage(() =>
        runWatched(
          {
            tools,
            watchers,
            sender,
            channels,
            report,
            observer,
            findEntry: (session) => findReadableEntry(state, config, session),
          },
          work,
        ),
      ),
    get maxConcurrentRuns() {
      return config.agents?.maxConcurrentRuns;
    },
    maxConcurrentOf: (agentId) => resolveMaxConcurrent(config, agentId),
    isPatient: (message) => tools.patienceOf(message) > 0,
    onOutage: async (hold) => {
      await tellOutage(tools, hold);
      sender.wake();
    },
    outagePauses: options.outagePauses,
    onFailed: async (failure) => {
      const told = await tellFailure(tools, failure, payloadOf(failure));
      sender.wake();
      return () => observeFailure(observer, failure, told);
    },
    mayRetry: (error, sessionKey, messages) =>
      mayRetry({ state, watchers, local, hasChannels: staysOpen }, { error, sessionKey, messages }),
    kindOf: tools.kindOf,
    refusalOf: (message) =>
      OWN_CHANNELS.has(message.identity.channel) || !read(message).isRefused ? undefined : REFUSED,
    hintOf: (message) =>
      message.wish?.queueMode === undefined
        ? hintOfQueue(tools.wordsOf(message))
        : { mode: message.wish.queueMode },
    isWanted: (waiting) =>
      staysOpen || waiting.some(({ seq }) => watchers.has(seq) || agentTools.relays.isAwaited(seq)),
    onTrouble: (error, lane) => {
      steps.failed(lane === undefined ? 'inbox' : 'turn', nameTurnStep(lane), error);
      onTrouble(error, lane?.sessionKey);
    },
    onWorked: (lane) => steps.worked(nameTurnStep(lane)),
    onDropped: (messages, reason) => {
      observer?.onDropped(messages, reason);
      const what = messages.length === 1 ? '1 message' : `${messages.length} messages`;
      const get = messages.length === 1 ? 'gets' : 'get';
      const message = `${what} of ${messages[0]?.sessionKey} ${get} no answer: ${reason}`;
      report({ about: 'dropped', message });
    },
    maxTries: MAX_TRIES,
    sweepMs: staysOpen ? 30_000 : undefined,
  });
  const forget = () => forgetConfig?.();
  return {
    options,
    state,
    tools,
    agentTools,
    dispatcher,
    sender,
    desk,
    channels,
    gate,
    local,
    watchers,
    read,
    steps,
    onDead,
    forgetConfig: forget,
  };
}

function payloadOf({ outage }: TurnFailure): ReplyPayload {
  if (outage === undefined) return buildErrorPayload({ kind: 'gave-up' });
  return buildErrorPayload({ kind: 'no-wait', summary: outage.summary });
}

function hintOfQueue(words: CommandWords): ReturnType<typeof readQueueHint> {
  const hint = words.is === 'inside' && words.settings.findLast(({ name }) => name === 'queue');
  return hint ? readQueueHint(hint.value) : {};
}
