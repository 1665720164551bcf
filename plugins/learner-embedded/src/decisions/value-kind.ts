import type { SpanKind } from '../text/spans.ts'
import { type ParameterView, parameterShapes } from '../transcript/parameter-view.ts'

/** Whether a span of this kind can be written as a value of a parameter's type. */
export function acceptsKind(parameter: ParameterView, kind: SpanKind): boolean {
  switch (parameter.type) {
    case 'number':
    case 'integer':
      return kind === 'number'
    case 'boolean':
    case 'other':
      return false
    case 'string':
      return true
  }
}

/** Whether a span of this kind is what a parameter's text format asks for; any kind where it asks for none. */
export function fitsShape(parameter: ParameterView, kind: SpanKind): boolean {
  switch (parameter.shape) {
    case parameterShapes.date:
      return kind === 'date'
    case parameterShapes.time:
      return kind === 'time'
    case parameterShapes.email:
      return kind === 'email'
    default:
      return true
  }
}
