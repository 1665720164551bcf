import { seed } from './seed.ts'

export const homesAndTravelSeeds = [
  seed('travel', 'Travel agency', 'Agents book stays, flights and day trips for holidaymakers.'),
  seed('travel', 'Ski resort office', 'A ski resort keeps guests, chalets, lift connections and guided runs.', {
    hotel: 'chalet|lodge',
    tour: 'ski tour|guided run',
  }),
  seed('travel', 'Cruise line desk', 'A cruise line books cabins, crossings and shore trips.', {
    flight: 'crossing|sailing',
    hotel: 'cruise ship|vessel',
    tour: 'shore trip|excursion',
  }),
  seed('travel', 'Safari operator', 'An operator sells lodge stays, bush flights and game drives.', {
    hotel: 'safari lodge|bush camp',
    tour: 'game drive|bush walk',
    guide: 'ranger|tracker',
  }),
  seed('travel', 'Business travel desk', 'An office arranges hotel nights and flights for its staff.', {
    traveller: 'business traveller|employee',
  }),
  seed('smart-home', 'Smart home hub', 'A household controls devices, routines, doors and alerts of its home.'),
  seed('smart-home', 'Office building control', 'Facility staff control appliances and doors on every floor.', {
    zone: 'floor area|wing',
    resident: 'employee|office worker',
  }),
  seed('smart-home', 'Student residence control', 'A student residence manages rooms, appliances and entry rights.', {
    resident: 'student|lodger',
  }),
  seed('smart-home', 'Greenhouse control', 'Growers steer lamps and valves and watch alerts in their greenhouses.', {
    zone: 'greenhouse|growing area',
    resident: 'gardener|grower',
  }),
  seed('smart-home', 'Holiday home control', 'Owners watch devices and doors of holiday homes from afar.', {
    zone: 'holiday home|cottage',
    resident: 'owner|caretaker',
  }),
  seed('property', 'Property management', 'Managers keep tenants, flats, leases and repairs of rented buildings.'),
  seed('property', 'Student housing office', 'A housing office rents rooms to students.', {
    tenant: 'student|lodger',
    unit: 'dorm room|student flat',
  }),
  seed('property', 'Coworking space', 'A coworking space rents offices to small firms and fixes what breaks.', {
    tenant: 'freelancer|office member',
    unit: 'office|workspace',
  }),
  seed('property', 'Holiday flat rental', 'An agency lets holiday flats by the season.', {
    tenant: 'holiday guest|seasonal renter',
  }),
  seed('property', 'Retirement residence', 'A residence keeps residents, apartments and repair jobs.', {
    tenant: 'resident|pensioner',
  }),
  seed('restaurant', 'Restaurant', 'Waiters take reservations and orders; the kitchen keeps its dishes.'),
  seed('restaurant', 'Sushi bar', 'A sushi bar manages seats, reservations and platters.', { dish: 'platter|roll' }),
  seed('restaurant', 'Pizzeria', 'A pizzeria manages tables, orders and its pizzas.', { dish: 'pizza|pie' }),
  seed('restaurant', 'Beach cafe', 'A cafe by the sea keeps its regulars, tables and snacks.', {
    guest: 'regular|cafe visitor',
    dish: 'snack|cake',
  }),
  seed('restaurant', 'Catering kitchen', 'A catering firm books parties and serves menus.', {
    table: 'party room|banquet room',
    dish: 'menu|buffet',
  }),
  seed('rental', 'Car rental', 'Clerks rent cars at several stations, and fix and clean them.'),
  seed('rental', 'Bike hire', 'A shop hires out bikes at pick-up points around town.', { vehicle: 'bike|bicycle' }),
  seed('rental', 'Boat charter', 'A harbour firm charters boats and keeps them fit for sea.', {
    vehicle: 'boat|yacht',
    station: 'marina|jetty',
    customer: 'charterer|skipper',
  }),
  seed('rental', 'Scooter sharing', 'A service rents scooters by the day.', {
    vehicle: 'scooter|moped',
    customer: 'rider|customer',
  }),
] as const
