import { MCP_SERVER_NAME, type RunEvent } from '@openbot/claude-code';

/** A message that Claude Code sent to whoever asked for the run. */
export interface MessageEvent {
  readonly type: 'message';
  readonly text: string;
}

const SEND_TOOL = `mcp__${MCP_SERVER_NAME}__openclaw_send_message`;

/** Messages come by another way than events and can overtake them: each is told before the result of its own call. */
export class HeldMessages {
  readonly #held: MessageEvent[] = [];
  readonly #calls = new Set<string>();

  add(text: string): void {
    this.#held.push({ type: 'message', text });
  }

  /** What is to be told before an event. */
  takeBefore(event: RunEvent): readonly MessageEvent[] {
    if (event.type === 'tool' && event.name === SEND_TOOL) this.#calls.add(event.toolUseId);
    if (event.type === 'ended') return this.#held.splice(0);
    const isSent = event.type === 'tool-result' && this.#calls.delete(event.toolUseId) && !event.isError;
    return isSent ? this.#held.splice(0, 1) : [];
  }
}
