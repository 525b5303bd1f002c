import { OpenBotError } from '@openbot/sessions';
import { type CommandInput, readText } from './command.ts';

/** Less would be shown as nothing. */
const LEAST_BUDGET = 0.0001;

/** An amount in US dollars. */
export function readBudget(input: CommandInput): number | undefined {
  const text = readText(input, 'budget');
  if (text === undefined) return undefined;
  const [, amount] = /^\$?(\d+(?:\.\d+)?)$/.exec(text.trim()) ?? [];
  if (amount !== undefined && Number(amount) >= LEAST_BUDGET) return Number(amount);
  throw new OpenBotError('USAGE', `--budget takes an amount in US dollars, not '${text}'`, {
    hint: 'Example: --budget 2.50',
  });
}

/** A number from 0 to 1. */
export function readFraction(input: CommandInput, name: string): number | undefined {
  const text = readText(input, name);
  if (text === undefined) return undefined;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (value >= 0 && value <= 1) return value;
  throw new OpenBotError('USAGE', `--${name} takes a number from 0 to 1, not '${text}'`, {
    hint: `Example: --${name} 0.7`,
  });
}

export function readCount(input: CommandInput, name: string): number | undefined {
  const text = readText(input, name);
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new OpenBotError('USAGE', `--${name} takes a whole number from 1 on, not '${text}'`, {
    hint: `Example: --${name} 20`,
  });
}
