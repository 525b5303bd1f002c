import { randomUUID } from 'node:crypto';
import type { PermissionAnswer, PermissionRequest, RunEvent } from '@openbot/claude-code';
import type { Answer, Asker } from './contract.ts';
import { PermissionDesk } from './permission-desk.ts';

type DeskTerminal = ConstructorParameters<typeof PermissionDesk>[1];

/** Asks the person at the terminal, by the dialog that `cc run` uses. */
export class TerminalAsker implements Asker {
  readonly desk: PermissionDesk;
  readonly #output: NodeJS.WritableStream;
  readonly #open = new Map<string, (answer: Answer) => void>();
  #show: (request: PermissionRequest) => void = () => {};
  #tell: (event: RunEvent) => void = () => {};

  constructor(terminal: DeskTerminal) {
    this.#output = terminal.output;
    this.desk = new PermissionDesk(
      {
        onPermissionRequest: (listener) => {
          this.#show = listener;
          return () => {};
        },
        onEvent: (listener) => {
          this.#tell = listener;
          return () => {};
        },
        respondToPermission: (id, answer) => this.#settle(id, answer),
      },
      terminal,
    );
  }

  readonly ask: Asker['ask'] = async ({ toolName, arguments: input }) => {
    const requestId = randomUUID();
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.#open.set(requestId, resolve);
    this.#show({ requestId, toolUseId: requestId, toolName, input, isRisky: false });
    return {
      answer: promise,
      close: async (why) => {
        this.#open.delete(requestId);
        const settlement = why === 'timeout' ? 'timed-out' : 'withdrawn';
        this.#tell({ type: 'permission-settled', requestId, settlement });
        if (why === 'timeout') this.#output.write('No answer came in time: it is not allowed.\n');
      },
    };
  };

  #settle(requestId: string, { behavior }: PermissionAnswer): boolean {
    const resolve = this.#open.get(requestId);
    this.#open.delete(requestId);
    resolve?.(behavior === 'allow' ? 'yes' : 'no');
    return resolve !== undefined;
  }
}
