import { COMMAND_METHOD } from '../../gateway-client/contract.ts';
import { changeLetters } from '../../kept-messages/change-letters.ts';
import type { Letter } from '../../kept-messages/look-into-messages.ts';
import { openGatewayFor } from '../through-gateway.ts';

/** In the gateway that runs, else in this process. Resolves with the ids of those that were changed. */
export async function changeChosen(
  place: { readonly stateDir: string; readonly local?: boolean },
  letters: readonly Letter[],
  change: 'retry' | 'drop',
): Promise<readonly number[]> {
  const { stateDir } = place;
  const gateway = letters.length === 0 ? undefined : await openGatewayFor(stateDir, place);
  if (gateway === undefined) return changeLetters(stateDir, letters, change);
  return gateway.call(COMMAND_METHOD.changeLetters, { change, ids: letters.map(({ id }) => id) });
}
