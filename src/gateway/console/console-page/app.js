// The frame of all pages, and the page that the address names.
import { render } from 'preact';
import { Health } from './health.js';
import { fill, texts } from './language.js';
import { Live } from './live.js';
import { Operator } from './operator.js';
import { Playground } from './playground.js';
import { Routes } from './routes.js';
import { addressOf, follow, page } from './state.js';
import { Token } from './token.js';
import { html } from './ui.js';

const pages = [
  ['live', Live],
  ['routes', Routes],
  ['playground', Playground],
  ['token', Token],
  ['health', Health],
];

function App() {
  const [name, Page] = pages.find(([each]) => each === page.value) ?? pages[0];
  document.title = fill(texts.frame.title, { page: texts.pages[name] });
  return html`
    <header>
      <a class="skip" href="#main" onClick=${skip}>${texts.frame.skip}</a>
      <span class="site">Gatehouse</span>
      <nav aria-label=${texts.frame.navigation}>
        ${pages.map(
          ([each]) => html`<a key=${each} href=${addressOf(each)} aria-current=${each === name ? 'page' : undefined}
            onClick=${(event) => follow(event, each)}>${texts.pages[each]}</a>`,
        )}
      </nav>
      <${Operator} />
    </header>
    <main id="main" tabindex="-1" key=${name}><${Page} /></main>
  `;
}

/** The fragment holds the state of the page, so the link itself must not change it. */
function skip(event) {
  event.preventDefault();
  document.getElementById('main').focus();
}

render(html`<${App} />`, document.getElementById('app'));
