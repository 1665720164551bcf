import type { Opcode } from './opcodes.ts'

/** Instructions that may go on at the address in `p2`. Source: those marked as jumps in the pinned version's opcodes. */
const jumps = new Set(
  `Goto Gosub InitCoroutine Yield MustBeInt If IfNot IsNull NotNull IsType IfNullRow Eq Ne Lt Le Gt Ge ElseEq Once Found
   NotFound NoConflict NotExists SeekRowid SeekScan SeekLT SeekLE SeekGE SeekGT IfNotOpen IfNoHope IfEmpty IfSizeBetween Last
   SorterSort Sort Rewind SorterNext Next Prev IdxLE IdxLT IdxGE IdxGT RowSetRead RowSetTest Program FkIfZero IfPos
   IfNotZero DecrJumpZero VFilter VNext Filter`.split(/\s+/),
)

/** Instructions behind which a program never goes on. */
const ends = new Set(['Goto', 'Halt'])

/** Lengths of the texts that a program's registers hold at most, from one instruction to the next. */
export class RegisterFlow {
  /** At the instruction that is looked at, by register. */
  lengths = new Map<number, number>()
  /** What comes to an address from elsewhere. */
  readonly #incoming = new Map<number, Map<number, number>>()
  /** Where subroutines return to. */
  readonly #returns = new Set<number>()

  enter(address: number): void {
    const incoming = this.#incoming.get(address)
    if (incoming !== undefined) mergeInto(this.lengths, incoming)
  }

  leave({ addr, opcode, p1, p2, p3 }: Opcode): void {
    if (opcode === 'Gosub') this.#returns.add(addr + 1)
    const targets =
      opcode === 'Jump' ? [p1, p2, p3] : opcode === 'Return' ? this.#returns : jumps.has(opcode) ? [p2] : []
    for (const target of targets) this.#flow(target)
    if (ends.has(opcode)) this.lengths = new Map()
  }

  #flow(address: number): void {
    const incoming = this.#incoming.get(address)
    if (incoming === undefined) this.#incoming.set(address, new Map(this.lengths))
    else mergeInto(incoming, this.lengths)
  }
}

function mergeInto(lengths: Map<number, number>, others: ReadonlyMap<number, number>): void {
  for (const [register, length] of others) lengths.set(register, Math.max(length, lengths.get(register) ?? 0))
}
