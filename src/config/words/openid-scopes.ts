/** The scopes of OpenID Connect, and their texts on the consent page. `scopes` may replace a text. */
export const openidScopes: Readonly<Record<string, string>> = {
  openid: 'Know who you are',
  profile: 'See your name and your profile',
  email: 'See your email address',
  address: 'See your postal address',
  phone: 'See your phone number',
  offline_access: 'Keep this access after you sign out',
};

/** Scope → the claims that it requests (OpenID Connect Core §5.4). */
export const claimsOfScope: Readonly<Record<string, readonly string[]>> = {
  profile: [
    'name',
    'family_name',
    'given_name',
    'middle_name',
    'nickname',
    'preferred_username',
    'profile',
    'picture',
    'website',
    'gender',
    'birthdate',
    'zoneinfo',
    'locale',
    'updated_at',
  ],
  email: ['email', 'email_verified'],
  address: ['address'],
  phone: ['phone_number', 'phone_number_verified'],
};
