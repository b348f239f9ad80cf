import t, { type Test } from 'tap';
import { parametersOf } from './authorization.ts';
import { logIn } from './happy-flow.ts';
import { Judge } from './judge.ts';
import { endpointOf, type Party, prepare } from './party.ts';
import { type Form, formsOf } from './provider/forms.ts';
import { startProvider } from './provider/provider.ts';
import type { SeenPage } from './provider/user-agent.ts';

async function party(t: Test): Promise<Party> {
  return prepare({ judge: new Judge(), provider: await startProvider(t), mode: 'query' });
}

/** The forms of the page where the user must do something. */
async function formsAt(party: Party, page: SeenPage, url: URL): Promise<readonly Form[]> {
  return formsOf((await party.browser.visit({ url }, page)).last.body);
}

function requestOf(party: Party, scope: string): URL {
  const url = endpointOf(party, 'authorization_endpoint');
  url.search = new URLSearchParams(parametersOf(party, { scope })).toString();
  return url;
}

const shown = ({ fields }: Form) => fields.filter(({ type }) => type !== 'hidden');

t.test('the login page has one form with username, password and one submit button', async (t) => {
  const one = await party(t);
  const [form, ...others] = await formsAt(one, 'login', requestOf(one, 'openid'));
  t.equal(others.length, 0, 'no other form');
  const fields = form === undefined ? [] : shown(form);
  const ids = fields.map(({ name, id, type }) => [name, id, type]);
  t.strictSame(ids, [
    ['username', 'username', 'text'],
    ['password', 'password', 'password'],
  ]);
  t.equal(form?.buttons.length, 1);
  t.equal(form?.method, 'POST');
});

t.test('the consent page has the scopes as ticked boxes, and the buttons deny and allow', async (t) => {
  const one = await party(t);
  const forms = await formsAt(one, 'consent', requestOf(one, 'openid email'));
  const form = forms.find(({ buttons }) => buttons.some(({ name }) => name === 'decision'));
  t.strictSame(
    form?.buttons.map(({ name, value }) => [name, value]),
    [
      ['decision', 'deny'],
      ['decision', 'allow'],
    ],
  );
  const boxes = form === undefined ? [] : shown(form);
  t.strictSame(
    boxes.map(({ name, type, value }) => [name, type, value]),
    [['scope', 'checkbox', 'email']],
  );
});

t.test('the question before a logout has one submit button and nothing to fill in', async (t) => {
  const one = await party(t);
  await logIn(one);
  const [form, ...others] = await formsAt(one, 'logout', endpointOf(one, 'end_session_endpoint'));
  t.equal(others.length, 0, 'no other form');
  t.equal(form?.buttons.length, 1);
  t.strictSame(form === undefined ? undefined : shown(form), []);
});
