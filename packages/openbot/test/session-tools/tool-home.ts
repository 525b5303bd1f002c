import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Bot } from '../../src/bot/contract.ts';
import type { Answer, ScriptStep } from '../../src/runners/script/script.ts';
import { BotHome, Chat, type HomeOptions, type Play } from '../bot/bot-home.ts';

/** What a model does with a message: steps, or one call whose result it says. */
export type Reaction =
  | readonly ScriptStep[]
  | { readonly tool: string; readonly args?: object }
  | (() => Answer);

/** A bot on a chat whose model reacts to words of its prompts; other prompts are answered with `ok`. */
export class ToolHome extends BotHome {
  readonly prompts: string[] = [];
  readonly offered: (readonly string[])[] = [];
  chat = new Chat();
  readonly #looks: (() => void)[] = [];
  readonly #reactions: [string | RegExp, Reaction][] = [];

  on(words: string | RegExp, reaction: Reaction): this {
    this.#reactions.push([words, reaction]);
    return this;
  }

  readonly #play: Play = (question) => {
    const { prompt } = question;
    this.prompts.push(prompt);
    this.offered.push(question.tools);
    const [, reaction = [{ text: 'ok' }]] =
      this.#reactions.find(([words]) =>
        typeof words === 'string' ? prompt.includes(words) : words.test(prompt),
      ) ?? [];
    for (const look of this.#looks) look();
    if (typeof reaction === 'function') return reaction();
    return act('tool' in reaction ? [reaction as ScriptStep, { text: '{{result}}' }] : reaction);
  };

  /** Resolves when the model is given such a message. */
  async asked(words: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => {
      if (this.prompts.some((prompt) => prompt.includes(words))) resolve();
    };
    this.#looks.push(look);
    look();
    await promise;
  }

  /** With the chat. */
  start(options: HomeOptions = {}): Promise<Bot> {
    return this.open({ play: this.#play, channels: [this.chat.channel], ...options });
  }

  /** As a command does: without channels. */
  startCommand(options: HomeOptions = {}): Promise<Bot> {
    return this.open({ play: this.#play, ...options });
  }

  writeFile(name: string, text: string): void {
    const path = join(this.stateDir, 'workspace', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** Results of tools in a session, in order. */
  resultsIn(sessionKey?: string): string[] {
    return this.saidIn(sessionKey)
      .filter((line) => line.startsWith('toolResult: '))
      .map((line) => line.slice('toolResult: '.length));
  }
}

/** Steps with `{{result}}` filled in, as scripts have it. */
async function* act(steps: readonly ScriptStep[]): Answer {
  let result = '';
  for (const step of steps) {
    const results = yield 'text' in step
      ? { ...step, text: step.text.replaceAll('{{result}}', result) }
      : step;
    result = results.at(-1)?.text ?? result;
  }
}
