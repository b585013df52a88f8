#include "apiserver/server.h"

#include <array>

#include "api/schema/builtin.h"
#include "apiserver/allocate/cidr_removal.h"
#include "apiserver/allocate/service_allocation.h"
#include "apiserver/allocate/service_cidr_rules.h"
#include "apiserver/authn/identity.h"
#include "apiserver/bootstrap/bootstrap.h"
#include "apiserver/front/front.h"
#include "apiserver/front/resource_front.h"
#include "apiserver/local/local_client.h"
#include "apiserver/paths/documents.h"
#include "apiserver/paths/health.h"
#include "apiserver/paths/metrics.h"
#include "apiserver/paths/version.h"
#include "apiserver/token/service_account_tokens.h"
#include "apiserver/write/context.h"
#include "kinds/defaulting.h"
#include "kinds/kinds.h"

namespace proa::apiserver {

namespace server {

// What of the options has to be read, and may be wrong.
struct Prepared {
  ServiceNetwork network;
  std::unique_ptr<const http::ClientCertificates> certificates;
  std::unique_ptr<const ServiceAccountTokens> tokens;
};

Result<Prepared> prepare(const ApiServerOptions& options) {
  auto certificates = TRY(http::ClientCertificates::trust(options.client_authorities_pem));
  const ServiceNetwork network =
      TRY(ServiceNetwork::parse(options.service_cidr, options.node_port_range));
  std::unique_ptr<const ServiceAccountTokens> tokens;
  if (!options.service_account_key_pem.empty()) {
    ServiceAccountTokens::Options wanted;
    wanted.keys.push_back(options.service_account_key_pem);
    tokens = TRY(ServiceAccountTokens::make(wanted));
  }
  return Prepared{network, std::move(certificates), std::move(tokens)};
}

}  // namespace server

// In the order in which they need each other.
struct ApiServer::Parts {
  Parts(store::Store& store, Clock& clock, Random& random, const ApiServerOptions& options,
        server::Prepared prepared)
      : time(clock),
        tokens(std::move(prepared.tokens)),
        schema(api::builtin_schema()),
        defaulting(schema, kinds::all_type_defaults()),
        cluster_ips(store, schema, clock, random),
        node_ports(store, prepared.network.node_ports, random),
        services(cluster_ips, node_ports, prepared.network),
        service_cidrs(store, schema, cluster_ips, clock),
        hooks{&services, &service_cidrs},
        context{.store = store,
                .schema = schema,
                .defaulting = defaulting,
                .clock = clock,
                .random = random,
                .hooks = hooks,
                .tokens = tokens.get()},
        identities(std::move(prepared.certificates), clock),
        health({{.name = "etcd",
                 .run = [&store]() -> Result<void> {
                   if (store.revision().value > 0) return {};
                   return Status(Reason::kInternalError, "the store has no revision");
                 }}}),
        version(options.version_document),
        documents(schema, clock,
                  options.advertise_address + ":" + std::to_string(options.advertise_port)),
        requests(schema, clock),
        metrics(store, schema, requests, options.version_document, pool),
        cidr_removal(context, pool),
        resources(context, requests, pool),
        front(identities, resources, {&health, &version, &metrics, &documents}) {}

  Clock& time;
  const std::unique_ptr<const ServiceAccountTokens> tokens;
  const api::Schema& schema;
  const kinds::Defaulting defaulting;
  const ClusterIps cluster_ips;
  const NodePorts node_ports;
  ServiceAllocation services;
  ServiceCidrRules service_cidrs;
  const std::array<WriteHook*, 2> hooks;
  const ApiContext context;
  const Identities identities;
  HealthPaths health;
  VersionPath version;
  DocumentPaths documents;
  RequestMetrics requests;
  WorkerPool pool;
  MetricsPath metrics;
  CidrRemoval cidr_removal;
  ResourceFront resources;
  Front front;
};

ApiServer::ApiServer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
ApiServer::~ApiServer() = default;

Result<std::unique_ptr<ApiServer>> ApiServer::start(store::Store& store, Clock& clock,
                                                    Random& random,
                                                    const ApiServerOptions& options) {
  server::Prepared prepared = TRY(server::prepare(options));
  const ServiceNetwork network = prepared.network;
  auto parts = std::make_unique<Parts>(store, clock, random, options, std::move(prepared));
  TRY(bootstrap(parts->context, options, network));
  return std::unique_ptr<ApiServer>(new ApiServer(std::move(parts)));
}

http::Handler& ApiServer::handler() { return parts_->front; }
std::unique_ptr<client::Client> ApiServer::client(User user) {
  return std::make_unique<LocalClient>(parts_->context, parts_->time, std::move(user));
}
void ApiServer::set_ready(bool ready) { parts_->health.set_ready(ready); }

}  // namespace proa::apiserver
