import type { EnvoyPart } from './part.ts';

/** Expressions of CEL, as the parsed form that RBAC takes. An error in an expression is false. */

export function call(name: string, ...args: readonly EnvoyPart[]): EnvoyPart {
  return { call_expr: { function: name, args } };
}

export function callOn(target: EnvoyPart, name: string, ...args: readonly EnvoyPart[]): EnvoyPart {
  return { call_expr: { target, function: name, args } };
}

export function numberConst(double_value: number): EnvoyPart {
  return { const_expr: { double_value } };
}

export function textConst(string_value: string): EnvoyPart {
  return { const_expr: { string_value } };
}

/** `a.b.c`. */
export function members(name: string, ...fields: readonly string[]): EnvoyPart {
  return fields.reduce<EnvoyPart>((operand, field) => ({ select_expr: { operand, field } }), { ident_expr: { name } });
}

export function fieldIn(operand: EnvoyPart, field: string): EnvoyPart {
  return { select_expr: { operand, field } };
}

export function hasMember(operand: EnvoyPart, field: string): EnvoyPart {
  return { select_expr: { operand, field, test_only: true } };
}
