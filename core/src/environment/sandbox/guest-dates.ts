/**
 * The `Date` of every sandbox, made when a script first names it from the engine's own and the frozen instant in
 * milliseconds. It never knows the time zone of the machine: its local time is UTC, and a text that names no zone is read
 * as UTC. Otherwise one task could have one verdict here and another there.
 */
export const guestDates = `(function (RealDate, now) {
  'use strict'
  const { apply, construct } = Reflect
  const { exec, test } = RegExp.prototype
  const Text = String
  const dates = RealDate.prototype
  const { toUTCString, setUTCFullYear } = dates
  const { parse, UTC } = RealDate
  const mostCharacters = 100
  // Read with a Z behind it, a text without a zone is one in UTC; the engine's parser takes a Z after some zones as well.
  const zone = /:[^]*[+-]\\d|[^a-z](?:gmt|utc|z|[ecmp][ds]t|[cew]es?t)(?![a-z])/i
  const parsed = (text) => {
    if (text.length > mostCharacters) return NaN
    const inUtc = parse(text + 'Z')
    return inUtc !== inUtc || apply(test, zone, [text]) ? parse(text) : inUtc
  }
  const instant = (value) => {
    const given = typeof value === 'object' && value !== null && !(value instanceof RealDate) ? value.valueOf() : value
    if (typeof given === 'string') return parsed(given)
    return typeof given === 'object' && given !== null && !(given instanceof RealDate) ? parsed(Text(given)) : given
  }
  const UtcDate = function (...parts) {
    if (new.target === undefined) return new RealDate(now).toString()
    const base = new.target === UtcDate ? RealDate : new.target
    const time = parts.length === 0 ? now : parts.length === 1 ? instant(parts[0]) : apply(UTC, RealDate, parts)
    return construct(RealDate, [time], base)
  }
  UtcDate.prototype = dates
  dates.constructor = UtcDate
  UtcDate.now = () => now
  UtcDate.parse = (text) => parsed(Text(text))
  UtcDate.UTC = UTC
  for (const part of ['Date', 'Day', 'FullYear', 'Hours', 'Milliseconds', 'Minutes', 'Month', 'Seconds']) {
    dates['get' + part] = dates['getUTC' + part]
    if (part !== 'Day') dates['set' + part] = dates['setUTC' + part]
  }
  const { getUTCFullYear, getUTCHours, getUTCMonth } = dates
  dates.getTimezoneOffset = function () { return apply(getUTCHours, this, []) * 0 }
  dates.getYear = function () { return apply(getUTCFullYear, this, []) - 1900 }
  dates.setYear = function (year) { return apply(setUTCFullYear, this, [year >= 0 && year <= 99 ? 1900 + +year : year]) }
  const layout = /^(\\w+), (\\d+) (\\w+) (\\S+) ((\\d+)(\\S+)) GMT$/
  const writing = (write) => function () {
    const found = apply(exec, layout, [apply(toUTCString, this, [])])
    return found === null ? 'Invalid Date' : write(found, apply(getUTCMonth, this, []) + 1)
  }
  const two = (number) => (number < 10 ? '0' : '') + number
  const day = ([, weekday, date, month, year]) => weekday + ' ' + month + ' ' + date + ' ' + year
  const time = (found) => found[5] + ' GMT+0000'
  const localDay = ([, , date, , year], month) => two(month) + '/' + date + '/' + year
  const localTime = ({ 6: hour, 7: rest }) => two(hour % 12 || 12) + rest + (hour < 12 ? ' AM' : ' PM')
  dates.toString = writing((found) => day(found) + ' ' + time(found))
  dates.toDateString = writing(day)
  dates.toTimeString = writing(time)
  dates.toLocaleString = writing((found, month) => localDay(found, month) + ', ' + localTime(found))
  dates.toLocaleDateString = writing(localDay)
  dates.toLocaleTimeString = writing(localTime)
  return UtcDate
})`
