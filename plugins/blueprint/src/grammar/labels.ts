/** What rows of an entity are called by people. `none`: they have no name and are reached through their owner. */
export type LabelKind =
  | 'person'
  | 'product'
  | 'place'
  | 'title'
  | 'company'
  | 'device'
  | 'project'
  | 'room'
  | 'team'
  | 'course'
  | 'code'
  | 'none'

const words = (text: string): readonly string[] => text.split(' ')

/** First and second half of a label, in capitalised words; combined freely. */
export const labelWords: Readonly<
  Record<Exclude<LabelKind, 'code' | 'none'>, readonly [readonly string[], readonly string[]]>
> = {
  person: [
    words(
      'Ada Alma Amir Ana Anton Aria Basil Bela Boris Carla Cem Chloe Cora Dario Dina Edda Elif Emil Enzo Erik Esra Fay Felix Flora Gita Greta Hana Hugo Ida Igor Ines Ivo Jana Jonas June Kai Kira Lars Lea Lior Lola Luca Maia Malik Mara Milo Mina Nadia Nils Nora Olga Omar Otto Paula Petra Priya Rafi Rosa Ruben Sana Selma Simon Tara Theo Tilda Uma Vera Viktor Wanda Yara Yusuf Zoe',
    ),
    words(
      'Abbott Acosta Adler Ahmadi Aoki Baker Barros Bauer Becker Bianchi Blom Boyd Brandt Carver Castro Cohen Costa Dahl Dean Diaz Dubois Duran Eriksen Evans Farrell Fischer Flynn Fuchs Garcia Gomez Greene Haas Hansen Hoffman Holt Ibarra Iyer Jansen Jensen Kaplan Keller Khan Klein Kowal Kumar Lang Larsen Lopez Lund Maier Marsh Meyer Mori Moreau Nair Navarro Novak Okafor Olsen Ortiz Park Perez Petrov Quinn Ramos Reyes Rossi Sato Schmid Silva Stone Tanaka Torres Vargas Vogel Walsh Weber Yilmaz Zhao',
    ),
  ],
  product: [
    words(
      'Amber Arctic Aspen Birch Brass Canvas Cedar Cobalt Copper Coral Cotton Crimson Ebony Fern Granite Indigo Ivory Jade Linen Maple Marble Midnight Oak Olive Onyx Pearl Pine Quartz Ruby Saffron Silver Slate Sterling Teal Velvet Walnut',
    ),
    words(
      'Backpack Basket Bench Blanket Bottle Bowl Camera Candle Chair Clock Compass Cushion Desk Drill Fan Flask Frame Grinder Hammer Heater Jacket Kettle Keyboard Lamp Lantern Mirror Mug Notebook Pan Pillow Radio Rug Scale Speaker Stool Tent Toaster Tray Vase Wallet',
    ),
  ],
  place: [
    words(
      'Alder Ash Bay Beacon Bridge Brook Castle Cedar Central Cliff Dale Eagle East Elm Falcon Forest Garden Grand Harbour Heron Hill Iron Lake Laurel Lower Market Meadow Mill North Old Orchard Park Prospect Queen River Royal South Spring Summit Sunset Upper Valley West Willow',
    ),
    words(
      'Corner Court Crossing Dock Field Gate Green Grove Hall Heights House Junction Landing Lodge Mews Parade Place Plaza Point Quarter Ridge Row Square Station Terrace Tower View Wharf Yard',
    ),
  ],
  title: [
    words(
      'Broken Burning Crystal Distant Eternal Fading Final Forgotten Frozen Gentle Golden Hidden Hollow Last Lonely Lost Painted Quiet Restless Salted Scarlet Secret Silent Sleeping Stolen Strange Tender Twisted Wandering Winter',
    ),
    words(
      'Anthem Archive Bridge Canyon Circle Compass Crown Daughter Echo Empire Garden Horizon Island Kingdom Letters Lighthouse Mountain Ocean Orchard Promise River Rhapsody Season Shadow Sonata Station Stranger Summer Voyage Window',
    ),
  ],
  company: [
    words(
      'Acorn Aldgate Apex Arbor Argent Atlas Aurora Bluefin Bright Cascade Cirrus Corvus Delta Ember Everest Fjord Galena Halcyon Harvest Helix Kestrel Keystone Lumen Meridian Nimbus Northwind Orbit Osprey Pinnacle Polaris Quantum Redwood Sable Solstice Summit Tidewater Umbra Vantage Vertex Zephyr',
    ),
    words(
      'Advisory Analytics Brothers Builders Capital Consulting Designs Dynamics Energy Foods Foundry Group Holdings Industries Labs Logistics Materials Media Motors Networks Partners Pharma Systems Textiles Trading Ventures Works',
    ),
  ],
  device: [
    words(
      'Attic Balcony Basement Bathroom Bedroom Cellar Corridor Den Driveway Entry Garage Garden Gym Hallway Kitchen Landing Laundry Library Loft Lounge Nursery Office Pantry Patio Porch Pool Roof Stair Study Workshop',
    ),
    words(
      'Alarm Blind Boiler Camera Chime Dimmer Door Fan Fridge Heater Humidifier Hub Lamp Lock Meter Monitor Oven Plug Printer Purifier Router Scanner Shutter Siren Speaker Spotlight Sprinkler Thermostat Vacuum Valve',
    ),
  ],
  project: [
    words('Project Operation Initiative Mission Programme Venture'),
    words(
      'Alpine Antler Avalanche Bamboo Beacon Blizzard Bluebird Cactus Canary Cobra Comet Cyclone Dolphin Dragonfly Eclipse Ember Falcon Firefly Glacier Hawk Hurricane Ironwood Jaguar Juniper Lagoon Lynx Magnet Mammoth Monsoon Nebula Nightingale Obsidian Orca Panther Pegasus Phoenix Puma Raven Sequoia Sparrow Sunrise Tempest Thunder Tornado Tundra Vortex Walrus Zenith',
    ),
  ],
  room: [
    words('Room Suite Studio Chamber Hall'),
    words(
      'A104 A118 A127 A203 A215 A231 A309 A322 A340 B101 B112 B126 B204 B219 B233 B307 B318 B335 C105 C117 C128 C206 C214 C230 C303 C321 C338 D102 D113 D129 D207 D216 D232 D304 D319 D336 E106 E115 E121 E208 E217 E234 E301 E326 E339',
    ),
  ],
  team: [
    words(
      'Amber Azure Bronze Cobalt Coral Crimson Emerald Golden Indigo Ivory Jade Lime Navy Ruby Scarlet Silver Teal Violet',
    ),
    words(
      'Badgers Bears Comets Condors Cougars Coyotes Dragons Eagles Falcons Foxes Giants Hawks Hornets Jackals Knights Lions Lynxes Otters Owls Panthers Pilots Pirates Rangers Ravens Rockets Sharks Spartans Tigers Vikings Wolves',
    ),
  ],
  course: [
    words(
      'Advanced Applied Basic Classical Creative Digital Everyday Experimental General Global Industrial Intensive Introductory Marine Medieval Modern Organic Practical Rural Social Technical Urban',
    ),
    words(
      'Acoustics Algebra Anatomy Archery Astronomy Baking Biology Botany Ceramics Chemistry Choreography Cycling Drawing Economics Ethics Fencing Geology Geometry Grammar History Judo Juggling Logic Music Nutrition Optics Painting Philosophy Physics Pilates Poetry Pottery Rhetoric Robotics Rowing Sailing Sculpture Statistics Theatre Yoga',
    ),
  ],
}
