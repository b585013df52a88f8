#include "apiserver/bootstrap/bootstrap.h"

#include "apiserver/bootstrap/flow_control.h"
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

}  // namespace bootstrap_objects

Result<void> bootstrap(const ApiContext& context, const ServerAddress& server,
                       const ServiceNetwork& network) {
  const api::Schema& schema = context.schema;
  std::vector<Wanted> objects;
  add_namespaces(schema, objects);
  add_priority_classes(schema, objects);
  add_flow_control(schema, objects);
  const bool widened = TRY(bootstrap_objects::is_widened(context, network));
  add_service_cidr(schema, network, widened, objects);
  TRY(ensure_objects(context, objects));

  // A separate commit: the address is allocated from the network stored by the first one.
  std::vector<Wanted> service;
  add_server_service(schema, network, server.port, service);
  const auto address = api::parse_ip(server.address);
  if (address && server.port != 0) add_server_endpoints(schema, *address, server.port, service);
  Result<void> ensured = ensure_objects(context, service);
  // After a change of the network its address may be taken; the server works without the Service.
  if (!ensured.is(Reason::kInvalid)) return ensured;
  bootstrap_objects::kLog.error("creating Service kubernetes failed",
                                {{"error", ensured.status()}});
  return {};
}

}  // namespace proa::apiserver
