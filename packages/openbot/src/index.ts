export { OpenBotError } from '@openbot/sessions';
