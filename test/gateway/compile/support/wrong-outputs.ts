// biome-ignore lint/suspicious/noExplicitAny: the objects of other programs have no types here
type Objects = any;

/** Changes an output in place, to what a naive compiler would write. */
export type WrongOutput = (objects: readonly Objects[]) => void;

function specsOf(objects: readonly Objects[], kind: string): readonly Objects[] {
  return objects.filter((object) => object.kind === kind).map(({ spec }) => spec);
}

function isOpen({ rules: [{ filters }] }: Objects): boolean {
  return filters.every(({ type }: Objects) => type !== 'ExternalAuth');
}

/** In rules of Gateway API that ask no one. */
function eachMatch(change: (match: Objects) => void): WrongOutput {
  return (objects) => {
    for (const spec of specsOf(objects, 'HTTPRoute').filter(isOpen))
      for (const match of spec.rules[0].matches) change(match);
  };
}

function eachPrincipal(change: (jwt: Objects) => void): WrongOutput {
  return (objects) => {
    for (const { authorization } of specsOf(objects, 'SecurityPolicy'))
      for (const { principal } of authorization?.rules ?? []) change(principal.jwt);
  };
}

/** In the rules of the policy that allows. */
function eachRule(change: (rule: Objects) => void): WrongOutput {
  return (objects) => {
    for (const { action, rules } of specsOf(objects, 'AuthorizationPolicy'))
      if (action === 'ALLOW') for (const rule of rules ?? []) change(rule);
  };
}

function eachOperation(change: (operation: Objects) => void): WrongOutput {
  return eachRule(({ to }) => {
    for (const { operation } of to ?? []) change(operation);
  });
}

function removing(objects: readonly Objects[], isWanted: (object: Objects) => boolean): void {
  const kept = objects.filter((object) => !isWanted(object));
  (objects as Objects[]).splice(0, objects.length, ...kept);
}

export const wrongOutputs: Readonly<Record<string, Readonly<Record<string, WrongOutput>>>> = {
  'gateway-api': {
    'a rule that does not ask': (objects) => {
      for (const { rules } of specsOf(objects, 'HTTPRoute')) rules[0].filters = [];
    },
    'a prefix for one open path': eachMatch(({ path }) => {
      path.type = 'PathPrefix';
    }),
    'every method for an open path': eachMatch((match) => {
      delete match.method;
    }),
  },
  'envoy-gateway': {
    'no policy': (objects) => removing(objects, ({ kind }) => kind === 'SecurityPolicy'),
    'no scopes': eachPrincipal((jwt) => {
      delete jwt.scopes;
    }),
    'no claims': eachPrincipal((jwt) => {
      delete jwt.claims;
    }),
  },
  istio: {
    'no policy that asks': (objects) => removing(objects, ({ spec }) => spec.action === 'CUSTOM'),
    'no conditions': eachRule((rule) => {
      delete rule.from;
      delete rule.when;
    }),
    'no scopes': eachRule((rule) => {
      rule.when = rule.when?.filter(({ key }: Objects) => !key.includes('scope'));
    }),
    'no audience': eachRule((rule) => {
      rule.when = rule.when?.filter(({ key }: Objects) => !key.includes('audiences'));
    }),
    'a wide rule beside narrow ones': eachOperation((operation) => {
      delete operation.notPaths;
    }),
  },
};
