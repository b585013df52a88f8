#include "policy/model/dns_pod.h"

#include <netinet/in.h>

namespace proa::policy {
namespace dns_pod_parts {

constexpr uint16_t kPort = 53;

}  // namespace dns_pod_parts

// No pod can have this name.
client::Key dns_pod_key() { return {.name_space = "kube-system", .name = "(dns of nodes)"}; }

PodFacts dns_pod(const std::vector<IpAddress>& addresses) {
  using dns_pod_parts::kPort;
  return {.labels = {{"k8s-app", "kube-dns"}},
          .addresses = addresses,
          .ports = {{.name = "dns", .protocol = IPPROTO_UDP, .number = kPort},
                    {.name = "dns-tcp", .protocol = IPPROTO_TCP, .number = kPort}}};
}

}  // namespace proa::policy
