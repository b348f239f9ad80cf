import { paint } from '../live/paint.ts';
import type { Replica } from '../live/replica.ts';
import { frame } from './frame.ts';
import { openScreen } from './screen.ts';
import { afterInput, begun } from './ui-state.ts';
import { type View, Watch } from './watch.ts';

/** Milliseconds. */
const EVERY = 1000;

/** Shows the gateways until a key ends it, the signal fires, or every gateway refuses. Returns the last view. */
export async function fullScreen(replicas: readonly Replica[], filter: string, over: AbortSignal): Promise<View> {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  let state = begun(filter);
  let watch = begin(replicas, filter, end);
  let shown = watch.view();
  const redraw = () => screen.draw(frame(shown, state, screen.size(), paint));
  const refresh = () => {
    if (!state.isPaused) shown = watch.view();
    redraw();
  };
  const onInput = (text: string) => {
    const { filter: before } = state;
    state = afterInput(state, text);
    if (state.isOver) end();
    if (state.filter !== before) {
      watch.close();
      watch = begin(replicas, state.filter, end, watch);
      shown = watch.view();
    }
    refresh();
  };
  over.addEventListener('abort', () => end(), { once: true });
  const screen = openScreen({ onInput, onResize: redraw });
  const timer = setInterval(refresh, EVERY);
  refresh();
  await ended;
  clearInterval(timer);
  screen.leave();
  watch.close();
  return watch.view();
}

function begin(replicas: readonly Replica[], filter: string, end: () => void, before?: Watch): Watch {
  const watch = new Watch(replicas, filter, before);
  void watch.ended.then(() => watch.isRefused && end());
  return watch;
}
