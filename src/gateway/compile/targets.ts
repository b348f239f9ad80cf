import { renderEnvoy } from './envoy/render.ts';
import type { CompilePlan } from './plan.ts';

export interface CompileTarget {
  readonly description: string;
  /** The name of the output in the folder of `--out`. */
  readonly filename: string;
  render(plan: CompilePlan): string;
}

/** One row for each program that can judge in place of the gateway. */
export const compileTargets: Readonly<Record<string, CompileTarget>> = {
  envoy: {
    description: 'write the configuration of an Envoy that judges as this file says',
    filename: 'envoy.yaml',
    render: renderEnvoy,
  },
};
