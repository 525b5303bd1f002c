import { get } from 'node:http';

/** Nothing that a start could wait for. */
export const DISK_FULL = 'disk-full';

export interface Readiness {
  readonly ready: boolean;
  /** What is not ready. */
  readonly failing: readonly string[];
  readonly uptimeMs?: number;
}

/** What `/readyz` answers. Undefined where nothing answers within the time. */
export function askReadiness(url: string, timeoutMs = 2000): Promise<Readiness | undefined> {
  const { promise, resolve } = Promise.withResolvers<Readiness | undefined>();
  const request = get(`${url.replace(/^ws/, 'http')}/readyz`, { timeout: timeoutMs }, (response) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (piece: string) => {
      text += piece;
    });
    response.on('end', () => resolve(readAnswer(text)));
    response.on('error', () => resolve(undefined));
  });
  request.on('timeout', () => request.destroy());
  request.on('error', () => resolve(undefined));
  return promise;
}

function readAnswer(text: string): Readiness | undefined {
  try {
    const { ready, failing, uptimeMs } = JSON.parse(text) as Partial<Readiness>;
    return {
      ready: ready === true,
      failing: Array.isArray(failing) ? failing.map(String) : [],
      ...(typeof uptimeMs === 'number' && { uptimeMs }),
    };
  } catch {
    return undefined;
  }
}
