/** Calls have left, or would leave, more than their instance can be asked about within its bounds. */
export class OutgrownState extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'OutgrownState'
  }
}
