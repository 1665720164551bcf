/** The name of a kind of application, from which environments are made. */
export interface Seed {
  /** Kebab-case; the first environment made from it carries this id. */
  readonly id: string
  readonly name: string
  readonly description: string
  /** Key of the domain that its applications belong to. */
  readonly domain: string
  /** What this kind of application calls entities of the domain, by entity key; synonyms separated by `|`. */
  readonly nouns: Readonly<Record<string, string>>
}

export function seed(
  domain: string,
  name: string,
  description: string,
  nouns: Readonly<Record<string, string>> = {},
): Seed {
  return { id: name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'), name, description, domain, nouns }
}
