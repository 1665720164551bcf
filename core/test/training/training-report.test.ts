import { expect, test } from 'vitest'
import { reportHtml } from '../../src/training/training-report.ts'

test('the report page escapes the configuration’s name and holds no script', () => {
  const page = reportHtml('<script>alert("x")</script>', [])
  expect(page).toContain('<h1>&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;</h1>')
  expect(page).not.toContain('<script')
  expect(page).toContain('Nothing was held out.')
})
