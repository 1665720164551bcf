import { codeVerifier } from '@rlenv/verifier-code'
import { describeVerifier } from 'rlenv/testing'

describeVerifier(() => codeVerifier())
describeVerifier(() => codeVerifier({ answers: 'sentence', partial: true }))
