import { declareFlags } from '@openbot/sessions/command-line';
import { THINKING_LEVELS } from '../../config/bot-config.ts';
import { AGENT, CHANNEL, JSON_OUTPUT, LOCAL, STATE_DIR } from '../flags.ts';

export const AGENT_FLAGS = declareFlags({
  message: {
    kind: 'text',
    short: 'm',
    value: 'text',
    example: '"hello"',
    help: 'The message; - reads it from standard input',
  },
  messageFile: {
    kind: 'path',
    value: 'path',
    example: './task.md',
    help: 'Read the message from a file, at most 4 MiB of UTF-8',
  },
  agent: {
    ...AGENT.agent,
    help: 'Agent; wins over bindings. Default: CLAWDBOT_AGENT_ID, OPENCLAW_AGENT_ID, or that of the configuration',
  },
  to: {
    kind: 'text',
    short: 't',
    value: 'id',
    example: '+15550123',
    help: 'Talk in the session that a direct message from there would go to: +15550123, telegram:42',
  },
  sessionId: { kind: 'text', value: 'id', complete: 'session', help: 'Talk in the session with this id' },
  sessionKey: {
    kind: 'text',
    value: 'key',
    example: 'agent:main:main',
    complete: 'session',
    help: 'Talk in the session with this key; a key without an agent belongs to --agent',
  },
  model: {
    kind: 'text',
    value: 'name',
    example: 'provider/model',
    complete: 'model',
    help: 'Model for this run: provider/model, a model, or an alias',
  },
  thinking: {
    kind: 'choice',
    choices: THINKING_LEVELS,
    value: 'level',
    example: 'low',
    help: `How much the model thinks, kept for the session: ${THINKING_LEVELS.join(', ')}`,
  },
  verbose: {
    kind: 'choice',
    choices: ['on', 'off', 'full'],
    value: 'on|off',
    example: 'on',
    help: 'Whether replies of the session mention tool calls; kept for the session',
  },
  timeout: {
    kind: 'seconds',
    least: 1,
    // Timers of Node are not longer.
    most: 2_000_000,
    value: 'seconds',
    example: '600',
    help: 'Abort the run after this time. Default: the configured one, or 600',
  },
  deliver: { kind: 'boolean', help: 'Send the reply to a channel too' },
  channel: {
    ...CHANNEL.channel,
    help: 'Channel of --to, and of --deliver. Default for --deliver: last, that of the last message of the session',
  },
  replyTo: { kind: 'text', value: 'id', help: 'With --deliver: who gets the reply' },
  replyChannel: {
    ...CHANNEL.channel,
    help: 'With --deliver: the channel, where it is not that of --to',
  },
  replyAccount: { kind: 'text', value: 'id', help: 'With --deliver: which of your accounts sends it' },
  local: { ...LOCAL.local, help: 'Run the agent in this process, also where a gateway runs' },
  ...STATE_DIR,
  ...JSON_OUTPUT,
});
