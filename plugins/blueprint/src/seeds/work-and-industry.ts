import { seed } from './seed.ts'

export const workAndIndustrySeeds = [
  seed('crm', 'Sales CRM', 'Sales staff keep companies, contacts, deals and quotes.'),
  seed('crm', 'Advertising agency CRM', 'An agency looks after brands, pitches and campaigns.', {
    company: 'brand|advertiser',
    deal: 'pitch|account lead',
  }),
  seed('crm', 'Software reseller CRM', 'A reseller tracks licences, offers and customers.', {
    deal: 'licence deal|opportunity',
  }),
  seed('crm', 'Wine importer CRM', 'An importer sells wine to restaurants through its sales reps.', {
    company: 'wine bar|retailer',
    contact: 'sommelier|buyer',
  }),
  seed('crm', 'Real estate CRM', 'Brokers keep developers, prospects and deals.', {
    company: 'developer|investor',
    contact: 'prospect|lead',
  }),
  seed('projects', 'Project tracker', 'Teams plan projects, tasks and milestones and log their time.'),
  seed('projects', 'Construction projects', 'A builder tracks sites, jobs and risks.', {
    project: 'building site|construction job',
    task: 'work package|site task',
    member: 'foreman|builder',
  }),
  seed('projects', 'Research lab tracker', 'A lab plans studies, experiments and papers.', {
    project: 'study|research project',
    task: 'experiment|lab task',
    member: 'researcher|scientist',
  }),
  seed('projects', 'Game studio planner', 'A studio plans games and features.', {
    project: 'game project|title in work',
    task: 'feature|level job',
  }),
  seed('projects', 'Film production planner', 'A production office plans films, scenes and crew hours.', {
    project: 'film project|production',
    task: 'scene|shot',
    member: 'crew member|film worker',
  }),
  seed('logistics', 'Freight forwarder', 'Dispatchers assign shipments to drivers and settle claims.'),
  seed('logistics', 'Parcel service', 'A parcel service moves parcels through its hubs.', {
    shipment: 'parcel|package',
  }),
  seed('logistics', 'Moving company', 'A moving company carries households from door to door.', {
    shipment: 'removal job|household move',
    driver: 'mover|crew driver',
  }),
  seed('logistics', 'Milk collection', 'Tank trucks collect milk from farms and bring it to dairies.', {
    client: 'dairy farm|milk producer',
    depot: 'dairy|collection point',
  }),
  seed('logistics', 'Port operations', 'A port handles cargo of shipping lines.', {
    client: 'shipping line|ship owner',
    shipment: 'container|cargo unit',
    depot: 'terminal|quay',
  }),
  seed('warehouse', 'Warehouse management', 'Storekeepers move lots, place purchase orders and pick goods.'),
  seed('warehouse', 'Pharmacy wholesaler', 'A wholesaler stores medicines in batches with expiry dates.', {
    item: 'medicine|drug',
    site: 'drug store|cold store',
  }),
  seed('warehouse', 'Spare parts store', 'A factory keeps spare parts ready for its machines.', {
    item: 'spare part|component',
  }),
  seed('warehouse', 'Food bank store', 'A food bank stores donated goods until they are picked.', {
    item: 'food item|grocery',
    supplier: 'food giver|grocer',
  }),
  seed('farm', 'Mixed farm', 'A farm plans crops, field work and sales.'),
  seed('farm', 'Vineyard', 'A vineyard plans vines, harvests and sales of wine.', {
    field: 'vineyard|slope',
    crop: 'vine planting|grape crop',
    store: 'cellar|barrel room',
  }),
  seed('farm', 'Fish farm', 'A fish farm tracks ponds, stocks and deliveries.', {
    field: 'pond|basin',
    crop: 'fry batch|fish stock',
    worker: 'fish farmer|pond worker',
  }),
  seed('farm', 'Flower nursery', 'A nursery grows flowers in beds and sells them to florists.', {
    field: 'flower bed|glasshouse',
    buyer: 'florist|flower shop',
  }),
  seed('staffing', 'HR portal', 'Personnel staff keep employees, vacancies and leave.'),
  seed('staffing', 'Hospital staffing', 'A hospital manages nurses, openings and leave.', {
    employee: 'nurse|caregiver',
    department: 'hospital unit|care unit',
  }),
  seed('staffing', 'Airline crew office', 'A crew office manages flight attendants, openings and leave.', {
    employee: 'crew member|flight attendant',
    department: 'crew base|fleet group',
  }),
  seed('staffing', 'Temp work agency', 'An agency places temporary workers with its clients.', {
    employee: 'temp|temporary worker',
    vacancy: 'assignment|temp job',
  }),
] as const
