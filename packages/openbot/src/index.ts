export { OpenBotError } from '@openbot/sessions';
export { OPENBOT_ERROR_CODES } from './errors.ts';
