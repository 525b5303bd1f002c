export { ERROR_CODES, type ErrorCode, OpenBotError } from './errors.ts';
