/**
 * Runs in every sandbox before any script, and takes the function that carries text to the host. The engine asks about
 * its deadline once in 1,000 loops and calls, whatever a single call costs, and never inside a built-in. So each built-in
 * whose work grows with its input counts that work here and asks as well; lists that can only be long by being empty,
 * and searches whose cost is a product, are refused. There is no Proxy, because nothing can be known of one.
 */
export const guestBounds = `(function (ask) {
  'use strict'
  const { apply, construct, ownKeys } = Reflect
  const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf } = Object
  const { isArray } = Array
  const { isView } = ArrayBuffer
  const { map } = Array.prototype
  const Text = String
  const OutOfRange = RangeError
  const WrongType = TypeError
  const viewLength = getOwnPropertyDescriptor(getPrototypeOf(Uint8Array.prototype), 'length').get
  const mostElements = 2097152, mostComparisons = 200000000, patience = 100000
  let spent = 0
  const spend = (work) => {
    spent += work
    if (spent < patience) return
    spent = 0
    if (ask('late') !== '') throw new OutOfRange('out of time')
  }
  const lengthOf = (list) => {
    // A list's own length is no accessor, and nothing can make it one.
    if (isArray(list) && list.length <= mostElements) return list.length
    if (list === undefined || list === null) return 0
    if (typeof list === 'string') return list.length
    const own = typeof list === 'object' || typeof list === 'function' ? getOwnPropertyDescriptor(list, 'length') : undefined
    if (own === undefined || typeof own.value !== 'number') throw new WrongType('not a list with a length of its own')
    if (own.value > mostElements) throw new OutOfRange('a list of more than ' + mostElements + ' elements')
    return own.value
  }
  const replace = (holder, name, make) => {
    const native = holder[name]
    if (typeof native !== 'function') return
    // Writing to a property that is there keeps it out of enumerations.
    holder[name] = { [name](...given) { return make(native, this, given) } }[name]
  }
  const each = (holder, names, make) => { for (let i = 0; i < names.length; i++) replace(holder, names[i], make) }

  const listWork = (native, list, given) => {
    spend(lengthOf(list))
    return apply(native, list, given)
  }
  // What is read twice can differ, and a species is the script's own: lists in lists are copied here, where loops are heard.
  const flatten = (list, depth, into) => {
    const length = lengthOf(list)
    for (let i = 0; i < length; i++) {
      if (!(i in list)) continue
      const value = list[i]
      if (depth >= 1 && isArray(value)) flatten(value, depth - 1, into)
      else into[into.length] = value
    }
    return into
  }
  const plain = (value) => {
    if (!isArray(value)) return [value]
    const length = lengthOf(value)
    const same = []
    for (let i = 0; i < length; i++) {
      if (i in value) same[i] = value[i]
    }
    same.length = length
    return same
  }
  const lists = Array.prototype
  each(lists, ['join', 'toLocaleString', 'indexOf', 'lastIndexOf', 'includes', 'reverse', 'fill', 'copyWithin', 'splice',
    'slice', 'shift', 'unshift', 'sort', 'forEach', 'map', 'filter', 'reduce', 'reduceRight', 'some', 'every', 'find',
    'findIndex', 'findLast', 'findLastIndex', 'with', 'toReversed', 'toSorted', 'toSpliced', 'keys', 'values', 'entries'],
    listWork)
  lists[Symbol.iterator] = lists.values
  replace(lists, 'concat', (native, list, given) => {
    const all = []
    for (let i = 0; i < given.length; i++) all[i] = plain(given[i])
    return apply(native, plain(list), all)
  })
  replace(lists, 'flat', (_native, list, given) => flatten(list, given[0] === undefined ? 1 : +given[0], []))
  replace(lists, 'flatMap', (_native, list, given) => {
    spend(lengthOf(list))
    return flatten(apply(map, list, given), 1, [])
  })

  const views = getPrototypeOf(Uint8Array.prototype)
  each(views, ['set', 'fill', 'slice', 'sort', 'reverse', 'copyWithin', 'join', 'toLocaleString', 'indexOf', 'lastIndexOf',
    'includes', 'forEach', 'map', 'filter', 'reduce', 'reduceRight', 'some', 'every', 'find', 'findIndex', 'findLast',
    'findLastIndex', 'with', 'toReversed', 'toSorted'], (native, view, given) => {
    if (isView(view)) spend(apply(viewLength, view, []))
    if (given.length > 0 && isArray(given[0])) spend(lengthOf(given[0]))
    return apply(native, view, given)
  })
  const renew = (name, make) => {
    const Real = globalThis[name]
    if (typeof Real !== 'function') return
    const Bounded = function (...given) {
      if (new.target === undefined) throw new WrongType('constructor requires new')
      return make(Real, given, new.target === Bounded ? Real : new.target)
    }
    defineProperty(Bounded, 'name', { value: name, configurable: true })
    Object.setPrototypeOf(Bounded, Real)
    Bounded.prototype = Real.prototype
    Real.prototype.constructor = Bounded
    globalThis[name] = Bounded
  }
  const sized = (Real, given, target) => {
    const made = construct(Real, given, target)
    spend(isView(made) ? apply(viewLength, made, []) : made.byteLength)
    return made
  }
  for (const name of ['ArrayBuffer', 'Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array',
    'Int32Array', 'Uint32Array', 'BigInt64Array', 'BigUint64Array', 'Float16Array', 'Float32Array', 'Float64Array']) renew(name, sized)

  const strings = String.prototype
  const { includes, replaceAll } = strings
  const textOf = (value) => {
    if (value === undefined || value === null) throw new WrongType('cannot convert undefined or null to a text')
    const text = typeof value === 'string' ? value : Text(value)
    spend(text.length)
    return text
  }
  const onText = (native, value, given) => apply(native, textOf(value), given)
  each(strings, ['concat', 'slice', 'substring', 'substr', 'toUpperCase', 'toLowerCase', 'toLocaleUpperCase',
    'toLocaleLowerCase', 'normalize', 'trim', 'trimStart', 'trimEnd', 'match', 'matchAll', 'search', 'startsWith',
    'endsWith', 'localeCompare', 'isWellFormed', 'toWellFormed'], onText)
  each(strings, ['repeat', 'padStart', 'padEnd'], (native, value, given) => {
    const made = apply(native, textOf(value), given)
    spend(made.length)
    return made
  })
  const sought = (text, value) => {
    const part = typeof value === 'string' ? value : Text(value)
    if (text.length * part.length > mostComparisons && part.length < text.length) {
      throw new OutOfRange('a search for ' + part.length + ' characters in ' + text.length)
    }
    return part
  }
  const Pattern = RegExp
  each(strings, ['indexOf', 'lastIndexOf', 'includes'], (native, value, given) => {
    const text = textOf(value)
    if (native === includes && given[0] instanceof Pattern) throw new WrongType('a pattern cannot be included')
    if (given.length > 0) given[0] = sought(text, given[0])
    return apply(native, text, given)
  })
  const splitting = (symbol) => (native, value, given) => {
    const text = textOf(value)
    const by = given[0]
    const second = given[1]
    if (native === replaceAll && by instanceof Pattern && !by.global) throw new WrongType('the pattern is not global')
    if (by === undefined || by === null) return apply(native, text, given)
    const own = typeof by === 'object' || typeof by === 'function' ? by[symbol] : undefined
    if (own !== undefined && own !== null) return apply(own, by, [text, second])
    return apply(native, text, [sought(text, by), second])
  }
  replace(strings, 'split', splitting(Symbol.split))
  each(strings, ['replace', 'replaceAll'], splitting(Symbol.replace))

  const patterns = RegExp.prototype
  each(patterns, ['exec', 'test', Symbol.match, Symbol.matchAll, Symbol.replace, Symbol.search, Symbol.split],
    (native, pattern, given) => {
      const text = given.length > 0 && typeof given[0] === 'string' ? given[0] : Text(given[0])
      spend(text.length)
      given[0] = text
      return apply(native, pattern, given)
    })

  const before = (native, self, given) => {
    if (given.length > 0) {
      if (typeof given[0] === 'string') spend(given[0].length)
      else if (isArray(given[0])) spend(lengthOf(given[0]))
    }
    return apply(native, self, given)
  }
  const after = (native, self, given) => {
    const made = apply(native, self, given)
    spend(typeof made === 'string' || isArray(made) ? made.length : 100)
    return made
  }
  each(globalThis, ['parseInt', 'parseFloat', 'encodeURI', 'encodeURIComponent', 'decodeURI', 'decodeURIComponent',
    'escape', 'unescape', 'eval'], before)
  each(JSON, ['parse'], before)
  each(JSON, ['stringify'], after)
  each(Object, ['keys', 'values', 'entries', 'getOwnPropertyNames', 'getOwnPropertySymbols'], after)
  each(Object, ['assign', 'fromEntries', 'freeze', 'seal', 'isFrozen', 'isSealed', 'groupBy', 'getOwnPropertyDescriptors'],
    (native, self, given) => {
      for (let i = 0; i < given.length; i++) {
        const value = given[i]
        if (value !== null && (typeof value === 'object' || typeof value === 'function')) spend(ownKeys(value).length)
      }
      return apply(native, self, given)
    })
  for (const holder of [Map.prototype, Set.prototype]) {
    const size = getOwnPropertyDescriptor(holder, 'size').get
    each(holder, ['forEach', 'keys', 'values', 'entries'], (native, self, given) => {
      spend(apply(size, self, []))
      return apply(native, self, given)
    })
    holder[Symbol.iterator] = holder === Map.prototype ? holder.entries : holder.values
  }
  // A list may grow while it is gone through: collecting what comes ends when memory does, and a set of one value never.
  renew('Set', (Real, given, target) => {
    const values = given[0]
    return construct(Real, values === undefined || values === null ? [] : [[...values]], target)
  })
  const untimely = ['union', 'intersection', 'difference', 'symmetricDifference', 'isSubsetOf', 'isSupersetOf', 'isDisjointFrom']
  for (const name of untimely) delete Set.prototype[name]
  replace(Iterator.prototype, 'drop', (native, self, given) => {
    const count = +given[0]
    if (count > mostElements) throw new OutOfRange('more than ' + mostElements + ' elements dropped')
    return apply(native, self, [count])
  })
  each(BigInt.prototype, ['toString', 'toLocaleString'], after)
  each(Reflect, ['ownKeys'], after)
  delete globalThis.Proxy
})`
