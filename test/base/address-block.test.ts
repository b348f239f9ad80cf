import t from 'tap';
import { addressBlock } from '../../src/base/address-block.ts';

const blocks: readonly (readonly [address: string, block: string])[] = [
  ['192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:0DB8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2'],
  ['2001:db8:1:2::', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['2001:db8::2:0:0:0:1', '2001:db8:0:2'],
  ['::1', '0:0:0:0'],
  ['::', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:c000:207', '192.0.2.7'],
  ['64:ff9b::192.0.2.33', '64:ff9b:0:0'],
  ['1:2:3', '1:2:3'],
  ['not:an:address', 'not:an:address'],
  ['unknown', 'unknown'],
  ['', ''],
];

for (const [address, block] of blocks)
  t.test(`${address || 'nothing'} is counted as ${block || 'nothing'}`, async (t) => {
    t.equal(addressBlock(address), block);
  });
