// The HTTP API. generate_types.mjs makes this file from the OpenAPI document; do not change it by hand.

export interface AckRequest {
  receipts: string[];
  durability?: "queueDefault" | "fsync" | "buffered";
  requestId?: string;
  actor?: string;
}

export interface AgeAlertTerms {
  severity: "usual" | "warning" | "critical";
  fireAfter: number;
  clearAt?: number | null;
  clearAfter: number;
}

export interface AgeAlertTermsInput {
  severity?: "usual" | "warning" | "critical";
  fireAfter?: number | string;
  clearAt?: number | string | null;
  clearAfter?: number | string;
}

export interface AgeBucket {
  from: number;
  to: number;
  count: number;
}

export interface Alert {
  rule?: string;
  critical: boolean;
  since?: string;
  value: number;
  threshold: number;
  deadLetter?: string | null;
  clearsAt?: string | null;
}

export interface AlertRules {
  depth?: number | null;
  depthHigh?: number | null;
  depthCritical?: number | null;
  arrivals?: number | null;
  arrivalsFor: number;
  oldest?: number | null;
  unassigned?: number | null;
  depthTerms?: AlertTerms;
  depthHighTerms?: AlertTerms;
  depthCriticalTerms?: AlertTerms;
  arrivalsTerms?: AlertTerms;
  oldestTerms?: AgeAlertTerms;
  unassignedTerms?: AgeAlertTerms;
}

export interface AlertRulesInput {
  depth?: number | null;
  depthHigh?: number | null;
  depthCritical?: number | null;
  arrivals?: number | null;
  arrivalsFor?: number | string;
  oldest?: number | string | null;
  unassigned?: number | string | null;
  depthTerms?: AlertTermsInput;
  depthHighTerms?: AlertTermsInput;
  depthCriticalTerms?: AlertTermsInput;
  arrivalsTerms?: AlertTermsInput;
  oldestTerms?: AgeAlertTermsInput;
  unassignedTerms?: AgeAlertTermsInput;
}

export interface AlertTerms {
  severity: "usual" | "warning" | "critical";
  fireAfter: number;
  clearAt?: number | null;
  clearAfter: number;
}

export interface AlertTermsInput {
  severity?: "usual" | "warning" | "critical";
  fireAfter?: number | string;
  clearAt?: number | null;
  clearAfter?: number | string;
}

export interface AlterQueueRequest {
  maxDeliveries?: number | null;
  deadLetterQueue?: string | null;
  lease?: number | string | null;
  durability?: "queueDefault" | "fsync" | "buffered" | null;
  discardRejected?: boolean | null;
  delay?: number | string | null;
  grouping?: "none" | "ordered" | "fair" | null;
  deduplication?: "none" | "byId" | "byContent" | null;
  deduplicationWindow?: number | string | null;
  priorities?: number | null;
  priorityAging?: number | string | null;
  deadLetterRoutes?: DeadLetterRouteInput[] | null;
  deadLetterSources?: DeadLetterSourcesInput | null;
  keepReplayed?: number | string | null;
  keepAbandoned?: number | string | null;
  parkingQueue?: string | null;
  autoRedrive?: AutoRedriveInput | null;
  alerts?: AlertRulesInput | null;
  brake?: FloodBrakeInput | null;
  retry?: RetryPolicyInput | null;
  retryBudget?: number | string | null;
  tags?: TagInput[] | null;
  timeToLive?: number | string | null;
  onExpiry?: "deadLetter" | "drop" | null;
  maxLength?: number | null;
  onOverflow?: "rejectSend" | "deadLetterHead" | "dropHead" | null;
  maxLeased?: number | null;
  maxBytes?: number | null;
  maxBodyBytes?: number | null;
  journal?: JournalOptionsInput | null;
  searchedAttributes?: string[] | null;
  keepUnresolved?: number | string | null;
  directSends?: boolean | null;
  ifVersion?: string[];
  requireGroup?: boolean | null;
  createMissing?: boolean;
}

export interface ArrivalCount {
  value?: string;
  count: number;
}

export interface ArrivalTotals {
  categories?: ArrivalCount[];
  otherCategories: number;
}

export interface Arrivals {
  from?: string;
  total: number;
  categories?: ArrivalCount[];
  otherCategories: number;
  causes?: ArrivalCount[];
}

export interface Attempt {
  failedAt?: string;
  end: "unknown" | "leaseExpired" | "released" | "rejected";
  consumer?: Consumer;
  heldMillis: number;
  extended: number;
  failure?: Rejection;
}

export interface AttemptInput {
  failedAt?: string;
  end?: "unknown" | "leaseExpired" | "released" | "rejected";
  consumer?: ConsumerInput;
  heldMillis?: number;
  extended?: number;
  failure?: RejectionInput;
}

export interface Attribute {
  name?: string;
  value?: string;
  valueBase64?: string;
}

export interface AttributeInput {
  name: string;
  value?: string;
  valueBase64?: string;
}

export interface AutoRedrive {
  every: number;
  max: number;
  categories?: string[];
  backoff: number;
  backoffMax: number;
  maxReplays: number;
  giveUpAfter: number;
  onGiveUp: "park" | "archive";
}

export interface AutoRedriveInput {
  every?: number | string;
  max?: number;
  categories?: string[];
  backoff?: number | string;
  backoffMax?: number | string;
  maxReplays?: number;
  giveUpAfter?: number | string;
  onGiveUp?: "park" | "archive";
}

export interface BackupRequest {
  directory?: string;
  keep?: number;
  verify?: boolean;
}

export interface CancelRedriveRequest {
  actor?: string;
}

export interface ChangeDeadLettersRequest {
  selection: DeadLetterSelectionInput;
  status?: "any" | "new" | "investigating" | "fixed" | "replayed" | "abandoned";
  assignee?: string | null;
  note?: string | null;
}

export interface Consumer {
  instance?: string;
  version?: string;
}

export interface ConsumerInput {
  instance?: string;
  version?: string;
}

export interface DeadLetter {
  seq: string;
  record?: FailureRecord;
  body?: string;
  bodyBase64?: string;
  attributes?: Attribute[];
  id?: string;
  triage?: Triage;
  history: boolean;
  redacted?: string[];
  replayOutcome: "none" | "pending" | "acked" | "diedElsewhere" | "dropped";
  replayOutcomeAt?: string;
  original?: {
    body?: string;
    bodyBase64?: string;
    attributes?: Attribute[];
  } | null;
}

export interface DeadLetterFilterInput {
  ids?: string[];
  seqs?: string[];
  diedFrom?: string;
  diedBefore?: string;
  cause?: "unknown" | "maxDeliveries" | "rejected" | "expired" | "retryBudget" | "overflow" | "sent";
  category?: string;
  code?: string;
  fingerprint?: string | null;
  source?: string;
  consumerVersion?: string;
  status?: "any" | "new" | "investigating" | "fixed" | "replayed" | "abandoned";
  assignee?: string;
  reason?: string;
  history?: boolean;
  correlationId?: string;
  correlationIdBase64?: string;
  workflowVersion?: string;
  workflowVersionBase64?: string;
  minReplays?: number;
  attributes?: AttributeInput[];
  body?: string;
}

export interface DeadLetterGroup {
  value?: string;
  count: number;
  firstDiedAt?: string;
  lastDiedAt?: string;
  sample?: DeadLetter;
}

export interface DeadLetterInput {
  seq?: string;
  record?: FailureRecordInput;
  body?: string;
  bodyBase64?: string;
  attributes?: AttributeInput[];
  id?: string;
  triage?: TriageInput;
  history?: boolean;
  redacted?: string[];
  replayOutcome?: "none" | "pending" | "acked" | "diedElsewhere" | "dropped";
  replayOutcomeAt?: string;
  original?: {
    body?: string;
    bodyBase64?: string;
    attributes?: AttributeInput[];
  } | null;
}

export interface DeadLetterRoute {
  category?: string;
  queue?: string;
}

export interface DeadLetterRouteInput {
  category?: string;
  queue?: string;
}

export interface DeadLetterSelectionInput {
  filter?: DeadLetterFilterInput;
  all?: boolean;
  actor?: string;
  dryRun?: boolean;
  from?: string;
}

export interface DeadLetterSources {
  allow: "all" | "none" | "listed";
  queues?: string[];
}

export interface DeadLetterSourcesInput {
  allow?: "all" | "none" | "listed";
  queues?: string[];
}

export interface Delivery {
  receipt?: string;
  id?: string;
  body?: string;
  bodyBase64?: string;
  attributes?: Attribute[];
  sentAt?: string;
  leaseExpiresAt?: string;
  deliveries: number;
  replays: number;
  group?: string;
  groupBase64?: string;
  priority: number;
  leaseLeft: number;
  failure?: FailureRecord;
}

export interface DiscardDeadLettersRequest {
  selection: DeadLetterSelectionInput;
}

export interface DrainRequest {
  timeout: number | string;
  exit?: boolean;
}

export interface Error {
  code: string;
  message: string;
}

export interface ExtendRequest {
  receipts: string[];
  lease: number | string;
  letsRunOut?: RejectionInput;
}

export interface FailedEntry {
  index: number;
  error?: Error;
}

export interface FailureRecord {
  messageId?: string;
  sourceQueueId: number;
  sourceQueue?: string;
  sourceSeq: string;
  sentAt?: string;
  cause: "unknown" | "maxDeliveries" | "rejected" | "expired" | "retryBudget" | "overflow" | "sent";
  rejection?: Rejection;
  deliveries: number;
  replays: number;
  firstFailedAt?: string;
  lastFailedAt?: string;
  diedAt?: string;
  consumer?: Consumer;
  correlationId?: string;
  correlationIdBase64?: string;
  group?: string;
  groupBase64?: string;
  workflowVersion?: string;
  workflowVersionBase64?: string;
  visits: number;
  attempts?: Attempt[];
  attemptsLeftOut: number;
  fingerprint: string;
  priority: number;
  firstDeath?: FirstDeath;
  searched?: Attribute[];
}

export interface FailureRecordInput {
  messageId?: string;
  sourceQueueId?: number;
  sourceQueue?: string;
  sourceSeq?: string;
  sentAt?: string;
  cause?: "unknown" | "maxDeliveries" | "rejected" | "expired" | "retryBudget" | "overflow" | "sent";
  rejection?: RejectionInput;
  deliveries?: number;
  replays?: number;
  firstFailedAt?: string;
  lastFailedAt?: string;
  diedAt?: string;
  consumer?: ConsumerInput;
  correlationId?: string;
  correlationIdBase64?: string;
  group?: string;
  groupBase64?: string;
  workflowVersion?: string;
  workflowVersionBase64?: string;
  visits?: number;
  attempts?: AttemptInput[];
  attemptsLeftOut?: number;
  fingerprint?: string;
  priority?: number;
  firstDeath?: FirstDeathInput;
  searched?: AttributeInput[];
}

export interface FindDeadLettersRequest {
  filter?: DeadLetterFilterInput;
  queues?: string[];
  start?: string | null;
  max?: number;
  bodies?: boolean;
  redact?: RedactionInput;
}

export interface Finding {
  kind?: string;
  where?: string;
  what?: string;
}

export interface FirstDeath {
  cause: "unknown" | "maxDeliveries" | "rejected" | "expired" | "retryBudget" | "overflow" | "sent";
  category?: string;
  reason?: string;
  code?: string;
  sourceQueue?: string;
  diedAt?: string;
  fingerprint: string;
}

export interface FirstDeathInput {
  cause?: "unknown" | "maxDeliveries" | "rejected" | "expired" | "retryBudget" | "overflow" | "sent";
  category?: string;
  reason?: string;
  code?: string;
  sourceQueue?: string;
  diedAt?: string;
  fingerprint?: string;
}

export interface FloodBrake {
  deathsPerMinute: number;
  delay: number;
}

export interface FloodBrakeInput {
  deathsPerMinute?: number;
  delay?: number | string;
}

export interface FoundDeadLetter {
  queue?: string;
  letter?: DeadLetter;
}

export interface Histogram {
  buckets?: number[];
  count: number;
  sum: number;
}

export interface HistoryStep {
  at?: string;
  kind: "unknown" | "sent" | "delivered" | "extended" | "released" | "leaseExpired" | "acked" | "deadLettered" | "redriven" | "parked" | "discarded" | "expired" | "overflowed" | "started" | "purged" | "imported" | "archived";
  queue?: string;
  to?: string;
  seq: string;
  deliveries: number;
  consumer?: Consumer;
  until?: string;
  cause: number;
  category?: string;
  reason?: string;
}

export interface ImportDeadLettersRequest {
  letters: DeadLetterInput[];
}

export interface JournalOptions {
  maxEntries: number;
  keep: number;
}

export interface JournalOptionsInput {
  maxEntries?: number;
  keep?: number | string;
}

export interface LeftInPlace {
  abandoned: number;
  replayLimit: number;
  version: number;
  edit: number;
  noQueue: number;
  leased: number;
}

export interface Limits {
  bodyBytes: number;
  batchEntries: number;
  batchBytes: number;
  receiveMax: number;
  listPage: number;
  wait: number;
}

export interface MessageInput {
  body?: string;
  bodyBase64?: string;
  attributes?: AttributeInput[];
  delay?: number | string | null;
  visibleAt?: string | null;
  group?: string;
  groupBase64?: string;
  deduplicationId?: string;
  deduplicationIdBase64?: string;
  priority?: number;
  timeToLive?: number | string | null;
}

export interface NestedError {
  code?: string;
  message?: string;
}

export interface NestedErrorInput {
  code?: string;
  message?: string;
}

export interface PauseRequest {
  deliveries?: boolean;
  sends?: boolean;
}

export interface PeekedMessage {
  seq: string;
  id?: string;
  state: "unknown" | "ready" | "waiting" | "leased";
  sentAt?: string;
  due?: string | null;
  expiresAt?: string | null;
  deliveries: number;
  replays: number;
  body?: string;
  bodyBase64?: string;
  attributes?: Attribute[];
  scheduled?: string | null;
  redacted?: string[];
}

export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: "internal" | "invalid_argument" | "limit_exceeded" | "queue_not_found" | "queue_exists" | "queue_in_use" | "message_not_found" | "receipt_stale" | "no_dead_letter_queue" | "dead_letter_cycle" | "disk_full" | "storage_failed" | "corruption" | "locked" | "format_too_new" | "closed" | "unavailable" | "outcome_unknown" | "overloaded" | "permission_denied" | "task_not_found" | "family_not_found" | "precondition_failed" | "queue_paused" | "queue_full" | "cancelled";
  failed?: FailedEntry[];
}

export interface QueueInfo {
  name?: string;
  id: number;
  createdAt?: string;
  options?: QueueOptions;
  counts: {
    ready: number;
    waiting: number;
    leased: number;
    dead: number;
  };
  totals: {
    sent: number;
    delivered: number;
    acked: number;
    deadLettered: number;
    discarded: number;
    redriven: number;
    parked: number;
    expired: number;
    overflowed: number;
  };
  alerts?: Alert[];
  brakedUntil?: string;
  paused: {
    deliveries: boolean;
    sends: boolean;
  };
  bytes: number;
  version?: string;
}

export interface QueueOptions {
  maxDeliveries: number;
  deadLetterQueue?: string;
  lease: number;
  durability: "queueDefault" | "fsync" | "buffered";
  discardRejected: boolean;
  delay: number;
  grouping: "none" | "ordered" | "fair";
  deduplication: "none" | "byId" | "byContent";
  deduplicationWindow: number;
  priorities: number;
  priorityAging: number;
  deadLetterRoutes?: DeadLetterRoute[];
  deadLetterSources?: DeadLetterSources;
  keepReplayed: number;
  keepAbandoned: number;
  parkingQueue?: string;
  autoRedrive?: AutoRedrive;
  alerts?: AlertRules;
  brake?: FloodBrake;
  retry?: RetryPolicy;
  retryBudget: number;
  tags?: Tag[];
  timeToLive: number;
  onExpiry: "deadLetter" | "drop";
  maxLength: number;
  onOverflow: "rejectSend" | "deadLetterHead" | "dropHead";
  maxLeased: number;
  maxBytes: number;
  maxBodyBytes: number;
  journal?: JournalOptions;
  searchedAttributes?: string[];
  keepUnresolved: number;
  directSends: boolean;
  requireGroup: boolean;
}

export interface QueueOptionsInput {
  maxDeliveries?: number;
  deadLetterQueue?: string;
  lease?: number | string;
  durability?: "queueDefault" | "fsync" | "buffered";
  discardRejected?: boolean;
  delay?: number | string;
  grouping?: "none" | "ordered" | "fair";
  deduplication?: "none" | "byId" | "byContent";
  deduplicationWindow?: number | string;
  priorities?: number;
  priorityAging?: number | string;
  deadLetterRoutes?: DeadLetterRouteInput[];
  deadLetterSources?: DeadLetterSourcesInput;
  keepReplayed?: number | string;
  keepAbandoned?: number | string;
  parkingQueue?: string;
  autoRedrive?: AutoRedriveInput;
  alerts?: AlertRulesInput;
  brake?: FloodBrakeInput;
  retry?: RetryPolicyInput;
  retryBudget?: number | string;
  tags?: TagInput[];
  timeToLive?: number | string;
  onExpiry?: "deadLetter" | "drop";
  maxLength?: number;
  onOverflow?: "rejectSend" | "deadLetterHead" | "dropHead";
  maxLeased?: number;
  maxBytes?: number;
  maxBodyBytes?: number;
  journal?: JournalOptionsInput;
  searchedAttributes?: string[];
  keepUnresolved?: number | string;
  directSends?: boolean;
  requireGroup?: boolean;
}

export interface Rate {
  oneMinute: number;
  fiveMinutes: number;
}

export interface RedactionInput {
  bodies?: boolean;
  attributes?: string[];
}

export interface RedriveEditInput {
  jsonPatch?: string;
  setAttributes?: AttributeInput[];
  dropAttributes?: string[];
  body?: string | null;
  bodyBase64?: string;
  valueAttributes?: ValueAttributeInput[];
}

export interface RedriveOptionsInput {
  filter?: DeadLetterFilterInput;
  max?: number;
  maxReplays?: number;
  parkRefused?: boolean;
  unlessVersion?: string;
  to?: string;
  rate?: number;
  edit?: RedriveEditInput;
  actor?: string;
  canary?: number;
  canaryPercent?: number;
  requestId?: string;
  action?: "redrive" | "park";
  wait?: boolean;
  dryRun?: boolean;
  redact?: RedactionInput;
}

export interface RejectRequest {
  receipts: string[];
  rejection?: RejectionInput;
  durability?: "queueDefault" | "fsync" | "buffered";
  requestId?: string;
}

export interface Rejection {
  category?: string;
  reason?: string;
  code?: string;
  stackTrace?: string;
  causes?: NestedError[];
  partialOutput?: string;
  partialOutputBase64?: string;
}

export interface RejectionInput {
  category?: string;
  reason?: string;
  code?: string;
  stackTrace?: string;
  causes?: NestedErrorInput[];
  partialOutput?: string;
  partialOutputBase64?: string;
}

export interface ReleaseRequest {
  receipts: string[];
  delay?: number | string | null;
  charge?: boolean;
  to?: "head" | "tail" | null;
  failure?: RejectionInput;
}

export interface ReplayCounts {
  acked: number;
  diedAgain: number;
  diedElsewhere: number;
  dropped: number;
}

export interface RetryPolicy {
  kind: "immediate" | "fixed" | "exponential" | "stages";
  base: number;
  cap: number;
  jitter: number;
  stages?: number[];
  to: "head" | "tail";
}

export interface RetryPolicyInput {
  kind?: "immediate" | "fixed" | "exponential" | "stages";
  base?: number | string;
  cap?: number | string;
  jitter?: number;
  stages?: (number | string)[];
  to?: "head" | "tail";
}

export interface SendRequest {
  messages: MessageInput[];
  durability?: "queueDefault" | "fsync" | "buffered";
  requestId?: string;
}

export interface StartRequest {
  receipts: string[];
}

export interface Store {
  table: number;
  liveData: number;
  log: number;
  memtable: number;
  blockCache: number;
  blockCacheCapacity: number;
  pendingCompaction: number;
  runningFlushes: number;
  runningCompactions: number;
  writesDelayed: boolean;
  writesStopped: boolean;
}

export interface Tag {
  name?: string;
  value?: string;
}

export interface TagInput {
  name?: string;
  value?: string;
}

export interface TaskStatus {
  task: number;
  queue?: string;
  to?: string;
  state: "unknown" | "running" | "done" | "cancelled" | "failed" | "interrupted" | "canaryFailed";
  moved: number;
  parked: number;
  left?: LeftInPlace;
  total: number;
  startedAt?: string;
  finishedAt?: string;
  actor?: string;
  error?: string;
  canaries: number;
  canaryAcked: number;
  canaryFailed: number;
  cancelledBy?: string;
  outcomes?: ReplayCounts;
  rate: number;
  action: "redrive" | "park";
}

export interface Triage {
  status: "any" | "new" | "investigating" | "fixed" | "replayed" | "abandoned";
  statusSince?: string;
  assignee?: string;
  notes?: TriageNote[];
  notesDropped: number;
  audit?: TriageNote[];
  auditDropped: number;
}

export interface TriageInput {
  status?: "any" | "new" | "investigating" | "fixed" | "replayed" | "abandoned";
  statusSince?: string;
  assignee?: string;
  notes?: TriageNoteInput[];
  notesDropped?: number;
  audit?: TriageNoteInput[];
  auditDropped?: number;
}

export interface TriageNote {
  at?: string;
  actor?: string;
  text?: string;
}

export interface TriageNoteInput {
  at?: string;
  actor?: string;
  text?: string;
}

export interface ValueAttributeInput {
  name?: string;
  value?: "unknown" | "fromDlq" | "time" | "replays";
}

export interface Operations {
  ack: {
    path: {
      receipt: string;
    };
    query: Record<string, never>;
    body: {
      durability?: "queueDefault" | "fsync" | "buffered";
      requestId?: string;
      actor?: string;
    };
    answer: null;
  };
  ackBatch: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: AckRequest;
    answer: {
      failed?: FailedEntry[];
    };
  };
  ackDelivery: {
    path: {
      receipt: string;
    };
    query: {
      durability?: "queueDefault" | "fsync" | "buffered";
      actor?: string;
    };
    body: never;
    answer: null;
  };
  alterQueue: {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: AlterQueueRequest;
    answer: {
      created: boolean;
      warnings?: string[];
    };
  };
  backup: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: BackupRequest;
    answer: {
      number: number;
      takenAt?: string;
      bytes: number;
      files: number;
    };
  };
  cancelRedrive: {
    path: {
      task: number;
    };
    query: Record<string, never>;
    body: CancelRedriveRequest;
    answer: TaskStatus;
  };
  changeDeadLetters: {
    path: {
      queue: string;
    };
    query: Record<string, never>;
    body: ChangeDeadLettersRequest;
    answer: {
      changed: number;
      refused: number;
      next?: string;
      unchanged: number;
    };
  };
  compact: {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: never;
    answer: null;
  };
  createQueue: {
    path: {
      name: string;
    };
    query: {
      createMissing?: boolean;
    };
    body: QueueOptionsInput;
    answer: {
      created: boolean;
      warnings?: string[];
    };
  };
  deadLetterStatistics: {
    path: {
      queue: string;
    };
    query: {
      hours?: number;
      days?: number;
    };
    body: never;
    answer: {
      at?: string;
      dead: number;
      oldest?: string | null;
      ages?: AgeBucket[];
      arrivalsLastMinute: number;
      hours?: Arrivals[];
      days?: Arrivals[];
    };
  };
  deleteQueue: {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: never;
    answer: null;
  };
  describeQueue: {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: never;
    answer: QueueInfo;
  };
  describeSession: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: never;
    answer: {
      controlled: boolean;
      signedIn: boolean;
      name?: string;
      grants?: string[];
      hidden?: {
        bodies: boolean;
        attributes: string[];
      };
    };
  };
  discardDeadLetters: {
    path: {
      queue: string;
    };
    query: Record<string, never>;
    body: DiscardDeadLettersRequest;
    answer: {
      changed: number;
      refused: number;
      next?: string;
      unchanged: number;
    };
  };
  drain: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: DrainRequest;
    answer: {
      draining: boolean;
      exits: boolean;
      over: boolean;
      inFlight: number;
      left: number;
      ended: boolean;
    };
  };
  drainStatus: {
    path: Record<string, never>;
    query: {
      wait?: number | string;
    };
    body: never;
    answer: {
      draining: boolean;
      exits: boolean;
      over: boolean;
      inFlight: number;
      left: number;
      ended: boolean;
    };
  };
  extend: {
    path: {
      receipt: string;
    };
    query: Record<string, never>;
    body: {
      lease: number | string;
      letsRunOut?: RejectionInput;
    };
    answer: null;
  };
  extendBatch: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: ExtendRequest;
    answer: {
      failed?: FailedEntry[];
    };
  };
  findDeadLetters: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: FindDeadLettersRequest;
    answer: {
      items?: FoundDeadLetter[];
      next?: string | null;
      scanned?: string[];
      time?: string;
    };
  };
  groupDeadLetters: {
    path: {
      queue: string;
    };
    query: {
      by?: "unknown" | "fingerprint" | "category" | "code" | "cause" | "status" | "assignee" | "source" | "consumerVersion";
      ids?: string[];
      seqs?: string[];
      diedFrom?: string;
      diedBefore?: string;
      cause?: "unknown" | "maxDeliveries" | "rejected" | "expired" | "retryBudget" | "overflow" | "sent";
      category?: string;
      code?: string;
      fingerprint?: string | null;
      source?: string;
      consumerVersion?: string;
      status?: "any" | "new" | "investigating" | "fixed" | "replayed" | "abandoned";
      assignee?: string;
      reason?: string;
      history?: boolean;
      correlationId?: string;
      workflowVersion?: string;
      minReplays?: number;
      attributes?: AttributeInput[];
      body?: string;
      max?: number;
    };
    body: never;
    answer: {
      groups?: DeadLetterGroup[];
      leftOut: number;
      total: number;
      complete: boolean;
    };
  };
  hello: {
    path: Record<string, never>;
    query: {
      protocolVersion?: number;
      client?: string;
      high?: number;
      low?: number;
      connection?: number;
      lost?: number[];
    };
    body: never;
    answer: {
      protocolVersion: number;
      serverVersion?: string;
      limits?: Limits;
      time?: string;
    };
  };
  importDeadLetters: {
    path: {
      queue: string;
    };
    query: Record<string, never>;
    body: ImportDeadLettersRequest;
    answer: {
      imported: number;
      duplicates: number;
      refused: number;
    };
  };
  listDeadLetters: {
    path: {
      queue: string;
    };
    query: {
      start?: string | null;
      max?: number;
      ids?: string[];
      seqs?: string[];
      diedFrom?: string;
      diedBefore?: string;
      cause?: "unknown" | "maxDeliveries" | "rejected" | "expired" | "retryBudget" | "overflow" | "sent";
      category?: string;
      code?: string;
      fingerprint?: string | null;
      source?: string;
      consumerVersion?: string;
      status?: "any" | "new" | "investigating" | "fixed" | "replayed" | "abandoned";
      assignee?: string;
      reason?: string;
      history?: boolean;
      correlationId?: string;
      workflowVersion?: string;
      minReplays?: number;
      attributes?: AttributeInput[];
      body?: string;
      bodies?: boolean;
      newestFirst?: boolean;
    };
    body: never;
    answer: {
      items?: DeadLetter[];
      next?: string | null;
      time?: string;
    };
  };
  listQueues: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: never;
    answer: {
      queues?: QueueInfo[];
    };
  };
  listRedrives: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: never;
    answer: {
      tasks?: TaskStatus[];
    };
  };
  messageHistory: {
    path: {
      id: string;
    };
    query: Record<string, never>;
    body: never;
    answer: {
      steps?: HistoryStep[];
      truncated: boolean;
    };
  };
  pauseQueue: {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: PauseRequest;
    answer: null;
  };
  peek: {
    path: {
      queue: string;
    };
    query: {
      from?: string;
      fromScheduled?: string;
      id?: string | null;
      max?: number;
      bodies?: boolean;
      scheduled?: boolean;
    };
    body: never;
    answer: {
      items?: PeekedMessage[];
      next: {
        from?: string;
        fromScheduled?: string;
      };
    };
  };
  purgeQueue: {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: never;
    answer: {
      purged?: number;
    };
  };
  queueStatistics: {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: never;
    answer: {
      sent?: Rate;
      delivered?: Rate;
      acked?: Rate;
      deadLettered?: Rate;
      oldestReady?: string | null;
      oldestLeased?: string | null;
      nextDue?: string | null;
      diskBytes: number;
      deliveryLatency?: Histogram;
      oldestDied?: string | null;
      arrivals?: ArrivalTotals;
    };
  };
  receive: {
    path: {
      queue: string;
    };
    query: {
      max?: number;
      lease?: number | string | null;
      wait?: number | string;
      instance?: string;
      version?: string;
      prefetch?: boolean;
    };
    body: never;
    answer: {
      deliveries?: Delivery[];
    };
  };
  redrive: {
    path: {
      queue: string;
    };
    query: Record<string, never>;
    body: RedriveOptionsInput;
    answer: {
      task: number;
      moved: number;
      parked: number;
      left?: LeftInPlace;
      sample?: DeadLetter[];
    };
  };
  redriveStatus: {
    path: {
      task: number;
    };
    query: Record<string, never>;
    body: never;
    answer: TaskStatus;
  };
  reject: {
    path: {
      receipt: string;
    };
    query: {
      durability?: "queueDefault" | "fsync" | "buffered";
    };
    body: RejectionInput;
    answer: null;
  };
  rejectBatch: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: RejectRequest;
    answer: {
      failed?: FailedEntry[];
    };
  };
  release: {
    path: {
      receipt: string;
    };
    query: Record<string, never>;
    body: {
      delay?: number | string | null;
      charge?: boolean;
      to?: "head" | "tail" | null;
      failure?: RejectionInput;
    };
    answer: null;
  };
  releaseBatch: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: ReleaseRequest;
    answer: {
      failed?: FailedEntry[];
    };
  };
  resume: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: never;
    answer: {
      draining: boolean;
      exits: boolean;
      over: boolean;
      inFlight: number;
      left: number;
      ended: boolean;
    };
  };
  resumeQueue: {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: PauseRequest;
    answer: null;
  };
  send: {
    path: {
      queue: string;
    };
    query: Record<string, never>;
    body: never;
    answer: {
      id: string;
      durability: string;
      duplicate: boolean;
    };
  };
  sendBatch: {
    path: {
      queue: string;
    };
    query: Record<string, never>;
    body: SendRequest;
    answer: {
      ids?: (string | null)[];
      durability: "queueDefault" | "fsync" | "buffered";
      failed?: FailedEntry[];
      duplicates?: number[];
    };
  };
  signIn: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: {
      token: string;
    };
    answer: null;
  };
  signOut: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: never;
    answer: null;
  };
  start: {
    path: {
      receipt: string;
    };
    query: Record<string, never>;
    body: never;
    answer: null;
  };
  startBatch: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: StartRequest;
    answer: {
      failed?: FailedEntry[];
    };
  };
  statistics: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: never;
    answer: {
      openedAt?: string;
      queues: number;
      groupCalls?: Histogram;
      groupBytes?: Histogram;
      bufferedCommit?: Histogram;
      fsyncCommit?: Histogram;
      freeBytes?: number | null;
      reserveBytes: number;
      store?: Store;
      clockSteps: number;
      clockOffset: number;
      archiveFailure?: string;
      archiveFailingSince?: string;
    };
  };
  streamDeliveries: {
    path: {
      queue: string;
    };
    query: {
      max?: number;
      lease?: number | string | null;
      wait?: number | string;
      instance?: string;
      version?: string;
      prefetch?: boolean;
    };
    body: never;
    answer: null;
  };
  streamEvents: {
    path: Record<string, never>;
    query: {
      queue?: string;
    };
    body: never;
    answer: null;
  };
  verify: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: never;
    answer: {
      findings?: Finding[];
      found: number;
      queues: number;
      chunks: number;
      messages: number;
    };
  };
}

export const operations: { readonly [Name in keyof Operations]: readonly [string, string] } = {
  ack: ['POST', '/v1/deliveries/{receipt}/ack'],
  ackBatch: ['POST', '/v1/deliveries/ack'],
  ackDelivery: ['DELETE', '/v1/deliveries/{receipt}'],
  alterQueue: ['PATCH', '/v1/queues/{name}'],
  backup: ['POST', '/v1/backups'],
  cancelRedrive: ['POST', '/v1/redrives/{task}/cancel'],
  changeDeadLetters: ['POST', '/v1/queues/{queue}/dead-letters/change'],
  compact: ['POST', '/v1/queues/{name}/compact'],
  createQueue: ['PUT', '/v1/queues/{name}'],
  deadLetterStatistics: ['GET', '/v1/queues/{queue}/dead-letters/statistics'],
  deleteQueue: ['DELETE', '/v1/queues/{name}'],
  describeQueue: ['GET', '/v1/queues/{name}'],
  describeSession: ['GET', '/v1/session'],
  discardDeadLetters: ['POST', '/v1/queues/{queue}/dead-letters/discard'],
  drain: ['POST', '/v1/drain'],
  drainStatus: ['GET', '/v1/drain'],
  extend: ['POST', '/v1/deliveries/{receipt}/extend'],
  extendBatch: ['POST', '/v1/deliveries/extend'],
  findDeadLetters: ['POST', '/v1/dead-letters/find'],
  groupDeadLetters: ['GET', '/v1/queues/{queue}/dead-letters/groups'],
  hello: ['GET', '/v1'],
  importDeadLetters: ['POST', '/v1/queues/{queue}/dead-letters/import'],
  listDeadLetters: ['GET', '/v1/queues/{queue}/dead-letters'],
  listQueues: ['GET', '/v1/queues'],
  listRedrives: ['GET', '/v1/redrives'],
  messageHistory: ['GET', '/v1/messages/{id}/history'],
  pauseQueue: ['POST', '/v1/queues/{name}/pause'],
  peek: ['GET', '/v1/queues/{queue}/messages'],
  purgeQueue: ['POST', '/v1/queues/{name}/purge'],
  queueStatistics: ['GET', '/v1/queues/{name}/statistics'],
  receive: ['POST', '/v1/queues/{queue}/deliveries'],
  redrive: ['POST', '/v1/queues/{queue}/dead-letters/redrive'],
  redriveStatus: ['GET', '/v1/redrives/{task}'],
  reject: ['POST', '/v1/deliveries/{receipt}/reject'],
  rejectBatch: ['POST', '/v1/deliveries/reject'],
  release: ['POST', '/v1/deliveries/{receipt}/release'],
  releaseBatch: ['POST', '/v1/deliveries/release'],
  resume: ['DELETE', '/v1/drain'],
  resumeQueue: ['POST', '/v1/queues/{name}/resume'],
  send: ['POST', '/v1/queues/{queue}/messages'],
  sendBatch: ['POST', '/v1/queues/{queue}/messages/batch'],
  signIn: ['POST', '/v1/session'],
  signOut: ['DELETE', '/v1/session'],
  start: ['POST', '/v1/deliveries/{receipt}/start'],
  startBatch: ['POST', '/v1/deliveries/start'],
  statistics: ['GET', '/v1/statistics'],
  streamDeliveries: ['POST', '/v1/queues/{queue}/deliveries/stream'],
  streamEvents: ['GET', '/v1/events'],
  verify: ['POST', '/v1/verify'],
};
