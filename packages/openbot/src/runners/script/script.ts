import { OpenBotError } from '@openbot/sessions';
import type { PromptImage } from '../../media/read-image.ts';
import type { ToolResult } from '../../tools/contract.ts';
import type { ContextMessage } from '../../transcripts/contract.ts';
import { MODEL_FAILURES, type ModelFailure, type RunUsage } from '../contract.ts';
import { spokenIn } from './compaction.ts';

/** What a scripted model does, in this order. */
export type ScriptStep =
  /**
   * Streamed word by word, or in the given chunks. `{{prompt}}`, `{{previous}}` (the message of the person before it),
   * `{{images}}` (types and sizes of those of the prompt) and `{{result}}` (of the last tool) are filled in.
   */
  | { readonly text: string; readonly chunks?: readonly string[]; readonly delayMs?: number }
  | { readonly thinking: string }
  | ScriptCall
  /** Asks for the permission to use a tool of its own, which does nothing. The result says whether it may. */
  | ScriptAsk
  /** Several calls of one message. */
  | { readonly tools: readonly ScriptCall[] }
  /** In the place of the estimated figures of the message. */
  | { readonly usage: RunUsage }
  | { readonly waitMs: number }
  /** Waits until the run is aborted. */
  | { readonly stall: true }
  | {
      readonly fail: string;
      readonly transient?: boolean;
      readonly hint?: string;
      /** Another model may answer then. */
      readonly failure?: ModelFailure;
      readonly retryAfterMs?: number;
    }
  /** As if the model had refused the conversation as too long. */
  | { readonly overflow: true }
  | { readonly compact: true; readonly failsFirst?: boolean }
  /** Lets this process do nothing else for so long, as a runner with a fault would. */
  | { readonly blockMs: number }
  /** Kills this process, as a power cut would. */
  | { readonly crash: true };

export interface ScriptCall {
  readonly tool: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

export interface ScriptAsk {
  readonly ask: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

export interface ScriptTurn {
  /** A regular expression, in which upper and lower case are the same. The turn answers all prompts that match. */
  readonly when?: string;
  readonly steps: readonly ScriptStep[];
}

/**
 * A model as data. A prompt is answered by the first turn whose `when` matches. The turns without `when` answer the other
 * prompts one after another, the last of them again and again.
 */
export interface Script {
  /** Tokens. 200,000. */
  readonly contextWindow?: number;
  /** Whether it is given images. False. */
  readonly seesImages?: boolean;
  readonly turns: readonly ScriptTurn[];
}

export interface Question {
  readonly prompt: string;
  /** Of the prompt. */
  readonly images: readonly PromptImage[];
  readonly model: string;
  /** Names of the tools that may be used. */
  readonly tools: readonly string[];
  readContext(): Promise<readonly ContextMessage[]>;
}

/** Yields steps. After a step with calls it is given their results, after others nothing. */
export type Answer = AsyncGenerator<ScriptStep, void, readonly ToolResult[]>;

export interface ScriptModel {
  readonly contextWindow: number;
  readonly seesImages?: boolean;
  answer(question: Question): Answer;
}

export const DEFAULT_WINDOW = 200_000;

/** @param position of the next turn without `when`; moved on by each answer */
export function playScript(script: Script, position: { next: number }): ScriptModel {
  return {
    contextWindow: script.contextWindow ?? DEFAULT_WINDOW,
    seesImages: script.seesImages ?? false,
    answer: (question) => play(chooseTurn(script, question.prompt, position), question),
  };
}

function chooseTurn({ turns }: Script, prompt: string, position: { next: number }): ScriptTurn {
  const texts = [prompt, wordsOf(prompt)];
  const matching = turns.find(
    ({ when }) => when !== undefined && texts.some((text) => new RegExp(when, 'i').test(text)),
  );
  if (matching !== undefined) return matching;
  const others = turns.filter(({ when }) => when === undefined);
  const turn = others[Math.min(position.next++, others.length - 1)];
  return turn ?? { steps: [{ text: 'The script of this model has no answer to that message.' }] };
}

async function* play({ steps }: ScriptTurn, { prompt, images, readContext }: Question): Answer {
  const isQuoting = JSON.stringify(steps).includes('{{previous}}');
  const previous = isQuoting ? previousMessage(await readContext()) : '';
  const values = { prompt: wordsOf(prompt), previous, images: describeImages(images), result: '' };
  const fill = (text: string) =>
    text.replaceAll(
      /\{\{(prompt|previous|images|result)\}\}/g,
      (_, name: keyof typeof values) => values[name],
    );
  for (const step of steps) {
    const filled = 'text' in step ? { ...step, text: fill(step.text), chunks: step.chunks?.map(fill) } : step;
    const results = yield filled as ScriptStep;
    values.result = results.at(-1)?.text ?? values.result;
  }
}

/** `image/png of 67 bytes, image/jpeg of 1024 bytes`. */
export function describeImages(images: readonly PromptImage[]): string {
  return images
    .map(({ data, mimeType }) => `${mimeType} of ${Buffer.byteLength(data, 'base64')} bytes`)
    .join(', ');
}

/** The last message of the person in the context is the prompt. */
function previousMessage(context: readonly ContextMessage[]): string {
  const said = context.filter(({ message }) => message.role === 'user');
  return wordsOf(spokenIn(said.at(-2)?.message.content));
}

/** Without what OpenBot tells in front of it, such as the day. A message of that alone stays. */
function wordsOf(prompt: string): string {
  return prompt.replace(/^(?:System: .*\n)+\n/, '');
}

const STEP_FIELDS: Readonly<Record<string, string>> = {
  text: 'string',
  thinking: 'string',
  tool: 'string',
  ask: 'string',
  tools: 'object',
  usage: 'object',
  waitMs: 'number',
  stall: 'boolean',
  blockMs: 'number',
  fail: 'string',
  overflow: 'boolean',
  compact: 'boolean',
  crash: 'boolean',
};

/** Throws an OpenBotError that says what is wrong and where. */
export function checkScript(value: unknown, name: string): Script {
  const refuse = (message: string) =>
    new OpenBotError('INVALID_ARGUMENT', `The script ${name} ${message}`, {
      hint: 'See docs/script-models.md.',
    });
  const { turns, contextWindow, seesImages } = (value ?? {}) as Partial<Script>;
  if (!Array.isArray(turns) || turns.length === 0)
    throw refuse('must have a list "turns" with at least one turn');
  if (contextWindow !== undefined && !(Number.isSafeInteger(contextWindow) && contextWindow > 0))
    throw refuse('has a "contextWindow" that is not a positive whole number');
  if (seesImages !== undefined && typeof seesImages !== 'boolean')
    throw refuse('has a "seesImages" that is neither true nor false');
  for (const [index, turn] of turns.entries()) {
    const where = `has in turn ${index + 1}`;
    if (!Array.isArray(turn?.steps)) throw refuse(`${where} no list "steps"`);
    if (turn.when !== undefined && !isPattern(turn.when))
      throw refuse(`${where} a "when" that is no regular expression`);
    for (const [at, step] of turn.steps.entries()) {
      const field = Object.keys(STEP_FIELDS).find((name) => Object.hasOwn(step ?? {}, name));
      if (field === undefined || typeof step[field] !== STEP_FIELDS[field] || step[field] === null)
        throw refuse(`${where} a step ${at + 1} that is none of ${Object.keys(STEP_FIELDS).join(', ')}`);
      if (
        field === 'tools' &&
        !(step.tools as unknown[]).every?.((call) => typeof (call as ScriptCall)?.tool === 'string')
      )
        throw refuse(`${where} a step ${at + 1} whose "tools" is no list of calls`);
      if (field === 'fail' && step.failure !== undefined && !MODEL_FAILURES.includes(step.failure))
        throw refuse(`${where} a step ${at + 1} whose "failure" is none of ${MODEL_FAILURES.join(', ')}`);
    }
  }
  return value as Script;
}

function isPattern(text: unknown): boolean {
  try {
    return typeof text === 'string' && new RegExp(text, 'i') !== undefined;
  } catch {
    return false;
  }
}
