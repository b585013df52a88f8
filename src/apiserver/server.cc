#include "apiserver/server.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "api/schema/builtin.h"
#include "apiserver/access/tokens/service_account_tokens.h"
#include "apiserver/bootstrap/bootstrap.h"
#include "apiserver/bootstrap/namespace_contents.h"
#include "apiserver/bootstrap/policy_reconcile.h"
#include "apiserver/front/audit/auditor.h"
#include "apiserver/front/fairness/debug_paths.h"
#include "apiserver/front/fairness/flow_control.h"
#include "apiserver/front/http/front.h"
#include "apiserver/front/http/gate.h"
#include "apiserver/front/http/resource_front.h"
#include "apiserver/front/local/flow_statuses.h"
#include "apiserver/front/local/kubelet_pins.h"
#include "apiserver/front/local/local_client.h"
#include "apiserver/front/paths/debug/profiling.h"
#include "apiserver/front/paths/debug/zpages.h"
#include "apiserver/front/paths/documents.h"
#include "apiserver/front/paths/health.h"
#include "apiserver/front/paths/index.h"
#include "apiserver/front/paths/issuer.h"
#include "apiserver/front/paths/metrics.h"
#include "apiserver/front/paths/version.h"
#include "apiserver/objects/catalogue/api_service_availability.h"
#include "apiserver/objects/catalogue/catalogue.h"
#include "apiserver/resources/allocate/cidr_removal.h"
#include "apiserver/resources/allocate/service_allocation.h"
#include "apiserver/resources/allocate/service_cidr_rules.h"
#include "apiserver/resources/call/context.h"
#include "apiserver/streaming/aggregation/aggregation.h"
#include "apiserver/streaming/webhooks/conversion_webhooks.h"
#include "apiserver/streaming/webhooks/hook_clients.h"
#include "base/cost/memory_pool.h"
#include "base/log.h"
#include "base/process/capacity.h"
#include "json/parse.h"
#include "kinds/defaulting.h"
#include "kinds/kinds.h"

namespace proa::apiserver {

namespace server {

// The options that need parsing and can fail.
struct Prepared {
  ServiceNetwork network;
  std::unique_ptr<const ServiceAccountTokens> tokens;
  std::unique_ptr<Connections> connections;  // null: no connections to other servers
  std::unique_ptr<HookClients> webhooks;     // of admission; null with them
  std::unique_ptr<Access> access;
  std::unique_ptr<IssuerPaths> issuer;
  std::unique_ptr<Aggregation> aggregation;  // null, too
  std::shared_ptr<audit::Auditor> auditor;   // null: requests are not audited
};

const Log kLog{"apiserver"};
// Requests that wait for a thread of the pool, besides those that are in flight there: only those
// that are exempt from the limits get this far.
constexpr size_t kMaxQueued = 2048;
// Threads that neither requests within the limits take, nor those that wait for webhooks: so
// heartbeats and masters always find one.
constexpr size_t kSpareThreads = 256;

// Threads are started when all others are busy: a server has as many as it ever needed.
size_t worker_threads(const InFlightLimits& limits) {
  const InFlightLimits usual{};
  const auto bounded = [](size_t limit, size_t fallback) { return limit == 0 ? fallback : limit; };
  const size_t seats =
      bounded(limits.read_only, usual.read_only) + bounded(limits.mutating, usual.mutating);
  return std::max(seats, HookClients::for_admission().calls) +
         bounded(limits.deciding, usual.deciding) + kSpareThreads;
}

// Threads that wait until another server has authenticated a caller; further callers queue.
constexpr size_t kAuthenticationThreads = 64;

// Work that only computes gains nothing from more threads than there are processors, and with
// fewer of them everybody else has a processor soon.
size_t reader_threads() { return std::max<size_t>(2, std::thread::hardware_concurrency()); }

// The token issuer documents. As upstream, there are none unless the issuer is an https URL.
std::unique_ptr<IssuerPaths> make_issuer(const ServiceAccountTokens* tokens,
                                         const ApiServerOptions& options) {
  if (tokens == nullptr) return nullptr;
  auto issuer = IssuerPaths::make(
      *tokens,
      {.server_address = options.advertise_address + ":" + std::to_string(options.advertise_port)});
  if (issuer) return std::move(*issuer);
  kLog.warn("OpenID discovery of service account tokens disabled", {{"error", issuer.status()}});
  return nullptr;
}

// The version of the API in the document of /version.
std::string api_version(const std::string& version_document) {
  const Result<json::Document> parsed = json::parse(version_document);
  if (!parsed) return "unversioned";
  const api::View version(parsed->root());
  const std::string_view minor = version["minor"].text();
  return minor.empty() ? "unversioned"
                       : std::string(version["major"].text()) + "." + std::string(minor);
}

std::vector<PathHandler*> without_nulls(std::vector<PathHandler*> paths) {
  std::erase(paths, nullptr);
  return paths;
}

// Null where webhooks are disabled.
std::unique_ptr<HookClients> make_hooks(const WebhookContext* webhooks, Connections* connections,
                                        const store::Store& store,
                                        const HookClients::Limits& limits) {
  if (webhooks == nullptr || connections == nullptr) return nullptr;
  return std::make_unique<HookClients>(
      HookClients::Context{.webhooks = *webhooks,
                           .objects = ObjectReader(store, api::builtin_schema()),
                           .egress = connections->egress(),
                           .dial = connections->pod_dial()},
      limits);
}

Result<Prepared> prepare(store::Store& store, Clock& clock, Random& random,
                         const ApiServerOptions& options) {
  const ServiceNetwork network =
      TRY(ServiceNetwork::parse(options.service_cidr, options.node_port_range));
  std::unique_ptr<const ServiceAccountTokens> tokens;
  if (!options.service_account_key_pem.empty()) {
    ServiceAccountTokens::Options wanted;
    wanted.keys.push_back(options.service_account_key_pem);
    tokens = TRY(ServiceAccountTokens::make(wanted));
  }
  std::unique_ptr<Connections> connections;
  if (options.webhooks != nullptr) {
    connections = TRY(Connections::make(options.webhooks->loops, clock, options.kubelets));
  }
  auto webhooks =
      make_hooks(options.webhooks, connections.get(), store, HookClients::for_admission());
  auto access = TRY(Access::make(options.access, {.store = store,
                                                  .schema = api::builtin_schema(),
                                                  .clock = clock,
                                                  .random = random,
                                                  .tokens = tokens.get(),
                                                  .webhooks = options.webhooks,
                                                  .hooks = webhooks.get()}));
  auto issuer = make_issuer(tokens.get(), options);
  std::shared_ptr<audit::Auditor> auditor;
  if (options.audit)
    auditor = TRY(audit::Auditor::make(*options.audit, clock, random, options.webhooks));
  std::unique_ptr<Aggregation> aggregation;
  if (connections != nullptr) {
    aggregation = TRY(Aggregation::make({.loops = options.webhooks->loops,
                                         .clock = clock,
                                         .random = random,
                                         .store = store,
                                         .schema = api::builtin_schema(),
                                         .egress = connections->egress(),
                                         .dial = connections->pod_dial()},
                                        options.proxy_client));
  }
  return Prepared{.network = network,
                  .tokens = std::move(tokens),
                  .connections = std::move(connections),
                  .webhooks = std::move(webhooks),
                  .access = std::move(access),
                  .issuer = std::move(issuer),
                  .aggregation = std::move(aggregation),
                  .auditor = std::move(auditor)};
}

Result<void> failure_of(const store::StoreHealth& health) {
  return Status(health.disk_full ? Reason::kInsufficientStorage : Reason::kServiceUnavailable,
                health.cause);
}

// "etcd" is upstream's name: alive while it can write, ready while it accepts every write.
void add_own_checks(HealthChecks& checks, const store::Store& store,
                    const std::atomic<bool>& ready) {
  checks.add({.name = "ping", .run = [] { return Result<void>(); }});
  checks.add({.name = "etcd",
              .run = [&store]() -> Result<void> {
                const store::StoreHealth health = store.health();
                const bool failed = health.state == store::StoreHealth::State::kFailed;
                return failed ? failure_of(health) : Result<void>();
              },
              .scope = HealthScope::kLiveness});
  checks.add({.name = "etcd",
              .run = [&store]() -> Result<void> {
                const store::StoreHealth health = store.health();
                return health.ok() ? Result<void>() : failure_of(health);
              },
              .scope = HealthScope::kReadiness});
  checks.add({.name = "disk-space",
              .run = [&store]() -> Result<void> {
                const store::StoreHealth health = store.health();
                return health.disk_full ? failure_of(health) : Result<void>();
              },
              .scope = HealthScope::kReadiness});
  checks.add({.name = "ready",
              .run = [&ready]() -> Result<void> {
                if (ready.load(std::memory_order_relaxed)) return {};
                return Status(Reason::kServiceUnavailable, "starting or stopping");
              },
              .scope = HealthScope::kReadiness});
}

std::unique_ptr<ConversionWebhooks> make_conversion(HookClients* hooks, Random& random) {
  return hooks == nullptr ? nullptr : std::make_unique<ConversionWebhooks>(*hooks, random);
}

std::shared_ptr<tracing::Tracer> make_tracer(const ApiServerOptions& options, Clock& clock,
                                             Random& random) {
  if (!options.tracing || options.webhooks == nullptr) return nullptr;
  return tracing::Tracer::make(*options.tracing, clock, random, options.webhooks->loops);
}

// Null where in-flight limits are enough, or where there are none.
std::shared_ptr<fairness::FlowControl> make_flow_control(store::Store& store, Clock& clock,
                                                         const ApiServerOptions& options) {
  const size_t seats = options.in_flight.read_only + options.in_flight.mutating;
  if (!options.fairness || seats == 0) return nullptr;
  return std::make_shared<fairness::FlowControl>(store, clock, static_cast<int>(seats));
}

// What fairness limits needs no other limit.
InFlightLimits in_flight_limits(const ApiServerOptions& options) {
  InFlightLimits limits = options.in_flight;
  if (options.fairness) limits.read_only = limits.mutating = 0;
  return limits;
}

std::unique_ptr<fairness::DebugPaths> make_debug_paths(
    const std::shared_ptr<fairness::FlowControl>& control) {
  return control == nullptr ? nullptr : std::make_unique<fairness::DebugPaths>(*control);
}

std::vector<WriteHook*> all_hooks(std::vector<WriteHook*> hooks, const AdmissionChain& admission) {
  for (WriteHook* hook : admission.hooks()) hooks.push_back(hook);
  return hooks;
}

}  // namespace server

// In dependency order.
struct ApiServer::Parts {
  Parts(store::Store& store, Clock& clock, Random& random, const ApiServerOptions& options,
        server::Prepared prepared)
      : time(clock),
        loops(options.loops),
        auditor(std::move(prepared.auditor)),
        tracer(server::make_tracer(options, clock, random)),
        tokens(std::move(prepared.tokens)),
        connections(std::move(prepared.connections)),
        webhooks(std::move(prepared.webhooks)),
        access(std::move(prepared.access)),
        schema(api::builtin_schema()),
        defaulting(schema, kinds::all_type_defaults()),
        aggregation(std::move(prepared.aggregation)),
        conversion_hooks(server::make_hooks(options.webhooks, connections.get(), store, {})),
        conversion(server::make_conversion(conversion_hooks.get(), random)),
        pool({.max_threads = server::worker_threads(options.in_flight),
              .max_queued = server::kMaxQueued}),
        // Best effort: otherwise the next request does it.
        catalogue(
            store, schema, [this] { (void)pool.submit([this] { catalogue.catch_up(); }); },
            conversion.get()),
        // The same: otherwise the next request for the metrics does it.
        api_services(store, [this] { (void)pool.submit([this] { api_services.catch_up(); }); }),
        cluster_ips(store, schema, clock, random),
        node_ports(store, prepared.network.node_ports, random),
        services(cluster_ips, node_ports, prepared.network),
        service_cidrs(store, schema, cluster_ips, clock),
        namespace_contents(options.root_authority_pem),
        hooks(server::all_hooks({&services, &service_cidrs, &namespace_contents},
                                access->admission())),
        context{.store = store,
                .schema = schema,
                .defaulting = defaulting,
                .clock = clock,
                .random = random,
                .hooks = hooks,
                .admission = access->admission(),
                .authorizer = access->authorizer(),
                .catalogue = &catalogue,
                .bearer_tokens = &access->authentication().tokens(),
                .tokens = tokens.get(),
                .health = &checks,
                .max_object_bytes = options.max_object_bytes,
                .request_memory = &request_memory},
        health(checks, slis),
        version(options.version_document),
        zpages(options.version_document, options.flags, clock),
        profiling(options.profiling ? std::make_unique<ProfilingPaths>(clock) : nullptr),
        index(catalogue, aggregation.get()),
        documents({.catalogue = catalogue, .aggregation = aggregation.get(), .clock = clock},
                  options.advertise_address + ":" + std::to_string(options.advertise_port),
                  server::api_version(options.version_document)),
        issuer(std::move(prepared.issuer)),
        requests(schema, clock),
        in_flight(std::make_shared<InFlight>(server::in_flight_limits(options))),
        flow_control(server::make_flow_control(store, clock, options)),
        flow_debug(server::make_debug_paths(flow_control)),
        gate(flow_control),
        metrics(store, schema, requests, options.version_document, pool),
        cidr_removal(context, pool),
        resources(context, requests, *in_flight, gate, {pool, readers}, connections.get()),
        front(access->authentication(), access->authorizer(), {pool, authentication}, *in_flight,
              gate, resources,
              server::without_nulls({&health, &version, &metrics, &slis, &index, &zpages,
                                     &documents, profiling.get(), issuer.get(), flow_debug.get()}),
              aggregation.get()) {
    server::add_own_checks(checks, store, ready);
    metrics.collect([this](MetricsText& text) { api_services.write(text); });
    metrics.measure([this] {
      cluster_ips.measure();
      node_ports.measure();
    });
    metrics.collect([this](MetricsText& text) {
      cluster_ips.write_metrics(text);
      node_ports.write_metrics(text);
    });
    front.audit_by(auditor);
    if (auditor != nullptr)
      metrics.collect([this](MetricsText& text) { auditor->metrics().write(text); });
    front.trace_by(tracer);
    front.count_by(&access->authorization_attempts());
    if (tracer != nullptr) metrics.collect([this](MetricsText& text) { tracer->write(text); });
    if (flow_control != nullptr)
      metrics.collect([this](MetricsText& text) { flow_control->write_metrics(text); });
  }

  Clock& time;
  http::LoopGroup* const loops;                   // null: nobody calls the handler
  const std::shared_ptr<audit::Auditor> auditor;  // null: requests are not audited
  const std::shared_ptr<tracing::Tracer> tracer;  // null: requests are not traced
  const std::unique_ptr<const ServiceAccountTokens> tokens;
  const std::unique_ptr<Connections> connections;  // this and the next are null without webhooks
  const std::unique_ptr<HookClients> webhooks;
  const std::unique_ptr<Access> access;
  const api::Schema& schema;
  const kinds::Defaulting defaulting;
  const std::unique_ptr<Aggregation> aggregation;  // null where webhooks are disabled
  // Apart from those of admission: reads wait for them, of which there may be more.
  const std::unique_ptr<HookClients> conversion_hooks;
  const std::unique_ptr<ConversionWebhooks> conversion;
  // Before those whom commits of any thread wake: they submit to it until they are destroyed.
  WorkerPool pool;
  Catalogue catalogue;
  ApiServiceAvailability api_services;
  const ClusterIps cluster_ips;
  const NodePorts node_ports;
  ServiceAllocation services;
  ServiceCidrRules service_cidrs;
  NamespaceContents namespace_contents;
  const std::vector<WriteHook*> hooks;
  std::atomic<bool> ready = false;
  HealthChecks checks;
  MemoryPool request_memory{request_memory_within(process_capacity().memory)};
  const ApiContext context;
  SlisPath slis;
  HealthPaths health;
  VersionPath version;
  ZPages zpages;
  const std::unique_ptr<ProfilingPaths> profiling;  // null: it is disabled
  IndexPath index;
  DocumentPaths documents;
  const std::unique_ptr<IssuerPaths> issuer;  // null: there is none
  RequestMetrics requests;
  const std::shared_ptr<InFlight> in_flight;
  const std::shared_ptr<fairness::FlowControl> flow_control;  // null: disabled
  const std::unique_ptr<fairness::DebugPaths> flow_debug;     // null, too
  Gate gate;
  WorkerPool authentication{
      {.max_threads = server::kAuthenticationThreads, .max_queued = server::kMaxQueued}};
  WorkerPool readers{{.max_threads = server::reader_threads(), .max_queued = server::kMaxQueued}};
  MetricsPath metrics;
  CidrRemoval cidr_removal;
  ResourceFront resources;
  Front front;
  std::optional<ServerLeases> leases;  // of a shared store
  std::unique_ptr<Keeper> keeper;
};

ApiServer::ApiServer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
ApiServer::~ApiServer() {
  parts_->keeper = nullptr;
  if (parts_->leases) parts_->leases->release();
  // Nobody waits for the answers any more: connections are closed.
  if (parts_->flow_control != nullptr) parts_->flow_control->stop();
  parts_->pool.discard_queued();
  parts_->authentication.discard_queued();
  parts_->readers.discard_queued();
  parts_->access->stop();
  if (parts_->webhooks != nullptr) parts_->webhooks->stop();
  if (parts_->conversion_hooks != nullptr) parts_->conversion_hooks->stop();
  if (parts_->aggregation != nullptr) parts_->aggregation->stop();
  // Last: what was just discarded has events and spans, too.
  if (parts_->tracer != nullptr) parts_->tracer->stop();
  if (parts_->auditor != nullptr) parts_->auditor->stop();
  // Nothing waits any more. Tasks may have posted to the loops, and what runs there may do it
  // again.
  parts_->pool.stop();
  parts_->authentication.stop();
  parts_->readers.stop();
  if (parts_->loops == nullptr) return;
  for (int round = 0; round < 2; ++round) {
    for (size_t i = 0; i < parts_->loops->size(); ++i) parts_->loops->at(i).run_and_wait([] {});
  }
}

Result<std::unique_ptr<ApiServer>> ApiServer::start(store::Store& store, Clock& clock,
                                                    Random& random,
                                                    const ApiServerOptions& options) {
  server::Prepared prepared = TRY(server::prepare(store, clock, random, options));
  const ServiceNetwork network = prepared.network;
  auto parts = std::make_unique<Parts>(store, clock, random, options, std::move(prepared));
  parts->namespace_contents.use(parts->context);
  parts->metrics.collect(
      [access = parts->access.get()](MetricsText& text) { access->write_metrics(text); });
  if (const ConversionWebhooks* conversion = parts->conversion.get())
    parts->metrics.collect([conversion](MetricsText& text) { conversion->probe().write(text); });
  const auto own = parse_ip(options.advertise_address);
  if (own && options.advertise_port != 0 && store.is_shared())
    parts->leases.emplace(store, clock, *own);
  const BootstrapOptions wanted{.server = {options.advertise_address, options.advertise_port},
                                .network = network,
                                .authentication = options.access.authentication,
                                .leases = parts->leases ? &*parts->leases : nullptr};
  parts->api_services.catch_up();
  const store::Revision before = store.revision();
  TRY(bootstrap(parts->context, wanted));
  TRY(reconcile_policy(parts->context));
  if (parts->connections != nullptr && parts->connections->trust() != nullptr) {
    store_kubelet_pins(parts->connections->trust(), parts->context, parts->time, parts->pool);
  }
  if (parts->flow_control != nullptr)
    parts->flow_control->run(flow_status_writer(parts->context, parts->time), parts->pool);
  parts->keeper =
      std::make_unique<Keeper>(store, clock, kept_objects(parts->context, wanted), before.next());
  // Best effort: otherwise the first request does it.
  (void)parts->pool.submit([access = parts->access.get()] { access->prepare(); });
  return std::unique_ptr<ApiServer>(new ApiServer(std::move(parts)));
}

http::Handler& ApiServer::handler() { return parts_->front; }
std::unique_ptr<client::Client> ApiServer::client(User user) {
  return std::make_unique<LocalClient>(parts_->context, parts_->time, std::move(user),
                                       parts_->auditor);
}
Result<void> ApiServer::set_kubelet_client(const crypto::CertifiedKey& pair) {
  if (parts_->connections == nullptr) return {};
  return parts_->connections->set_certificate(pair);
}
Result<void> ApiServer::set_proxy_client(const crypto::CertifiedKey& pair) {
  if (parts_->aggregation == nullptr) return {};
  return parts_->aggregation->set_certificate(pair);
}
Result<void> ApiServer::probe_api_service(std::string_view name) {
  if (parts_->aggregation == nullptr)
    return Status(Reason::kServiceUnavailable, "this server connects to no others");
  return parts_->aggregation->probe(name);
}
Result<std::string> ApiServer::call_extension(const ExtensionCall& call) {
  if (parts_->aggregation == nullptr)
    return Status(Reason::kNotFound, "this server connects to no others");
  return parts_->aggregation->call(call.api_service,
                                   {.path = call.path, .method = call.method, .user = call.user});
}
void ApiServer::add_path(ExtraPath path) {
  if (path.listed) parts_->index.add(path.prefix);
  parts_->front.add(std::move(path));
}
void ApiServer::add_metrics(std::function<std::string()> text) {
  parts_->metrics.add(std::move(text));
}
HealthChecks& ApiServer::health() { return parts_->checks; }
void ApiServer::set_ready(bool ready) { parts_->ready.store(ready, std::memory_order_relaxed); }

}  // namespace proa::apiserver
