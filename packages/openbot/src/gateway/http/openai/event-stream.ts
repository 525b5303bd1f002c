import type { ServerResponse } from 'node:http';
import type { Clock } from '../../../clock.ts';

/** Proxies cut off what is silent. */
const REMIND_MS = 15_000;

/** Server-sent events. A client that reads too slowly is cut off. */
export interface EventStream {
  send(data: unknown, event?: string): void;
  end(): void;
}

const LARGEST_BUFFER = 8 * 1024 * 1024;

export function openEventStream(response: ServerResponse, clock: Clock): EventStream {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    connection: 'keep-alive',
  });
  response.flushHeaders();
  const write = (text: string) => {
    if (response.writableLength > LARGEST_BUFFER) response.destroy();
    else if (!response.destroyed) response.write(text);
  };
  let cancel = () => {};
  const remind = () => {
    cancel = clock.after(REMIND_MS, () => {
      write(': still at work\n\n');
      remind();
    });
  };
  remind();
  response.on('close', () => cancel());
  return {
    send: (data, event) =>
      write(`${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`),
    end: () => {
      cancel();
      write('data: [DONE]\n\n');
      response.end();
    },
  };
}
