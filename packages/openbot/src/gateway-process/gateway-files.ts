import { join } from 'node:path';

/** The files of a state folder that belong to its gateway. */
export function gatewayFiles(stateDir: string) {
  return {
    /** Held for as long as it serves, and while it starts. */
    lock: join(stateDir, 'gateway.lock'),
    /** Where it listens; there while it serves. */
    record: join(stateDir, 'gateway.json'),
    log: join(stateDir, 'logs', 'gateway.log'),
    /** What a gateway in the background prints past its log, such as the last words of Node when memory is full. */
    output: join(stateDir, 'logs', 'gateway-output.log'),
    /** Where no setting names another one. */
    token: join(stateDir, TOKEN_FILE),
  } as const;
}

/** Relative to the state folder, as the configuration refers to it. */
export const TOKEN_FILE = 'secrets/gateway-token';
