/** One scenario on its stage: what was said in it, what the model heard of it, and what must hold at its end. */
import { deepEqual, fail, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { findDatabaseFaults } from './agent-database.ts';
import { isRunning } from './entry-status.ts';
import { hear, turnOf } from './heard.ts';
import { findTrouble, markLog, tailLog } from './openclaw-log.ts';
import type { HeardRequest } from './scripted-model.ts';
import { type Conversation, openConversation, type Stage } from './stage.ts';

export interface Scenario {
  readonly name: string;
  /** Refusals of the provider and lines of the log that the scenario brings about on purpose. */
  readonly provokes?: RegExp;
  /** What OpenClaw brings about by itself on a model that binds thinking. */
  readonly provokesBound?: RegExp;
  /** OpenClaw's own gateway is not asked, or a model of its own is: what it must leave behind is not looked at. */
  readonly isWithoutOpenclaw?: true;
  /** Why it cannot be played on this machine or stage. */
  cannotRun?(stage: Stage): string | undefined;
  run(scene: Scene): Promise<void>;
}

export interface Scene extends Stage {
  /** A conversation under a new key, or under one that exists. */
  open(key?: string): Conversation;
  /** Requests of a turn, oldest first; there is one at least. */
  requestsOf(turn: string): [HeardRequest, ...HeardRequest[]];
  /** Checks what the model heard in the first request of a turn, from the first message to the turn's own. */
  expectHeard(turn: string, lines: readonly string[]): void;
  /** Requests that nobody asked for: summaries for a compaction, and the turn that OpenClaw takes before one. */
  uninvited(): HeardRequest[];
  /** Checks that nobody asked for a summary; `known` requests of that kind are those of the scenario itself. */
  expectNoCompaction(known?: number): Promise<void>;
  /** Polls until `condition` holds; `what` names it where it never does. */
  waitFor(what: string, condition: () => boolean | Promise<boolean>): Promise<void>;
}

export interface OpenScene extends Scene {
  /** What every scenario must leave behind: a model that was never offended, a database that is whole, a quiet log. */
  checkEnd(): void;
  logTail(): string[];
}

/** How long OpenClaw may take for what it does after a turn. */
const SETTLE_MS = 700;
const WAIT_LIMIT_MS = 30_000;
const END_LIMIT_MS = 20_000;

export function openScene(stage: Stage, provokes = /^\b$/): OpenScene {
  const conversations: Conversation[] = [];
  const before = stage.model.mark();
  const mark = markLog(stage.home.logPath);
  const requests = (): HeardRequest[] => stage.model.requestsSince(before);

  /** An answer comes before OpenClaw has noted that the run is over; stopped in between, it takes it for interrupted. */
  async function stopWhenNoted(): Promise<void> {
    const limit = Date.now() + END_LIMIT_MS;
    const isNoted = (): boolean => !conversations.some(({ key }) => isRunning(stage, key));
    while (!isNoted() && Date.now() < limit) await sleep(50);
    await stage.gateway.stop();
  }

  const scene: OpenScene = {
    ...stage,
    gateway: { ...stage.gateway, stop: stopWhenNoted },
    open(key) {
      const conversation = openConversation(stage, key);
      conversations.push(conversation);
      return conversation;
    },
    requestsOf(turn) {
      const [first, ...others] = requests().filter((request) => turnOf(request) === turn);
      return first === undefined ? fail(`the model never heard '${turn}'`) : [first, ...others];
    },
    expectHeard(turn, lines) {
      deepEqual(hear(scene.requestsOf(turn)[0]), lines, `what the model heard at '${turn}'`);
    },
    uninvited() {
      const told = new Set(conversations.flatMap((conversation) => conversation.told));
      return requests().filter((request) => !told.has(turnOf(request) ?? ''));
    },
    async expectNoCompaction(known = 0) {
      await sleep(SETTLE_MS);
      const heard = scene
        .uninvited()
        .slice(known)
        .map((request) => turnOf(request) ?? 'a summary was asked for');
      deepEqual(heard, [], 'requests that nobody asked for');
    },
    async waitFor(what, condition) {
      const limit = Date.now() + WAIT_LIMIT_MS;
      while (!(await condition())) {
        if (Date.now() > limit) fail(`it never came about: ${what}`);
        await sleep(50);
      }
    },
    checkEnd() {
      const isUnwanted = (text: string): boolean => !provokes.test(text);
      const faults = stage.model.faultsSince(before).filter(isUnwanted);
      deepEqual(faults, [], 'conversations that a provider would refuse');
      const dropped = stage.model.droppedSince(before).filter(isUnwanted);
      deepEqual(dropped, [], 'thinking that a provider left out');
      if (stage.era === 'sqlite')
        deepEqual(findDatabaseFaults(stage.home.state).filter(isUnwanted), [], 'the database');
      const keys = conversations.map((conversation) => conversation.key);
      const trouble = findTrouble(stage.home.logPath, mark, keys).filter(isUnwanted);
      deepEqual(trouble, [], 'what OpenClaw logged');
      ok(requests().length > 0, 'the model was never asked');
    },
    logTail: () => tailLog(stage.home.logPath, mark, stage.home.outputPath),
  };
  return scene;
}
