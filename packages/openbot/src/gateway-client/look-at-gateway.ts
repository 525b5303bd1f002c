import { formatQuantity } from '@openbot/sessions/terminal-text';
import { findGateway, findHolder } from '../gateway-process/find-gateway.ts';
import { COMMAND_METHOD, type GatewayState } from './contract.ts';

/** The gateway of a state folder, as far as it can be seen from outside. */
export interface GatewayReport {
  readonly running: boolean;
  /** `process 4711 (node openbot.js)` */
  readonly process?: string;
  readonly pid?: number;
  readonly port?: number;
  /** That it listens on. */
  readonly address?: string;
  /** For clients on this machine. */
  readonly url?: string;
  readonly version?: string;
  readonly startedAt?: number;
  /** What `/readyz` says; false too where nothing answers. */
  readonly ready?: boolean;
  /** What is not ready, or why it cannot be asked. */
  readonly failing?: readonly string[];
  /** Absent where it cannot be asked. */
  readonly host?: GatewayState['host'];
  readonly configFault?: string;
  readonly waits?: GatewayState['waits'];
  readonly failingSteps?: GatewayState['failingSteps'];
  readonly eventLoop?: GatewayState['eventLoop'];
  readonly channels?: GatewayState['channels'];
  readonly runs?: number;
  readonly connections?: number;
}

/**
 * `starting`: it has the folder and does not serve yet, or no more. `not answering`: it has said where it listens, and nobody
 * answers there. `not ready`: it answers, and says what does not work.
 */
export type GatewayCondition = 'not running' | 'starting' | 'not answering' | 'not ready' | 'ready';

const STARTS_OR_STOPS = 'it starts or stops';
const NO_ANSWER = 'it does not answer';

export function conditionOf({ running, ready, failing = [] }: GatewayReport): GatewayCondition {
  if (!running) return 'not running';
  if (ready !== false) return 'ready';
  if (failing.includes(STARTS_OR_STOPS) || failing.includes('startup')) return 'starting';
  return failing.includes(NO_ANSWER) ? 'not answering' : 'not ready';
}

/** A gateway that takes longer does not work. */
const ANSWER_MS = 3000;

/** Never throws: that a gateway does not answer is in the report. */
export async function lookAtGateway(stateDir: string, timeoutMs = ANSWER_MS): Promise<GatewayReport> {
  const holder = findHolder(stateDir);
  if (holder === undefined) return { running: false };
  const { pid, who } = holder;
  const record = findGateway(stateDir);
  if (record === undefined)
    return {
      running: true,
      process: who,
      ready: false,
      failing: [STARTS_OR_STOPS],
      ...(pid && { pid }),
    };
  const { port, address, url, version, startedAt } = record;
  const [{ askReadiness }, { connectGateway }] = await Promise.all([
    import('../gateway-process/readiness.ts'),
    import('./connect-gateway.ts'),
  ]);
  const readiness = await askReadiness(url, timeoutMs);
  const known = { running: true, process: who, pid: record.pid, port, address, url, version, startedAt };
  if (readiness === undefined) return { ...known, ready: false, failing: [NO_ANSWER] };
  const seen = { ...known, ready: readiness.ready, failing: readiness.failing };
  try {
    const gateway = await connectGateway(record, timeoutMs);
    const state = await gateway.call<GatewayState>(COMMAND_METHOD.state, {}).finally(() => gateway.close());
    return { ...seen, ...state };
  } catch (error) {
    return { ...seen, failing: [...seen.failing, (error as Error).message] };
  }
}

/** Clients notice this. */
const LATE_MS = 1000;

/** What a person should know of it; empty where all is well. */
export function listTroubles({
  running,
  ready,
  failing = [],
  host,
  configFault,
  waits = [],
  failingSteps = [],
  eventLoop,
  channels = [],
}: GatewayReport): readonly string[] {
  if (!running) return [];
  const lateMs = eventLoop?.delayMaxMs ?? 0;
  const { at, reason, pid, crashes = 0 } = host ?? {};
  return [
    ...(ready === false ? [`The gateway is not ready: ${failing.join('; ') || 'it does not say why'}`] : []),
    ...(lateMs > LATE_MS
      ? [
          `The gateway answered nothing for ${(lateMs / 1000).toFixed(1)} s within the last minute: its event loop was blocked`,
        ]
      : []),
    ...(at === 'blocked'
      ? [`The process that runs agents (${pid}) does not answer: its event loop is blocked`]
      : []),
    ...(reason === undefined
      ? []
      : [`The process that runs agents is ${at === 'down' ? 'down' : 'begun again'}: ${reason}`]),
    ...(crashes > 0
      ? [`The process that runs agents has crashed ${crashes === 1 ? 'once' : `${crashes} times`}`]
      : []),
    ...(configFault === undefined
      ? []
      : [`The configuration is not used as it is now, but as it was before: ${configFault}`]),
    ...failingSteps.map(
      ({ step, failures, since, error, isDiskFull }) =>
        `${isDiskFull ? 'The disk is full. ' : ''}${step} has failed ${failures === 1 ? 'once' : `${failures} times in a row`} since ${new Date(since).toISOString()}, and is tried again: ${error}`,
    ),
    ...waits.map(
      ({ model, sessions, nextTryAt }) =>
        `${formatQuantity(sessions, 'session')} ${sessions === 1 ? 'waits' : 'wait'} for ${model}, next try at ${new Date(nextTryAt).toISOString()}`,
    ),
    ...channels.flatMap(({ channel, accountId, health }) => {
      const name = `The channel ${channel} (account ${accountId})`;
      if (health.state === 'failed') return [`${name} does not work: ${health.error}`];
      return health.state === 'reconnecting' ? [`${name} is not connected: ${health.error}`] : [];
    }),
  ];
}
