import { MCP_SERVER_NAME, type RunEvent } from '@openbot/claude-code';

/** A message that Claude Code sent to the requester of the run. */
export interface MessageEvent {
  readonly type: 'message';
  readonly text: string;
}

const SEND_TOOL = `mcp__${MCP_SERVER_NAME}__openclaw_send_message`;

/** Messages arrive independently of events and can overtake them. Each is held until just before the result of its call. */
export class HeldMessages {
  readonly #held: MessageEvent[] = [];
  readonly #calls = new Set<string>();

  add(text: string): void {
    this.#held.push({ type: 'message', text });
  }

  /** The messages to print before an event. */
  takeBefore(event: RunEvent): readonly MessageEvent[] {
    if (event.type === 'tool' && event.name === SEND_TOOL) this.#calls.add(event.toolUseId);
    if (event.type === 'ended') return this.#held.splice(0);
    const isSent = event.type === 'tool-result' && this.#calls.delete(event.toolUseId) && !event.isError;
    return isSent ? this.#held.splice(0, 1) : [];
  }
}
