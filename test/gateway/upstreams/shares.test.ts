import t from 'tap';
import { type Applicant, type RequestShare, Shares } from '../../../src/gateway/upstreams/shares.ts';
import fc from '../../support/properties.ts';
import { until } from '../../support/until.ts';

const OFFER = { connections: 4, capacity: 8 };
const ONE = '192.0.2.1';
const OTHER = '192.0.2.2';

interface Asked extends Applicant {
  went: number;
  gaveWay: number;
}

function asking(address: string, share = 0.5): Asked {
  const asked = {
    address,
    share,
    went: 0,
    gaveWay: 0,
    go: () => void asked.went++,
    giveWay: () => void asked.gaveWay++,
  };
  return asked;
}

const waits = (places: readonly RequestShare[]) => places.map((place) => place.waits);

t.test('an address gets at most its share of the connections; requests above it wait, in order', async (t) => {
  const shares = new Shares(OFFER);
  const asked = Array.from({ length: 5 }, () => asking(ONE));
  const places = asked.map((each) => shares.enter(each));
  t.strictSame(waits(places), [false, false, true, true, true]);
  t.strictSame(waits([shares.enter(asking(OTHER))]), [false]);
  t.strictSame(
    [...shares.held()],
    [
      [ONE, 2],
      [OTHER, 1],
    ],
  );
  places[0]?.leave();
  places[0]?.leave();
  t.ok(await until(() => asked[2]?.went === 1));
  t.strictSame(waits(places), [false, false, false, true, true]);
  places[3]?.leave();
  places[1]?.leave();
  t.ok(await until(() => asked[4]?.went === 1));
  t.equal(asked[3]?.went, 0, 'who left the line is not called');
});

t.test('a new request waits behind earlier ones of its address', async (t) => {
  const shares = new Shares(OFFER);
  const [first, , third] = Array.from({ length: 3 }, () => shares.enter(asking(ONE)));
  first?.leave();
  t.strictSame(waits([shares.enter(asking(ONE))]), [true]);
  t.equal(third?.waits, true, 'its turn is told later');
  t.ok(await until(() => third?.waits === false));
});

t.test('share 1 is no limit, and a single connection is for everyone', async (t) => {
  const all = new Shares(OFFER);
  t.strictSame(waits(Array.from({ length: 9 }, () => all.enter(asking(ONE, 1)))), new Array(9).fill(false));
  const single = new Shares({ connections: 1, capacity: 3 });
  t.strictSame(waits([single.enter(asking(ONE, 0.01)), single.enter(asking(ONE, 0.01))]), [false, true]);
});

t.test(
  'a tunnel does not count as a connection: an address with all its tunnels still has its connections',
  async (t) => {
    const shares = new Shares(OFFER);
    for (let open = 0; open < 4; open++) {
      t.equal(shares.mayTunnel(asking(ONE)), true);
      const place = shares.enter(asking(ONE));
      t.equal(place.waits, false);
      place.becomesTunnel();
    }
    t.equal(shares.mayTunnel(asking(ONE)), false);
    t.equal(shares.mayTunnel(asking(OTHER)), true);
    t.strictSame(waits([shares.enter(asking(ONE)), shares.enter(asking(ONE)), shares.enter(asking(ONE))]), [
      false,
      false,
      true,
    ]);
  },
);

t.test(
  'if every place is taken, the last request of an address above its share gives way to an address below',
  async (t) => {
    const shares = new Shares(OFFER);
    const asked = Array.from({ length: 8 }, () => asking(ONE));
    const places = asked.map((each) => shares.enter(each));
    const gaveWay = () => asked.map(({ gaveWay }) => gaveWay);
    t.strictSame([shares.mayMakeRoom(asking(ONE)), shares.mayMakeRoom(asking(OTHER))], [false, true]);
    t.strictSame(gaveWay(), Array(8).fill(0), 'nobody for a question');
    t.equal(shares.makeRoom(asking(ONE)), false);
    t.equal(shares.makeRoom(asking(OTHER)), true);
    t.strictSame(gaveWay(), [0, 0, 0, 0, 0, 0, 0, 1]);
    for (const place of places.slice(4)) place.leave();
    t.equal(shares.makeRoom(asking(OTHER)), false, 'nobody has more than its share');
  },
);

t.test('in any sequence no address has more than its share, and no request waits without a reason', async () => {
  const step = fc.record({ who: fc.nat(3), act: fc.constantFrom('enter', 'leave', 'tunnel'), which: fc.nat(20) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.constantFrom(0.25, 0.5, 0.9), async (steps, share) => {
      const most = Math.max(1, Math.floor(share * OFFER.connections));
      const shares = new Shares(OFFER);
      const open: RequestShare[] = [];
      for (const { who, act, which } of steps) {
        const place = open[which % Math.max(1, open.length)];
        if (act === 'enter') open.push(shares.enter(asking(`192.0.2.${who}`, share)));
        else if (act === 'tunnel') place?.becomesTunnel();
        else if (place !== undefined) open.splice(open.indexOf(place), 1)[0]?.leave();
        for (const held of shares.held().values()) if (held > most) return false;
      }
      await new Promise((done) => setImmediate(() => setImmediate(() => setImmediate(done))));
      return open.every(({ waits, applicant }) => !waits || (shares.held().get(applicant.address) ?? 0) >= most);
    }),
  );
});
