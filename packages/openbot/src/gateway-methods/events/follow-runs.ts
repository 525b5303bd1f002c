import { setImmediate } from 'node:timers/promises';
import type { HostEvent } from '../../agent-host/contract.ts';
import { describeUpdate } from '../../agent-host/describe-update.ts';
import { addressOf, refOfAddress, type SessionRef } from '../../session-address.ts';
import type { TurnEvent } from '../../turn/turn-tools.ts';
import { announceChange } from '../announce.ts';
import { MessageCounts } from '../history/message-counts.ts';
import { keyOfRun, type RunChange } from '../runs/contract.ts';
import type { GatewayServices } from '../services.ts';
import { assistantText, textOfPayloads } from './assistant-text.ts';
import { RunVoice } from './run-voice.ts';
import { SessionLanes } from './session-lanes.ts';
import { tellStoredMessages } from './stored-messages.ts';

/** Parts of a text that come within this time are told together: each event has the whole text. ms */
const TEXT_EVERY_MS = 100;

/** Tells connections of all that runs. Returns the function that ends it, which resolves when all is told. */
export function followRuns(services: GatewayServices): () => Promise<void> {
  const follower = new RunFollower(services);
  const forget = [
    services.runs.onChange((change) => follower.onChange(change)),
    services.host.onEvent((event) => follower.onHostEvent(event)),
    // What this process adds to conversations itself.
    services.state.transcripts.onUpdate((update) => follower.onHostEvent(describeUpdate(update))),
  ];
  return () => {
    for (const one of forget) one();
    return follower.end();
  };
}

interface Followed {
  readonly voice: RunVoice;
  /** Text that is told later. */
  timer?: NodeJS.Timeout;
  lastTextAt: number;
}

class RunFollower {
  readonly #services: GatewayServices;
  readonly #runs = new Map<string, Followed>();
  readonly #lanes = new SessionLanes();
  readonly #counts = new MessageCounts();

  constructor(services: GatewayServices) {
    this.#services = services;
  }

  onChange(change: RunChange): void {
    const { run } = change;
    const { runId } = run;
    if (change.type === 'accepted') {
      // What is told of it comes after the response to its request.
      this.#do(run, () => setImmediate());
      this.#announce(run, { reason: 'send' });
      return;
    }
    const followed = this.#follow(change);
    const { voice } = followed;
    if (change.type === 'began') this.#do(run, () => voice.status('preparing_context'));
    else if (change.type === 'event') this.#onEvent(followed, change);
    else if (change.type === 'cut-off') {
      this.#tellText(followed);
      this.#do(run, () => voice.replace());
    } else {
      this.#tellText(followed);
      this.#runs.delete(keyOfRun(run));
      this.#do(run, () => voice.end(change.ending, change.isAnswered));
      const phase = change.ending.report.outcome === 'failed' ? 'error' : 'end';
      this.#announce(run, { reason: 'agent.input.settled', runId });
      this.#announce(run, { phase, runId });
    }
  }

  onHostEvent(event: HostEvent): void {
    if (event.type === 'appended' && event.entryIds.length > 0) this.#onAppended(event);
    else if (event.type === 'said') this.#say(event);
  }

  #onAppended(event: Extract<HostEvent, { type: 'appended' }>): void {
    const runs = this.#services.runs.ofSession(event.session);
    for (const run of runs) {
      const followed = this.#runs.get(keyOfRun(run));
      if (followed !== undefined) this.#tellText(followed);
    }
    // The run may be over when its messages have been read.
    const run = runs.find(({ turnId }) => turnId !== undefined);
    this.#do(event.session, () => tellStoredMessages(this.#services, this.#counts, event, run?.runId));
  }

  /** Runs that go on later: their clients are told that this gateway does not wait for them. */
  async end(): Promise<void> {
    for (const followed of this.#runs.values()) {
      clearTimeout(followed.timer);
      this.#tellText(followed);
      const { voice } = followed;
      this.#do(voice.run, () => voice.cutOff());
    }
    this.#runs.clear();
    await this.#lanes.idle();
  }

  #follow({ run }: RunChange): Followed {
    const known = this.#runs.get(keyOfRun(run));
    if (known !== undefined) return known;
    const followed = { voice: new RunVoice(run, this.#services), lastTextAt: Number.NEGATIVE_INFINITY };
    this.#runs.set(keyOfRun(run), followed);
    return followed;
  }

  #onEvent(followed: Followed, { run, event, isReplaced }: Extract<RunChange, { type: 'event' }>): void {
    const { voice } = followed;
    if (event.type === 'text') {
      if (isReplaced) this.#do(run, () => voice.replace());
      this.#planText(followed);
      return;
    }
    this.#tellText(followed);
    if (event.type === 'started') this.#onStarted(followed, event);
    else this.#do(run, () => tell(voice, event));
  }

  #onStarted({ voice }: Followed, { provider, model }: Extract<TurnEvent, { type: 'started' }>): void {
    const { run } = voice;
    this.#do(run, () => {
      voice.agent('lifecycle', { phase: 'start', startedAt: run.startedAt });
      voice.status('starting_model');
    });
    this.#announce(run, { reason: 'agent.run.started', runId: run.runId });
    this.#announce(run, { phase: 'start', runId: run.runId });
    this.#do(run, () => voice.agent('lifecycle', { phase: 'model', provider, model }));
  }

  #planText(followed: Followed): void {
    const waitMs = followed.lastTextAt + TEXT_EVERY_MS - performance.now();
    if (waitMs <= 0) this.#tellText(followed, true);
    else followed.timer ??= setTimeout(() => this.#tellText(followed, true), waitMs);
  }

  /** Before whatever else is told of the run. */
  #tellText(followed: Followed, isDue = followed.timer !== undefined): void {
    clearTimeout(followed.timer);
    delete followed.timer;
    if (!isDue) return;
    followed.lastTextAt = performance.now();
    const { voice } = followed;
    const { text, messageStart } = voice.run;
    this.#do(voice.run, () => voice.text(text, messageStart));
  }

  /** A message that is no reply of a turn has a run of its own, which ends with it: clients show it beside the others. */
  #say({ key, address, payload }: Extract<HostEvent, { type: 'said' }>): void {
    const session = refOfAddress(address);
    const text = textOfPayloads([payload]);
    if (session === undefined || text === '') return;
    const { hub, now } = this.#services;
    const { agentId, sessionKey } = session;
    this.#do(session, () => {
      const message = assistantText(text, now());
      const payload = {
        runId: key,
        sessionKey,
        agentId,
        seq: 1,
        state: 'final',
        stopReason: 'stop',
        message,
      };
      // No `session.message`: it is in no transcript, and OpenClaw's page would show it a second time.
      hub.publish({ event: 'chat', payload, agentId });
    });
  }

  #announce(session: SessionRef, about: Readonly<Record<string, unknown>>): void {
    const { hub } = this.#services;
    const { agentId } = session;
    if (!hub.hasListener({ audience: { to: 'sessions' }, agentId })) return;
    this.#do(session, () => announceChange(this.#services, session, about));
  }

  #do(session: SessionRef, step: () => void | Promise<void>): void {
    this.#lanes.add(addressOf(session), step);
  }
}

function tell(voice: RunVoice, event: TurnEvent): void {
  const tools = { cap: 'tool-events' };
  switch (event.type) {
    case 'tool-call':
      voice.agent(
        'tool',
        { phase: 'start', name: event.name, toolCallId: event.id, args: event.arguments },
        tools,
      );
      break;
    case 'tool-result': {
      const { id: toolCallId, name, isError, text } = event;
      const result = { content: [{ type: 'text', text }] };
      voice.agent('tool', { phase: 'result', name, toolCallId, isError, result }, tools);
      break;
    }
    case 'usage':
      voice.usage(event.usage.output ?? 0);
      break;
    case 'compaction':
      voice.agent(
        'compaction',
        event.phase === 'start' ? { phase: 'start' } : { phase: 'end', willRetry: event.willRetry },
      );
      break;
    case 'gave-way':
      voice.agent('lifecycle', {
        phase: 'fallback_step',
        fallbackStepFromModel: event.from,
        fallbackStepToModel: event.to,
        fallbackStepFromFailureReason: event.failure,
      });
      break;
    default:
      break;
  }
}
