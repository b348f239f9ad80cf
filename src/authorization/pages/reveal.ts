import { type Html, html } from './html.ts';
import { ownScript } from './script.ts';

/**
 * Shows and hides the password. Without scripts, the button stays hidden. Before the form is sent, the field hides the password
 * again: browsers remember the text of other fields.
 */
export const reveal = ownScript(html`<script>
{
  const button = document.querySelector('.reveal');
  const field = document.getElementById('password');
  const turn = (type) => {
    if (field.type === type) return;
    field.type = type;
    [button.textContent, button.dataset.other] = [button.dataset.other, button.textContent];
  };
  button.addEventListener('click', () => turn(field.type === 'text' ? 'password' : 'text'));
  field.form.addEventListener('submit', () => turn('password'));
  button.hidden = false;
}
</script>`);

export function revealButton({ show, hide }: { readonly show: string; readonly hide: string }): Html {
  return html`<button class="link reveal" type="button" aria-controls="password" data-other="${hide}" hidden>${show}</button>`;
}
