/** The addresses from which a key may be used: IP addresses, and ranges of them in CIDR notation. */
import { BlockList, isIPv4, isIPv6 } from 'node:net';

const LONGEST_PREFIX = { ipv4: 32, ipv6: 128 } as const;

const familyOf = (address: string): 'ipv4' | 'ipv6' | undefined => {
  if (isIPv4(address)) return 'ipv4';
  return isIPv6(address) ? 'ipv6' : undefined;
};

/** Undefined when the text is neither an address nor a range. */
const parseRange = (text: string) => {
  const [, address = '', digits] = /^([\da-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  const family = familyOf(address);
  if (family === undefined) return undefined;
  const prefix = Number(digits ?? LONGEST_PREFIX[family]);
  return prefix <= LONGEST_PREFIX[family] ? { address, prefix, family } : undefined;
};

export const isAddressRange = (text: string): boolean => parseRange(text) !== undefined;

/** Whether one of the ranges has the address. A text that is no address, and a damaged range, match nothing. */
export const isInRanges = (ranges: readonly string[], address: string): boolean => {
  const family = familyOf(address);
  if (family === undefined) return false;
  const list = new BlockList();
  for (const range of ranges.map(parseRange)) {
    // Otherwise the list would find IPv4 addresses in ranges of IPv6 too, such as `::/0`.
    const canMatch = range?.family === 'ipv4' || family === 'ipv6';
    if (range !== undefined && canMatch) list.addSubnet(range.address, range.prefix, range.family);
  }
  return list.check(address, family);
};
