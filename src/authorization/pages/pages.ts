/** The hosted pages turn a site and a plain view into a document. They know no request and no store. */
export { accountPage } from './account.ts';
export { type Asset, assetBase, assetHeaders, iconAsset, logoAsset, stylesheetAsset } from './assets.ts';
export { consentPage } from './consent.ts';
export { errorPage } from './error.ts';
export { type ErrorKind, errorStatus } from './error-kinds.ts';
export { formPostHeaders, formPostPage } from './form-post.ts';
export { pageHeaders } from './headers.ts';
export { loginHeaders, loginPage } from './login.ts';
export { logoutPage } from './logout.ts';
export { signedOutPage } from './signed-out.ts';
export { locales, textsFor } from './texts/languages.ts';
export type { Texts } from './texts/texts.ts';
export type * from './views.ts';
