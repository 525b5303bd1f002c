import type { ServerResponse } from 'node:http';
import type { Clock } from '../../../clock.ts';

/** Proxies cut off what is silent. */
const REMIND_MS = 15_000;

/** Server-sent events. A client that reads too slowly is cut off. */
export interface EventStream {
  /** Until then nothing was sent, and what fails can be answered with a status. */
  readonly isOpen: boolean;
  /** Sends what comes before all else, once. */
  open(): void;
  send(data: unknown, event?: string): void;
  end(): void;
}

const LARGEST_BUFFER = 8 * 1024 * 1024;

/** It opens with the first event, or when it has been silent for a while. @param begin sends what comes before all else */
export function openEventStream(
  response: ServerResponse,
  clock: Clock,
  begin: (stream: Pick<EventStream, 'send'>) => void,
): EventStream {
  let isOpen = false;
  const open = () => {
    if (isOpen || response.destroyed || response.writableEnded) return;
    isOpen = true;
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      connection: 'keep-alive',
    });
    response.flushHeaders();
    begin({ send });
  };
  const write = (text: string) => {
    open();
    if (response.destroyed || response.writableEnded) return;
    if (response.writableLength > LARGEST_BUFFER) response.destroy();
    else response.write(text);
  };
  const send = (data: unknown, event?: string) =>
    write(`${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`);
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
    get isOpen() {
      return isOpen;
    },
    open,
    send,
    end: () => {
      cancel();
      write('data: [DONE]\n\n');
      response.end();
    },
  };
}
