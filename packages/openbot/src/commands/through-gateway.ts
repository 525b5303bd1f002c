import type { GatewayConnection } from '../gateway-client/connect-gateway.ts';
import { findGateway } from '../gateway-process/find-gateway.ts';

/**
 * The gateway that a command which changes something goes through. Undefined where none runs, and with `--local`: then it is
 * done in this process, under the same locks. Throws GATEWAY_UNREACHABLE.
 */
export async function openGatewayFor(
  stateDir: string,
  { local }: { readonly local?: boolean },
): Promise<GatewayConnection | undefined> {
  const record = local ? undefined : findGateway(stateDir);
  if (record === undefined) return undefined;
  const { connectGateway } = await import('../gateway-client/connect-gateway.ts');
  return connectGateway(record);
}
