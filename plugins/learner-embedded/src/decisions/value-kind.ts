import type { SpanKind } from '../text/spans.ts'
import type { ParameterView } from '../transcript/parameter-view.ts'

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
