/** What a scenario acts on: one OpenClaw of one era with its gateway, a model that it talks to, and occ beside it. */
import { randomUUID } from 'node:crypto';
import { type OccAnswer, parsePrinted, runOcc, runOpenclaw } from './commands.ts';
import { type Gateway, makeGateway } from './gateway.ts';
import type { Era, OpenclawInstall } from './install-openclaw.ts';
import { BINDING_MODEL, makeOpenclawHome, type OpenclawHome } from './openclaw-home.ts';
import { markLog, waitForLogLine } from './openclaw-log.ts';
import { type ScriptedModel, startScriptedModel } from './scripted-model.ts';

export interface Stage {
  readonly era: Era;
  /** Conversations that name no model have one that binds thinking. */
  readonly isBound: boolean;
  /** An edit is made during a run too, and takes effect at the next turn. */
  readonly cleansAtOnce: boolean;
  readonly install: OpenclawInstall;
  readonly home: OpenclawHome;
  readonly model: ScriptedModel;
  readonly gateway: Gateway;
  /** Runs `occ … --json` and reads what it printed; throws with its error where it fails. */
  occ(...args: string[]): Promise<OccAnswer>;
  /** Runs a command of OpenClaw's CLI and reads the JSON that it printed. */
  openclaw(...args: string[]): Promise<unknown>;
  close(): Promise<void>;
}

/** @param isBound whether conversations that name no model have one that binds thinking */
export async function makeStage(era: Era, install: OpenclawInstall, isBound: boolean): Promise<Stage> {
  const model = await startScriptedModel();
  const home = await makeOpenclawHome(model, isBound ? BINDING_MODEL : undefined);
  const gateway = makeGateway(install, home);

  return {
    era,
    isBound,
    cleansAtOnce: era === 'sqlite' && !isBound,
    install,
    home,
    model,
    gateway,
    occ: (...args) => runOcc(home, args),
    openclaw: async (...args) => parsePrinted(await runOpenclaw(install, home, args)),
    async close() {
      await gateway.stop();
      await model.close();
      await home.remove();
    },
  };
}

/** One conversation with the agent under a key of its own. */
export interface Conversation {
  readonly key: string;
  /** Names of the turns so far: the first lines of what the person said. */
  readonly told: string[];
  /** One turn through the gateway; `name` is the first line of the message, the others are the model's script. */
  tell(name: string, ...script: string[]): Promise<TurnResult>;
  /** One turn as a chat has it, a message of a person who waits for the answer. */
  chat(name: string, ...script: string[]): Promise<TurnResult>;
  /** One turn of OpenClaw's CLI without the gateway. */
  tellLocally(name: string, ...script: string[]): Promise<TurnResult>;
}

export interface TurnResult {
  /** What the agent answered. */
  readonly reply: string;
}

interface AgentAnswer {
  readonly status?: string;
  readonly summary?: string;
  readonly payloads?: readonly { readonly text?: string }[];
  readonly result?: { readonly payloads?: readonly { readonly text?: string }[] };
}

interface ChatEvent {
  readonly runId?: string;
  readonly state?: string;
  readonly message?: { readonly content?: readonly { readonly text?: string }[] };
}

export function openConversation(stage: Stage, key = `agent:main:${randomUUID().slice(0, 8)}`): Conversation {
  const told: string[] = [];
  return {
    key,
    told,
    async tell(name, ...script) {
      told.push(name);
      const message = [name, ...script].join('\n');
      const params = { message, sessionKey: key, idempotencyKey: randomUUID() };
      const client = stage.gateway.client();
      const answer = (await client.request('agent', params, { final: true })) as AgentAnswer;
      if (answer.status !== 'ok') throw new Error(`the turn '${name}' failed: ${JSON.stringify(answer)}`);
      return { reply: readReply(answer.result?.payloads) };
    },
    async chat(name, ...script) {
      told.push(name);
      const client = stage.gateway.client();
      const mark = markLog(stage.home.logPath);
      const runId = randomUUID();
      const ended = client.waitForEvent<ChatEvent>(
        'chat',
        (event) => event.runId === runId && (event.state === 'final' || event.state === 'error'),
      );
      const params = { sessionKey: key, message: [name, ...script].join('\n'), idempotencyKey: runId };
      await client.request('chat.send', params);
      const event = await ended;
      // The answer comes before the session is free; a message that comes between is queued behind other rules.
      await waitForLogLine(stage.home.logPath, mark, ['message processed', runId]);
      if (event.state !== 'final') throw new Error(`the turn '${name}' failed: ${JSON.stringify(event)}`);
      return { reply: readReply(event.message?.content) };
    },
    async tellLocally(name, ...script) {
      told.push(name);
      const message = [name, ...script].join('\n');
      const args = ['agent', '--local', '--session-key', key, '--json', '--message', message];
      return { reply: readReply(((await stage.openclaw(...args)) as AgentAnswer).payloads) };
    },
  };
}

function readReply(payloads: AgentAnswer['payloads']): string {
  return (payloads ?? []).map((payload) => payload.text ?? '').join('\n');
}
