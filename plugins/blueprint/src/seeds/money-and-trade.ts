import { seed } from './seed.ts'

export const moneyAndTradeSeeds = [
  seed('bank', 'Retail bank', 'Branch staff manage accounts, cards, loans and payments of private customers.'),
  seed('bank', 'Credit union', 'Members keep share accounts, cards and loans with a cooperative.', {
    customer: 'member|saver',
    account: 'share account|savings account',
  }),
  seed('bank', 'Business banking desk', 'Advisers serve companies with accounts, cards and credit lines.', {
    customer: 'business owner|client',
    loan: 'credit line|loan',
  }),
  seed('bank', 'Private banking office', 'Advisers look after portfolios and meetings of wealthy clients.', {
    customer: 'client|investor',
    account: 'portfolio|investment account',
  }),
  seed('bank', 'Student banking app', 'Students manage their first account, card and study loan.', {
    customer: 'student|young customer',
    loan: 'study loan|student loan',
  }),
  seed('shop', 'Online shop', 'Shop staff handle products, orders, parcels and reviews of a web store.'),
  seed('shop', 'Bookstore', 'A bookstore sells titles online, ships parcels and collects reviews.', {
    customer: 'reader|buyer',
    product: 'book|title',
  }),
  seed('shop', 'Garden centre', 'A garden centre sells plants and tools and delivers them.', {
    product: 'plant|garden article',
    carrier: 'haulier|courier',
  }),
  seed('shop', 'Electronics store', 'A store sells gadgets, handles returns and vouchers.', {
    product: 'gadget|appliance',
  }),
  seed('shop', 'Bike shop', 'A bike shop sells bikes and parts and ships orders.', { product: 'bike part|accessory' }),
] as const
