import type { PlanModule } from '../module.ts';

/** RP-initiated logout. */
export const logoutModules: readonly PlanModule[] = [];
