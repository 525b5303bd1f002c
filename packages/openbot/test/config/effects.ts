/** The effect of every setting: the test that shows it. `agents.*` is the same in defaults, list and entries. */

/** A test: its file in `packages/`, and its name or a part of it. */
type Effect = readonly [file: string, test: string];

const AGENT_EFFECTS = 'openbot/test/config/agent-effects.test.ts';
const CONVERSATION_EFFECTS = 'openbot/test/config/conversation-effects.test.ts';
const ACCESS = 'openbot/test/bot/access.test.ts';
const FAILOVER = 'openbot/test/bot/failover.test.ts';
const PERMISSIONS = 'openbot/test/bot/permissions.test.ts';
const HEARTBEATS = 'openbot/test/heartbeats/heartbeats.test.ts';
const SPAWN = 'openbot/test/session-tools/spawn.test.ts';
const SESSIONS = 'openbot/test/session-tools/sessions.test.ts';
const FLUSH = 'openbot/test/turn/memory/run-memory-flush.test.ts';
const AGENT_SESSIONS = 'openbot/test/commands/agent-sessions.test.ts';
const OUTAGE = 'openbot/test/bot/outage.test.ts';
const STREAMING = 'openbot/test/bot/streaming.test.ts';
const QUEUE = 'openbot/test/bot/queue-modes.test.ts';
const MIRROR = 'openbot/test/runners/claude/mirror.test.ts';
const RULES = 'openbot/test/coding-runs/rules.test.ts';
const CODING = 'openbot/test/coding-runs/coding-runs.test.ts';
const CLAUDE_RUN = 'claude-code/test/run/claude-run.test.ts';
const RELEVANCE = 'claude-code/test/select/anthropic-model.test.ts';
const PI = 'openbot/test/commands/agent-pi.test.ts';
const GATEWAY = 'openbot/test/commands/gateway.test.ts';
const GATEWAY_PROCESS = 'openbot/test/gateway-process/settings.test.ts';

function shownBy(effect: Effect, ...settings: readonly string[]): Readonly<Record<string, Effect>> {
  return Object.fromEntries(settings.map((setting) => [setting, effect]));
}

export const EFFECTS: Readonly<Record<string, Effect>> = {
  'agents.*.model': ['openbot/test/config/watch-config.test.ts', 'answers by the new settings'],
  'agents.*.model.fallbacks': [FAILOVER, 'to a model of another runner'],
  'agents.*.runner': ['openbot/test/commands/agent-claude.test.ts', 'where the agent names it as its runner'],
  'agents.*.maxConcurrent': [SESSIONS, 'turns that wait for others leave them their place'],
  'agents.*.permissions.allow': [
    'openbot/test/commands/agent-questions.test.ts',
    'a rule of the agent allows it without a question',
  ],
  'agents.*.permissions.deny': [CODING, 'what the agent is denied, its runs are'],
  'agents.*.permissions.ask': [PERMISSIONS, 'ask: always asks also about what a rule allows'],
  'models.providers.<name>.models[].cost.cacheWrite1h': [
    'openbot/test/usage/prices.test.ts',
    'the price of models.providers wins over it',
  ],
  'usage.prices': [
    'openbot/test/usage/prices.test.ts',
    'a table of the person takes the place of the built-in one',
  ],
  'agents.*.mediaMaxMb': ['openbot/test/gateway/media.test.ts', 'attachments of methods and images'],
  'attachments.ttlHours': ['openbot/test/bot/prune.test.ts', 'files of messages are kept for as long'],
  'attachments.allowPrivateNetwork': ['openbot/test/media/outgoing.test.ts', 'files of the web are read'],
  'agents.*.permissions.timeoutSeconds': [PERMISSIONS, 'the limit of time is that of the agent'],
  'agents.*.subagents.maxSpawnDepth': [SPAWN, 'the depth can be set'],
  'agents.*.subagents.maxChildrenPerAgent': [
    SPAWN,
    'a session spawns no more than may work at the same time',
  ],
  'agents.*.heartbeat.activeHours.start': [HEARTBEATS, 'comes within the active hours'],
  'agents.*.heartbeat.activeHours.end': [HEARTBEATS, 'comes within the active hours'],
  'agents.*.heartbeat.activeHours.timezone': [HEARTBEATS, 'comes within the active hours'],
  'agents.*.heartbeat.accountId': [HEARTBEATS, 'a channel, with a recipient of its own'],
  'agents.*.compaction.memoryFlush.inGroups': [FLUSH, 'a group, switched off'],
  'agents.*.compaction.memoryFlush.inReadOnly': [FLUSH, 'read-only, switched on'],
  'agents.*.compaction.memoryFlush.systemPrompt': [FLUSH, 'configured words are used instead'],
  'agents.*.claude.tools': [MIRROR, 'offers none of its own tools unless they are configured'],
  'agents.*.claude.permissionMode': [
    MIRROR,
    'lets rules forbid what Claude Code allows by itself, and asks about nothing else',
  ],
  'messages.queue.holdHours': [OUTAGE, 'what waits for too long fails, and says so'],
  'session.reset.mode': [AGENT_SESSIONS, 'a session that is over begins anew'],
  'session.reset.atHour': [AGENT_SESSIONS, 'a session that is over begins anew'],
  'session.reset.idleMinutes': [AGENT_SESSIONS, 'a session that is over begins anew'],
  'session.idleMinutes': [
    'openbot/test/bot/conversation.test.ts',
    'a session that was idle for too long begins anew',
  ],
  'session.agentToAgent.maxPingPongTurns': [SESSIONS, 'no message is passed on without end'],
  'messages.queue.debounceMs': [QUEUE, 'collect: what arrived during a run is answered together'],
  'tools.exec.host': [
    'openbot/test/tools/allowed-tools.test.ts',
    'the configuration alone decides which tools are listed',
  ],
  'tools.exec.ask': [PERMISSIONS, 'exec asks about a command that is not in its list'],
  'tools.sessions.visibility': [SESSIONS, 'whatever the setting'],
  'claudeCode.repos': [RULES, 'without repositories there is no tool, and others are refused'],
  'claudeCode.sessionSelection.relevanceTimeoutMs': [RELEVANCE, 'is not waited for longer than it may take'],
  'claudeCode.maxBudgetUsd': [CLAUDE_RUN, 'whose budget counts over all its runs'],
  'claudeCode.permissionMode': [CLAUDE_RUN, 'a mode of permissions reach Claude Code'],
  'claudeCode.idleMinutes': [CODING, 'messages reach the person, and what no rule allows is asked'],
  'models.providers.<name>.api': ['openbot/test/config/watch-config.test.ts', 'answers by the new settings'],
  'models.providers.<name>.dropStaleThinking': [
    'openbot/test/runners/pi/bound-thinking.test.ts',
    'is not asked to where the configuration says so',
  ],
  'models.providers.<name>.baseUrl': [PI, 'answers, uses tools, and remembers in the next process'],
  'gateway.bind': [GATEWAY_PROCESS, 'tailnet is the address of Tailscale'],
  'gateway.customBindHost': [GATEWAY_PROCESS, 'custom needs customBindHost'],
  'gateway.http.channels.maxBytes': [
    'openbot/test/gateway/webhooks.test.ts',
    'a body that is too large is not read to its end',
  ],
  'gateway.trustedProxies': [
    'openbot/test/gateway/webhooks.test.ts',
    'who sends wrong signatures is not heard for a while',
  ],
  'gateway.graceSeconds': [GATEWAY, 'a run that does not end within graceSeconds is recorded'],
  ...shownBy(
    [GATEWAY, 'starts, is the only one, has its settings, and stops'],
    'gateway.port',
    'gateway.auth.token',
    'gateway.auth.agentTokens',
    'gateway.allowedHosts',
    'gateway.controlUi.root',
    'gateway.controlUi.allowedOrigins',
    'gateway.http.endpoints.chatCompletions.enabled',
    'gateway.http.endpoints.responses.enabled',
    'gateway.metrics.enabled',
  ),
  ...shownBy(
    [AGENT_EFFECTS, 'reach the request to the model'],
    'agents.*.id',
    'agents.*.default',
    'agents.*.name',
    'agents.*.workspace',
    'agents.*.model.primary',
    'agents.*.models.<name>.alias',
    'agents.*.systemPrompt',
    'agents.*.userTimezone',
    'agents.*.skills',
    'agents.*.tools.allow',
    'agents.*.thinkingDefault',
    'session.mainKey',
    'skills.load.extraDirs',
    'skills.allowBundled',
    'models.providers.<name>.apiKey',
    'models.providers.<name>.headers',
    'models.providers.<name>.models[].id',
    'models.providers.<name>.models[].api',
    'models.providers.<name>.models[].baseUrl',
    'models.providers.<name>.models[].contextWindow',
    'models.providers.<name>.models[].maxTokens',
    'models.providers.<name>.models[].reasoning',
    'models.providers.<name>.models[].input',
    'models.providers.<name>.models[].cost.input',
    'models.providers.<name>.models[].cost.output',
    'models.providers.<name>.models[].cost.cacheRead',
    'models.providers.<name>.models[].cost.cacheWrite',
    'models.providers.<name>.models[].headers',
  ),
  ...shownBy(
    [AGENT_EFFECTS, 'choose tools and what is shown'],
    'agents.*.tools',
    'agents.*.reasoningDefault',
    'agents.*.verboseDefault',
    'agents.*.models.<name>.contextWindow',
    'messages.responsePrefix',
  ),
  ...shownBy([AGENT_EFFECTS, 'limit a run'], 'agents.*.timeoutSeconds', 'agents.*.contextTokens'),
  ...shownBy(
    [AGENT_EFFECTS, 'limit a task of a spawned session'],
    'agents.*.subagents.runTimeoutSeconds',
    'agents.*.subagents.model',
    'agents.*.subagents.thinking',
  ),
  ...shownBy(
    [AGENT_EFFECTS, 'say when memories are saved, also of one agent'],
    'agents.*.compaction.reserveTokensFloor',
    'agents.*.compaction.memoryFlush.enabled',
    'agents.*.compaction.memoryFlush.softThresholdTokens',
    'agents.*.compaction.memoryFlush.prompt',
  ),
  ...shownBy(
    [AGENT_EFFECTS, 'allow commands, and give them variables'],
    'tools.exec.security',
    'tools.exec.allowlist',
    'tools.exec.passEnv',
    'tools.exec.timeoutSec',
  ),
  ...shownBy(
    [CONVERSATION_EFFECTS, 'decide who answers, and in which session'],
    'bindings[].agentId',
    'bindings[].match.channel',
    'bindings[].match.accountId',
    'bindings[].match.peer.kind',
    'bindings[].match.peer.id',
    'bindings[].match.group',
    'bindings[].match.guildId',
    'bindings[].match.teamId',
    'bindings[].match.roles',
    'session.dmScope',
    'session.identityLinks',
    'session.resetTriggers',
    'channels.<name>.allowFrom',
  ),
  ...shownBy(
    ['openbot/test/agent-host/channel-keeper.test.ts', 'opens the enabled accounts'],
    'channels.<name>.enabled',
    'channels.<name>.accounts.<name>.enabled',
  ),
  ...shownBy(
    [STREAMING, 'partial: a draft grows'],
    'channels.<name>.streaming',
    'channels.<name>.accounts.<name>.streaming',
  ),
  ...shownBy(
    [STREAMING, 'the forms of OpenClaw are read'],
    'channels.<name>.streaming.mode',
    'channels.<name>.accounts.<name>.streaming.mode',
  ),
  ...shownBy(
    [STREAMING, 'the scope says which messages get the reaction'],
    'channels.<name>.ackReaction',
    'channels.<name>.accounts.<name>.ackReaction',
  ),
  ...shownBy(
    [STREAMING, 'signs: activity while it writes, a reaction that goes'],
    'messages.ackReaction',
    'messages.ackReactionScope',
    'messages.removeAckAfterReply',
  ),
  ...shownBy(
    ['openbot/test/gateway-methods/channel-status.test.ts', 'tells a dead channel from a running one'],
    'channels.<name>.name',
    'channels.<name>.accounts.<name>.name',
  ),
  ...shownBy(
    [CONVERSATION_EFFECTS, 'of a channel and of its accounts decide what is answered, and how'],
    'channels.<name>.groups.<name>.requireMention',
    'channels.<name>.replyToMode',
    'channels.<name>.accounts.<name>.allowFrom',
    'channels.<name>.accounts.<name>.groups.<name>.requireMention',
    'channels.<name>.accounts.<name>.replyToMode',
    'messages.groupChat.mentionPatterns',
    'messages.groupChat.historyLimit',
    'messages.queue.byChannel',
    'messages.queue.debounceMsByChannel',
  ),
  ...shownBy(
    [ACCESS, 'settings of who may talk hold for a channel and for its accounts'],
    ...['channels.<name>', 'channels.<name>.accounts.<name>'].flatMap((place) => [
      `${place}.dmPolicy`,
      `${place}.groupPolicy`,
      `${place}.groupAllowFrom`,
      ...['enabled', 'groupPolicy', 'allowFrom'].map((name) => `${place}.groups.<name>.${name}`),
      ...['enabled', 'requireMention', 'groupPolicy', 'allowFrom'].map(
        (name) => `${place}.groups.<name>.topics.<name>.${name}`,
      ),
    ]),
  ),
  ...shownBy(
    [ACCESS, 'a person who writes too fast is told once, and owners are not limited'],
    'channels.<name>.rateLimit',
    'channels.<name>.accounts.<name>.rateLimit',
  ),
  'commands.ownerAllowFrom': [ACCESS, 'commands for owners are theirs alone'],
  ...shownBy(
    [CONVERSATION_EFFECTS, 'of the queue, of runs and of the store hold'],
    'agents.maxConcurrentRuns',
    'messages.queue.mode',
    'messages.queue.cap',
    'messages.queue.drop',
    'session.scope',
    'session.store',
  ),
  ...shownBy(
    [CONVERSATION_EFFECTS, 'make heartbeats of a bot that stays open'],
    'agents.*.heartbeat.every',
    'agents.*.heartbeat.prompt',
    'agents.*.heartbeat.target',
    'agents.*.heartbeat.to',
    'agents.*.heartbeat.model',
    'agents.*.heartbeat.ackMaxChars',
  ),
  ...shownBy(
    [CONVERSATION_EFFECTS, 'decide which replies are sent'],
    'session.sendPolicy.default',
    'session.sendPolicy.rules[].action',
    'session.sendPolicy.rules[].match.channel',
    'session.sendPolicy.rules[].match.chatType',
    'session.sendPolicy.rules[].match.keyPrefix',
    'session.sendPolicy.rules[].match.rawKeyPrefix',
  ),
  ...shownBy(
    ['openbot/test/search/fed-index.test.ts', 'an index that is turned off stays away'],
    'index.enabled',
  ),
  ...shownBy(
    ['openbot/test/memory-search/embedding-settings.test.ts', 'index.embedding'],
    'index.embedding.baseUrl',
    'index.embedding.model',
    'index.embedding.apiKey',
    'index.embedding.dimensions',
  ),
  ...shownBy(
    [CONVERSATION_EFFECTS, 'give threads a session, or not'],
    'session.threads.enabled',
    'session.threads.inheritParent',
  ),
  ...shownBy(
    ['openbot/test/coding-runs/settings.test.ts', 'the model that rates sessions'],
    'claudeCode.sessionSelection.relevanceModel',
    'claudeCode.sessionSelection.relevanceMaxTokens',
    'claudeCode.sessionSelection.resumeThreshold',
    'claudeCode.sessionSelection.enabled',
    'claudeCode.progressMinutes',
    'claudeCode.model',
    'claudeCode.allowedTools',
    'claudeCode.isolated',
  ),
};
