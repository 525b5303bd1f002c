import { shorten } from '@openbot/sessions/terminal-text';
import type { Clock } from '../clock.ts';
import type {
  Answer,
  Asker,
  OpenQuestion,
  Permission,
  PermissionRequest,
  PermissionSettings,
} from './contract.ts';
import { findDenial, findReadDenial, isAllowed, type RealPaths } from './find-denial.ts';
import { type Denial, listUnreadable, type RulePlaces, suggestNarrow, type ToolUse } from './rules.ts';

export interface PolicyOptions {
  readonly settings: PermissionSettings;
  readonly places: RulePlaces;
  /** Rules that people added to the session by their answers. */
  readonly added: readonly string[];
  /** A text says why no person can be asked: `there is no terminal`. */
  readonly asker: Asker | string;
  readonly clock: Clock;
  /** Keeps a rule for the session. */
  remember(rule: string): Promise<void>;
  /** A question was answered, or is not open any more. */
  onAnswer?(): void;
}

const DEFAULT_TIMEOUT_SECONDS = 300;
const ALLOWED: Permission = { isAllowed: true };

/** What one session may do: by rules, else by a person's answer, else not. */
export class Policy {
  readonly #options: PolicyOptions;
  readonly #added: string[];

  constructor(options: PolicyOptions) {
    this.#options = options;
    this.#added = [...options.added];
  }

  get canAsk(): boolean {
    return typeof this.#options.asker !== 'string';
  }

  /** Rules for a program that searches by itself in files: which it must not read. */
  get unreadable(): readonly string[] {
    return listUnreadable(this.#options.settings.deny ?? []);
  }

  /**
   * For uses that need no permission otherwise: why a rule forbids this one.
   * @param folder that the tool works in, where it is not the workspace. Paths in rules are relative to both.
   */
  async findDenial(use: ToolUse, folder?: string): Promise<string | undefined> {
    const { settings, places } = this.#options;
    for (const workspaceDir of [places.workspaceDir, ...(folder === undefined ? [] : [folder])]) {
      const denial = await findDenial(settings.deny ?? [], use, { ...places, workspaceDir });
      if (denial !== undefined) return describeDenial(denial);
    }
    return undefined;
  }

  /**
   * Why a rule forbids to show what is in a file.
   * @param realPaths of a caller that asks about many files: what is found is added
   */
  findReadDenial(path: string, realPaths?: RealPaths): string | undefined {
    const { settings, places } = this.#options;
    const denial = findReadDenial(settings.deny ?? [], path, places, realPaths);
    return denial && describeDenial(denial);
  }

  /** @param ask in the place of the settings' own */
  async permit(
    request: PermissionRequest,
    signal: AbortSignal,
    ask = this.#options.settings.ask ?? 'on-miss',
  ): Promise<Permission> {
    const { settings, places, asker } = this.#options;
    const denial = await this.findDenial(request);
    if (denial !== undefined) return deny(denial);
    const isKnown = isAllowed([...(settings.allow ?? []), ...this.#added], request, places);
    if (isKnown && ask !== 'always') return ALLOWED;
    if (ask === 'off') return deny('No rule allows it, and people are not asked.');
    const why = isKnown ? 'It needs a permission each time' : 'No rule allows it';
    if (typeof asker === 'string') return deny(`${why}, and no person can be asked: ${asker}.`);
    try {
      return await this.#ask(asker, request, signal, ask === 'always' ? undefined : suggestNarrow(request));
    } catch (error) {
      return deny(`${why}, and the question could not be asked: ${(error as Error).message}`);
    }
  }

  async #ask(
    asker: Asker,
    { toolName, arguments: args }: PermissionRequest,
    signal: AbortSignal,
    always: string | undefined,
  ): Promise<Permission> {
    if (signal.aborted) return deny(RUN_ENDED);
    const seconds = this.#options.settings.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS;
    const timeoutMs = seconds * 1000;
    const question = await asker.ask({ toolName, arguments: args, always, timeoutMs });
    const answer = await this.#wait(question, signal, timeoutMs);
    this.#options.onAnswer?.();
    switch (answer) {
      case 'yes':
        return ALLOWED;
      case 'always':
        if (always !== undefined) await this.#add(always);
        return ALLOWED;
      case 'no':
        return deny('The person said no.');
      case 'timeout':
        await question.close('timeout');
        return deny(`The person did not answer within ${describeSeconds(seconds)}, so it is not allowed.`);
      case 'withdrawn':
        await question.close('withdrawn');
        return deny(RUN_ENDED);
    }
  }

  async #wait(
    { answer }: OpenQuestion,
    signal: AbortSignal,
    timeoutMs: number,
  ): Promise<Answer | 'timeout' | 'withdrawn'> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer | 'timeout' | 'withdrawn'>();
    const withdraw = () => resolve('withdrawn');
    const cancel = this.#options.clock.after(timeoutMs, () => resolve('timeout'));
    signal.addEventListener('abort', withdraw, { once: true });
    if (signal.aborted) withdraw();
    answer.then(resolve, reject);
    try {
      return await promise;
    } finally {
      cancel();
      signal.removeEventListener('abort', withdraw);
    }
  }

  async #add(rule: string): Promise<void> {
    this.#added.push(rule);
    // The person said yes: that holds also where the rest of the answer cannot be kept.
    await this.#options.remember(rule).catch(() => {});
  }
}

const RUN_ENDED = 'The run was ended.';

function deny(reason: string): Permission {
  return { isAllowed: false, reason };
}

/** For the model. */
function describeDenial({ rule, doubt }: Denial): string {
  if (doubt === undefined) return `The rule ${rule} forbids it. Do not try it in another way.`;
  return `The rule ${rule} forbids commands, and it cannot be told which ones this runs: ${shorten(doubt, 200)}. Write each command by its name, not in a variable or a script.`;
}

/** For people and models: `5 minutes`. */
export function describeSeconds(seconds: number): string {
  const [count, unit] = seconds >= 60 && seconds % 60 === 0 ? [seconds / 60, 'minute'] : [seconds, 'second'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
