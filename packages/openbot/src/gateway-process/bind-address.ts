import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { OpenBotError } from '@openbot/sessions';
import type { GatewaySettings } from '../config/bot-config.ts';

type Address = Pick<NetworkInterfaceInfo, 'family' | 'address'>;

export interface BindAddress {
  /** That it listens on. */
  readonly address: string;
  /** For clients on this machine. */
  readonly local: string;
  /** Who can reach it besides this machine; undefined for none. */
  readonly reach?: string;
}

/** Throws USAGE where no address is set. */
export function resolveBind(
  { bind = 'loopback', customBindHost }: Pick<GatewaySettings, 'bind' | 'customBindHost'>,
  addresses: readonly Address[] = Object.values(networkInterfaces()).flatMap((those) => those ?? []),
): BindAddress {
  switch (bind) {
    case 'loopback':
    case 'auto':
      return { address: '127.0.0.1', local: '127.0.0.1' };
    case 'lan':
      return { address: '0.0.0.0', local: '127.0.0.1', reach: 'every network that this machine is in' };
    case 'tailnet': {
      const address = findTailnet(addresses);
      if (address !== undefined) return { address, local: address, reach: 'the machines of your tailnet' };
      // As OpenClaw: only this machine then.
      return { address: '127.0.0.1', local: '127.0.0.1' };
    }
    case 'custom': {
      if (customBindHost === undefined)
        throw new OpenBotError('USAGE', 'gateway.bind is custom, and gateway.customBindHost is not set', {
          hint: 'Set it to an address of this machine: openbot config set gateway.customBindHost 192.168.1.5',
        });
      const isAny = customBindHost === '0.0.0.0' || customBindHost === '::';
      if (isLoopback(customBindHost)) return { address: customBindHost, local: customBindHost };
      return {
        address: customBindHost,
        local: isAny ? '127.0.0.1' : customBindHost,
        reach: isAny ? 'every network that this machine is in' : `the network of ${customBindHost}`,
      };
    }
  }
}

function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}

/** Tailscale has addresses of 100.64.0.0/10, which are no one's elsewhere. */
function findTailnet(addresses: readonly Address[]): string | undefined {
  return addresses.find(({ family, address }) => {
    const [first, second = 0] = address.split('.').map(Number);
    return family === 'IPv4' && first === 100 && second >= 64 && second < 128;
  })?.address;
}
