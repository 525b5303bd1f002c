import { claimGateway } from './claim-gateway.ts';
import type { GatewayRecord } from './find-gateway.ts';
import { makeToken } from './gateway-token.ts';
import type { LogFile } from './log-file.ts';

/** A gateway that listens, as far as its process is concerned. */
export interface ServedGateway {
  readonly port: number;
  close(options: { readonly reason: string; readonly graceMs: number }): Promise<void>;
}

export interface ServeOptions extends Pick<GatewayRecord, 'address' | 'version' | 'flags'> {
  readonly stateDir: string;
  /** For clients on this machine. */
  readonly local: string;
  readonly log: Pick<LogFile, 'write'>;
  /** Listens. @param commandToken what commands of the same person show, with full rights */
  open(commandToken: string): Promise<ServedGateway>;
  /** Asked when it stops. */
  graceMs(): number;
  /** SIGHUP: reads the configuration again. */
  reload(): Promise<void>;
  onReady?(record: Pick<GatewayRecord, 'port' | 'url' | 'pid'>): void;
}

/**
 * Runs the one gateway of a state folder until a signal ends it, and resolves with that signal. Throws GATEWAY_RUNNING. A
 * second Ctrl-C does not wait for runs.
 */
export async function serveGateway(options: ServeOptions): Promise<NodeJS.Signals | 'LOST'> {
  const { stateDir, address, local, version, flags, log } = options;
  const claim = await claimGateway(stateDir);
  const signals = catchSignals(options);
  claim.lost.addEventListener('abort', () => signals.end('LOST'));
  try {
    const token = makeToken();
    const startedAt = Date.now();
    const gateway = await options.open(token);
    const { port } = gateway;
    const url = `ws://${local.includes(':') ? `[${local}]` : local}:${port}`;
    try {
      await claim.announce({ port, address, url, startedAt, version, flags, token });
      log.write(`gateway ready on ${address}:${port}, pid ${process.pid}, version ${version}`);
      options.onReady?.({ port, url, pid: process.pid });
      const signal = await signals.ended;
      log.write(`gateway stopping: ${signal === 'LOST' ? 'another process has its lock' : signal}`);
      // No command begins with it any more.
      claim.withdraw();
      return signal;
    } finally {
      const graceMs = options.graceMs();
      await Promise.race([gateway.close({ reason: 'gateway stopping', graceMs }), signals.again]);
      log.write('gateway stopped');
    }
  } finally {
    signals.release();
    await claim.release();
  }
}

function catchSignals({ log, reload }: Pick<ServeOptions, 'log' | 'reload'>) {
  const first = Promise.withResolvers<NodeJS.Signals | 'LOST'>();
  const second = Promise.withResolvers<void>();
  let isEnding = false;
  const end = (signal: NodeJS.Signals | 'LOST') => {
    // A second 'gateway stop' waits with the first one.
    if (isEnding && signal === 'SIGINT') second.resolve();
    isEnding = true;
    first.resolve(signal);
  };
  const onHangUp = () => {
    log.write('SIGHUP: reading the configuration again');
    reload().catch((error: unknown) => log.write(`Cannot read the configuration: ${String(error)}`));
  };
  const onEnd = (signal: NodeJS.Signals) => end(signal);
  process.on('SIGTERM', onEnd);
  process.on('SIGINT', onEnd);
  process.on('SIGHUP', onHangUp);
  return {
    ended: first.promise,
    again: second.promise,
    end,
    release: () => {
      process.off('SIGTERM', onEnd);
      process.off('SIGINT', onEnd);
      process.off('SIGHUP', onHangUp);
    },
  };
}
