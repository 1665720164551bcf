/** Behind this row id SQLite picks unused ones at random, which no log can repeat. */
export const largestRowid = 2n ** 63n - 1n
