import { describe, TEXT } from './schema.ts';

const MAX_KEY = 512;

/** How a tool is told which conversation it is about. */
export const SESSION_KEY_INPUT = {
  ...describe(TEXT, 'A conversation of this agent. Default: the one in which this run was asked for.'),
  minLength: 1,
  maxLength: MAX_KEY,
};
