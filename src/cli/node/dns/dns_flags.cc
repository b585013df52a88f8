#include "cli/node/dns/dns_flags.h"

#include <thread>

#include "api/object/view.h"
#include "api/schema/builtin.h"
#include "client/bounded_client.h"
#include "controllers/network/dns_service.h"

namespace proa::cli {
namespace dns_flags {

constexpr Duration kAskAgain = std::chrono::milliseconds(200);

Result<ClusterDns> read(const api::Object& service) {
  const json::Document document = TRY(service.document());
  const api::View root(document.root());
  ClusterDns found;
  for (const api::View address : root["spec"]["clusterIPs"].items()) {
    if (const auto parsed = parse_ip(address.text())) found.addresses.push_back(*parsed);
  }
  const std::string_view* label =
      service.metadata().label("service.kubernetes.io/service-proxy-name");
  found.ours = label != nullptr && *label == controllers::kDnsProxyName;
  return found;
}

}  // namespace dns_flags

Flag dns_flag() {
  return {.name = "dns",
          .kind = ValueKind::kChoice,
          .fallback = "on",
          .summary =
              "on: every node answers DNS at the tenth Service address; none: another "
              "DNS, such as CoreDNS, is deployed",
          .choices = {"on", "none"}};
}

bool wants_dns(const Settings& settings) { return settings.text("dns") == "on"; }

Result<ClusterDns> find_cluster_dns(client::Client& client, Clock& clock, Duration patience) {
  const client::BoundedClient bounded(client, clock);
  const Steady end = clock.steady() + patience;
  while (true) {
    const auto found =
        bounded.get({.resource = api::builtin_schema().find_resource("", "v1", "services"),
                     .name_space = "kube-system",
                     .name = "kube-dns",
                     .subresource = {}});
    if (found.ok()) return dns_flags::read(**found);
    if (!found.is(Reason::kNotFound)) return found.status();
    if (clock.steady() >= end) return ClusterDns{};
    std::this_thread::sleep_for(dns_flags::kAskAgain);
  }
}

}  // namespace proa::cli
