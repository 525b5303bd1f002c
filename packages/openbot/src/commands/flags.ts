/** Flags that mean the same in every command which has them. */
import { declareFlags } from '@openbot/sessions/command-line';

export const STATE_DIR = declareFlags({
  stateDir: {
    kind: 'path',
    value: 'path',
    example: '~/.openbot',
    help: 'State folder. Default: OPENBOT_STATE_DIR, or ~/.openbot',
  },
});

export const JSON_OUTPUT = declareFlags({ json: { kind: 'boolean', help: 'Print JSON' } });

export const LOCAL = declareFlags({
  local: { kind: 'boolean', help: 'Do it in this process, also where a gateway runs' },
});

export const AGENT = declareFlags({
  agent: {
    kind: 'text',
    value: 'id',
    example: 'main',
    complete: 'agent',
    help: 'Agent. Default: CLAWDBOT_AGENT_ID, OPENCLAW_AGENT_ID or main',
  },
});

export const LIMIT = declareFlags({
  limit: {
    kind: 'number',
    whole: true,
    least: 1,
    short: 'n',
    value: 'count',
    example: '20',
    help: 'Show at most this many',
  },
});

export const CHANNEL = declareFlags({
  channel: { kind: 'text', value: 'name', example: 'telegram', complete: 'channel', help: 'Chat network' },
});

export const SOURCE = declareFlags({
  source: {
    kind: 'choice',
    choices: ['openclaw', 'pi', 'claude', 'all'],
    value: 'name',
    example: 'claude',
    help: 'Sessions of another program: openclaw, pi, claude, or all. Default: those of the state folder',
  },
});
