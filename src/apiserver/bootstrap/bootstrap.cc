#include "apiserver/bootstrap/bootstrap.h"

#include "apiserver/bootstrap/api_services.h"
#include "apiserver/bootstrap/config_maps.h"
#include "apiserver/bootstrap/flow_control.h"
#include "apiserver/bootstrap/policy_reconcile.h"
#include "apiserver/bootstrap/system_objects.h"
#include "apiserver/objects/keys.h"
#include "apiserver/resources/allocate/service_ranges.h"
#include "base/log.h"

namespace proa::apiserver {
namespace bootstrap_objects {

const Log kLog{"apiserver"};

// Whether the default ServiceCIDR has only the first of this server's two networks. Other
// differences are left alone: addresses are in use.
Result<bool> is_widened(const ApiContext& context, const ServiceNetwork& network) {
  const api::Resource& resource =
      *context.schema.find_resource("networking.k8s.io", "v1", "servicecidrs");
  const store::EntryPtr entry = TRY(context.store.get(key_of(resource, "", kDefaultServiceCidr)));
  if (entry == nullptr) return false;
  const json::Document document = TRY(object_of(entry)->document());
  const api::View cidrs = api::View(document.root())["spec"]["cidrs"];
  bool same = cidrs.size() == network.cidrs.size();
  for (size_t i = 0; same && i < cidrs.size(); ++i) {
    same = cidrs.item(i).text() == network.cidrs[i].str();
  }
  if (same) return false;
  if (network.cidrs.size() == 2 && cidrs.size() == 1 &&
      cidrs.item(0).text() == network.cidrs[0].str()) {
    return true;
  }
  kLog.warn("default ServiceCIDR differs from the configured one, keeping it",
            {{"stored", cidrs.item(0).text()}, {"configured", network.cidrs[0].str()}});
  return false;
}

std::vector<Wanted> cluster_objects(const ApiContext& context, const BootstrapOptions& options,
                                    bool widened) {
  const api::Schema& schema = context.schema;
  std::vector<Wanted> objects;
  add_namespaces(schema, objects);
  add_priority_classes(schema, objects);
  add_flow_control(schema, context.clock.now(), objects);
  add_service_cidr(schema, options.network, widened, objects);
  add_authentication_config(schema, options.authentication, context.clock, objects);
  add_token_tracking(schema, context.clock.now(), objects);
  return objects;
}

enum class Moment : uint8_t { kStart, kLater };

Result<void> ensure_cluster(const ApiContext& context, const BootstrapOptions& options,
                            Moment moment) {
  const bool widened = TRY(is_widened(context, options.network));
  std::vector<Wanted> objects = cluster_objects(context, options, widened);
  if (moment == Moment::kStart) add_api_services(context.schema, objects);
  return ensure_objects(context, objects);
}

// Of all servers that are alive.
Result<std::vector<IpAddress>> server_addresses(const BootstrapOptions& options) {
  if (options.server.port == 0) return std::vector<IpAddress>{};
  if (options.leases != nullptr) return options.leases->live();
  const auto address = parse_ip(options.server.address);
  return address ? std::vector<IpAddress>{*address} : std::vector<IpAddress>{};
}

std::vector<Wanted> server_objects(const ApiContext& context, const BootstrapOptions& options,
                                   const std::vector<IpAddress>& addresses) {
  std::vector<Wanted> objects;
  add_server_service(context.schema, options.network, options.server.port, objects);
  if (!addresses.empty())
    add_server_endpoints(context.schema, addresses, options.server.port, objects);
  return objects;
}

// A commit of its own: the address is allocated from the network that is stored by then.
Result<void> ensure_server(const ApiContext& context, const BootstrapOptions& options) {
  const std::vector<IpAddress> addresses = TRY(server_addresses(options));
  Result<void> ensured = ensure_objects(context, server_objects(context, options, addresses));
  // After a change of the network its address may be taken; the server works without the Service.
  if (!ensured.is(Reason::kInvalid)) return ensured;
  kLog.error("creating Service kubernetes failed", {{"error", ensured.status()}});
  return {};
}

std::vector<std::string> keys_of(const std::vector<Wanted>& objects) {
  std::vector<std::string> keys;
  for (const Wanted& wanted : objects) keys.push_back(wanted.key());
  return keys;
}

}  // namespace bootstrap_objects

Result<void> bootstrap(const ApiContext& context, const BootstrapOptions& options) {
  using namespace bootstrap_objects;
  TRY(ensure_cluster(context, options, Moment::kStart));
  TRY(remove_unwanted_flow_control(context));
  if (options.leases != nullptr) TRY(options.leases->renew());
  return ensure_server(context, options);
}

std::vector<Kept> kept_objects(const ApiContext& context, const BootstrapOptions& options) {
  using namespace bootstrap_objects;
  std::vector<Kept> kept;
  kept.push_back(
      {.keys = keys_of(cluster_objects(context, options, false)), .restore = [&context, options] {
         return ensure_cluster(context, options, Moment::kLater);
       }});
  const auto own = parse_ip(options.server.address);
  const bool listens = own && options.server.port != 0;
  kept.push_back({.keys = keys_of(server_objects(
                      context, options, listens ? std::vector{*own} : std::vector<IpAddress>{})),
                  .restore = [&context, options] { return ensure_server(context, options); }});
  if (options.leases != nullptr) {
    kept.push_back({.keys = {std::string(ServerLeases::kPrefix)},
                    .when = Kept::When::kCreatedOrDeleted,
                    .every = ServerLeases::kRenewal,
                    .restore = [&context, options]() -> Result<void> {
                      TRY(options.leases->renew());
                      return ensure_server(context, options);
                    }});
  }
  // Users may change roles; upstream completes them at the next start.
  kept.push_back({.keys = policy_keys(context),
                  .when = Kept::When::kDeleted,
                  .restore = [&context] { return restore_policy(context); }});
  return kept;
}

}  // namespace proa::apiserver
