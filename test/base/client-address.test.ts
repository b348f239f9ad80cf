import t from 'tap';
import { parseCidr } from '../../src/base/cidr.ts';
import { addressBlock, blockName } from '../../src/base/client-address.ts';

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
  t.test(`${address || 'nothing'} counts as ${block || 'nothing'}`, async (t) => {
    t.equal(addressBlock(address), block);
  });

t.test('a block has the form that a file may use', async (t) => {
  t.equal(blockName('192.0.2.7'), '192.0.2.7');
  t.equal(blockName('2001:db8::1'), '2001:db8:0:0::/64');
  t.equal(blockName('unknown'), 'unknown');
  for (const address of ['192.0.2.7', '2001:db8::1', '::1', 'fe80::1%eth0', '::ffff:c000:207'])
    t.ok(parseCidr(blockName(address)), address);
});

t.test('a site counts by its /56 or /48, and blocks of different lengths never have the same spelling', async (t) => {
  t.equal(addressBlock('2001:db8:1:2345::1', 48), '2001:db8:1');
  t.equal(addressBlock('2001:db8:1:2345::1', 56), addressBlock('2001:db8:1:23ff::9', 56));
  t.not(addressBlock('2001:db8:1:2345::1', 56), addressBlock('2001:db8:1:2445::1', 56));
  const lengths = [64, 56, 48] as const;
  t.equal(new Set(lengths.map((length) => addressBlock('2001:db8::1', length))).size, 3);
  for (const address of ['192.0.2.7', '::ffff:192.0.2.7', 'unknown', ''])
    t.equal(new Set(lengths.map((length) => addressBlock(address, length))).size, 1, address);
});
