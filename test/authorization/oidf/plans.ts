import type { PlanModule } from './module.ts';
import { backChannelModules } from './modules/back-channel-logout.ts';
import { codeModules } from './modules/codes.ts';
import { discoveryModules } from './modules/discovery.ts';
import { hintModules } from './modules/hints.ts';
import { idTokenModules } from './modules/id-tokens.ts';
import { logoutModules } from './modules/logout.ts';
import { refreshModules } from './modules/refresh.ts';
import { requestObjectModules } from './modules/request-objects.ts';
import { responseModules } from './modules/responses.ts';
import { scopeModules } from './modules/scopes.ts';
import { sessionModules } from './modules/sessions.ts';
import { userinfoModules } from './modules/userinfo.ts';
import type { AnswerMode } from './party.ts';

/** A plan of the suite. */
export interface Plan {
  readonly name: string;
  readonly mode: AnswerMode;
  readonly modules: readonly PlanModule[];
}

const basicModules: readonly PlanModule[] = [
  ...responseModules,
  ...idTokenModules,
  ...userinfoModules,
  ...scopeModules,
  ...hintModules,
  ...sessionModules,
  ...codeModules,
  ...requestObjectModules,
  ...refreshModules,
];

export const config: Plan = {
  name: 'oidcc-config-certification-test-plan',
  mode: 'query',
  modules: discoveryModules,
};

export const basic: Plan = { name: 'oidcc-basic-certification-test-plan', mode: 'query', modules: basicModules };

/** The modules of the basic plan, with another response mode. */
export const formPost: Plan = {
  name: 'oidcc-formpost-basic-certification-test-plan',
  mode: 'form_post',
  modules: basicModules,
};

export const rpLogout: Plan = {
  name: 'oidcc-rp-initiated-logout-certification-test-plan',
  mode: 'query',
  modules: logoutModules,
};

export const backChannelLogout: Plan = {
  name: 'oidcc-backchannel-rp-initiated-logout-certification-test-plan',
  mode: 'query',
  modules: backChannelModules,
};

export const plans: readonly Plan[] = [config, basic, formPost, rpLogout, backChannelLogout];
