#pragma once

#include <array>
#include <memory>
#include <string>

#include "api/schema/builtin.h"
#include "apiserver/access/admission/chain.h"
#include "apiserver/access/authz/always.h"
#include "apiserver/bootstrap/bootstrap.h"
#include "apiserver/objects/catalogue/catalogue.h"
#include "apiserver/resources/allocate/service_allocation.h"
#include "apiserver/resources/allocate/service_cidr_rules.h"
#include "apiserver/resources/write/body.h"
#include "apiserver/resources/write/create.h"
#include "apiserver/server.h"
#include "kinds/defaulting.h"
#include "kinds/kinds.h"
#include "store/memory/memory_store.h"
#include "testkit/case_random.h"
#include "testkit/fake_clock.h"

namespace proa::testkit {

// The dependencies of verbs, over an in-memory store.
struct TestCluster {
  explicit TestCluster(const apiserver::ApiServerOptions& server_options)
      : options(server_options),
        network(*apiserver::ServiceNetwork::parse(options.service_cidr, options.node_port_range)),
        cluster_ips(*store, schema, clock, random),
        node_ports(*store, network.node_ports, random),
        services(cluster_ips, node_ports, network),
        service_cidrs(*store, schema, cluster_ips, clock) {}

  // Another server over the same store: after a restart, or concurrent with this one.
  TestCluster(const apiserver::ApiServerOptions& server_options,
              std::shared_ptr<store::Store> shared)
      : store(std::move(shared)),
        options(server_options),
        network(*apiserver::ServiceNetwork::parse(options.service_cidr, options.node_port_range)),
        cluster_ips(*store, schema, clock, random),
        node_ports(*store, network.node_ports, random),
        services(cluster_ips, node_ports, network),
        service_cidrs(*store, schema, cluster_ips, clock) {}

  Result<void> start() {
    return apiserver::bootstrap(context,
                                {.server = {options.advertise_address, options.advertise_port},
                                 .network = network,
                                 .authentication = options.access.authentication});
  }

  apiserver::Request request(std::string_view group, std::string_view resource,
                             std::string_view name) const {
    apiserver::Request request;
    request.resource = schema.find_resource(group, "v1", resource);
    if (request.resource->namespaced) request.name_space = "default";
    request.name = name;
    return request;
  }

  Result<apiserver::Written> create(const apiserver::Request& request, std::string_view json,
                                    const apiserver::WriteOptions& write_options = {}) const {
    api::Decoded body = TRY(apiserver::decode_body(
        "application/yaml", json, *request.resource->type, schema, api::FieldValidation::kStrict));
    return apiserver::create_object(context, request, {std::move(body.document)}, write_options);
  }

  const api::Schema& schema = api::builtin_schema();
  const kinds::Defaulting defaulting{schema, kinds::all_type_defaults()};
  FakeClock clock;
  CaseRandom random;
  std::shared_ptr<store::Store> store = store::make_memory_store(clock);
  const apiserver::ApiServerOptions options;
  const apiserver::ServiceNetwork network;
  const apiserver::ClusterIps cluster_ips;
  const apiserver::NodePorts node_ports;
  apiserver::ServiceAllocation services;
  apiserver::ServiceCidrRules service_cidrs;
  const std::array<apiserver::WriteHook*, 2> hooks{&services, &service_cidrs};
  const apiserver::AdmissionChain admission;  // no plugins
  apiserver::AlwaysAllow authorizer;
  mutable apiserver::Catalogue catalogue{*store, schema};
  const apiserver::ApiContext context{.store = *store,
                                      .schema = schema,
                                      .defaulting = defaulting,
                                      .clock = clock,
                                      .random = random,
                                      .hooks = hooks,
                                      .admission = admission,
                                      .authorizer = authorizer,
                                      .catalogue = &catalogue};
};

}  // namespace proa::testkit
