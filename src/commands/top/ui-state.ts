import { parseFilter } from '../../gateway/console/live/filter.ts';

/** What the person chose with keys. */
export interface UiState {
  readonly isOver: boolean;
  readonly isPaused: boolean;
  readonly onlyRefusals: boolean;
  /** As `parseFilter` reads it. */
  readonly filter: string;
  /** The filter that is typed at the moment. Undefined: none. */
  readonly typed: string | undefined;
  /** What is wrong with the typed filter. */
  readonly fault: string | undefined;
}

export function begun(filter: string): UiState {
  return { isOver: false, isPaused: false, onlyRefusals: false, filter, typed: undefined, fault: undefined };
}

const CTRL_C = '\u0003';
const CTRL_U = '\u0015';
const ESCAPE = '\u001b';
const BACKSPACES = new Set(['\b', '\u007f']);
/** Characters of a filter. */
const LONGEST = 512;

/** The state after the input. A terminal may send several keys together, such as a pasted text. */
export function afterInput(state: UiState, input: string): UiState {
  // Arrows and function keys are sequences that begin with the character of Escape.
  if (input.startsWith(ESCAPE) && input.length > 1) return state;
  return [...input].reduce(afterKey, state);
}

function afterKey(state: UiState, key: string): UiState {
  if (key === CTRL_C) return { ...state, isOver: true };
  return state.typed === undefined ? (commands[key]?.(state) ?? state) : whileTyping(state, state.typed, key);
}

const commands: Readonly<Record<string, (state: UiState) => UiState>> = {
  q: (state) => ({ ...state, isOver: true }),
  p: (state) => ({ ...state, isPaused: !state.isPaused }),
  f: (state) => ({ ...state, onlyRefusals: !state.onlyRefusals }),
  '/': (state) => ({ ...state, typed: state.filter, fault: undefined }),
};

function whileTyping(state: UiState, typed: string, key: string): UiState {
  if (key === ESCAPE) return { ...state, typed: undefined, fault: undefined };
  if (key === '\r' || key === '\n') return applied(state, typed.trim());
  if (key === CTRL_U) return { ...state, typed: '', fault: undefined };
  if (BACKSPACES.has(key)) return { ...state, typed: [...typed].slice(0, -1).join(''), fault: undefined };
  if (key < ' ' || typed.length >= LONGEST) return state;
  return { ...state, typed: typed + key, fault: undefined };
}

function applied(state: UiState, filter: string): UiState {
  const parsed = parseFilter(filter);
  return parsed.ok ? { ...state, filter, typed: undefined, fault: undefined } : { ...state, fault: parsed.fault };
}
