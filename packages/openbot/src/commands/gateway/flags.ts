import { declareFlags } from '@openbot/sessions/command-line';
import { GATEWAY_BINDS } from '../../config/bot-config.ts';
import { JSON_OUTPUT, STATE_DIR } from '../flags.ts';

/** Where it listens, in OpenClaw's words. */
const LISTEN = declareFlags({
  port: {
    kind: 'number',
    whole: true,
    least: 0,
    most: 65_535,
    value: 'port',
    example: '19789',
    help: 'Port. Default: gateway.port, or 19789; 0 takes one that is free',
  },
  bind: {
    kind: 'choice',
    choices: GATEWAY_BINDS,
    value: 'mode',
    example: 'loopback',
    help: 'Who can reach it: loopback (this machine), lan, tailnet, custom (gateway.customBindHost), auto. Default: gateway.bind, or loopback',
  },
  token: {
    kind: 'text',
    value: 'token',
    help: 'Token of full rights; other users of the machine may see it. Default: gateway.auth.token, or secrets/gateway-token',
  },
});

const TIMEOUT = declareFlags({
  timeout: {
    kind: 'seconds',
    least: 1,
    most: 3600,
    value: 'seconds',
    example: '60',
    help: 'How long to wait until it is ready. Default: 60',
  },
});

const FORCE = declareFlags({
  force: {
    kind: 'boolean',
    help: 'Kill it where it does not end in time; what runs goes on with the next start',
  },
});

export const GATEWAY_RUN_FLAGS = declareFlags({ ...LISTEN, ...STATE_DIR });
export const GATEWAY_START_FLAGS = declareFlags({ ...LISTEN, ...TIMEOUT, ...STATE_DIR, ...JSON_OUTPUT });
export const GATEWAY_STOP_FLAGS = declareFlags({ ...FORCE, ...STATE_DIR, ...JSON_OUTPUT });
export const GATEWAY_RESTART_FLAGS = declareFlags({
  ...LISTEN,
  ...TIMEOUT,
  ...FORCE,
  ...STATE_DIR,
  ...JSON_OUTPUT,
});
export const GATEWAY_STATUS_FLAGS = declareFlags({ ...STATE_DIR, ...JSON_OUTPUT });

export const GATEWAY_LOGS_FLAGS = declareFlags({
  follow: { kind: 'boolean', help: 'Go on with what is added, until Ctrl-C' },
  lines: {
    kind: 'number',
    whole: true,
    least: 0,
    short: 'n',
    value: 'count',
    example: '200',
    help: 'How many of the last lines. Default: 50',
  },
  ...STATE_DIR,
  ...JSON_OUTPUT,
});

export const GATEWAY_INSTALL_FLAGS = declareFlags({
  print: { kind: 'boolean', help: 'Only show the text' },
  force: { kind: 'boolean', help: 'Replace a file that says something else' },
  port: LISTEN.port,
  bind: LISTEN.bind,
  ...STATE_DIR,
  ...JSON_OUTPUT,
});
