#include "controllers/network/backend.h"

#include "base/net/ip_address.h"
#include "controllers/network/objects.h"
#include "controllers/pods/pod_facts.h"

namespace proa::controllers {
namespace backend_reader {

void add_address(std::string_view text, Backend& read) {
  const auto address = parse_ip(text);
  if (!address) return;
  read.addresses.push_back({address->str(), address->is_v4() ? IpFamily::kV4 : IpFamily::kV6});
}

void add_ports(const network::BackendContainer& container, Backend& read) {
  for (const network::BackendPort& port : container.ports) {
    if (!port.name.empty()) read.ports.push_back({port.name, port.protocol, port.number});
  }
}

Backend read(const api::Object& object) {
  Backend read;
  Result<network::BackendPod> pod = api::decode<network::BackendPod>(object);
  if (!pod) return read;
  for (const network::BackendAddress& address : pod->status.addresses) {
    add_address(address.ip, read);
  }
  if (read.addresses.empty()) add_address(pod->status.address, read);
  read.hostname = std::move(pod->spec.hostname);
  read.subdomain = std::move(pod->spec.subdomain);
  for (const network::BackendContainer& container : pod->spec.containers) {
    add_ports(container, read);
  }
  for (const network::BackendContainer& container : pod->spec.init_containers) {
    if (container.restart_policy == "Always") add_ports(container, read);
  }
  return read;
}

}  // namespace backend_reader

const std::string* Backend::address_of(IpFamily family) const {
  for (const Address& address : addresses) {
    if (address.family == family) return &address.ip;
  }
  return nullptr;
}

std::optional<int64_t> Backend::number_of(const ServicePort& port) const {
  if (port.target_name.empty()) return port.target_number;
  for (const NamedPort& candidate : ports) {
    if (candidate.name == port.target_name && candidate.protocol == port.protocol) {
      return candidate.number;
    }
  }
  return std::nullopt;
}

const Backend& backend(const api::Object& pod) {
  return pod.kept<Backend>([&] { return backend_reader::read(pod); });
}

bool is_backend(const api::Object& pod) {
  return !pod_facts(pod).finished() && !backend(pod).addresses.empty();
}

bool is_same_backend(const api::Object& before, const api::Object& after) {
  if (before.metadata().uid != after.metadata().uid) return false;
  if (before.metadata().labels != after.metadata().labels) return false;
  const PodFacts& was = pod_facts(before);
  const PodFacts& is = pod_facts(after);
  return was.being_deleted == is.being_deleted && was.ready == is.ready &&
         was.finished() == is.finished() && was.node == is.node &&
         backend(before) == backend(after);
}

}  // namespace proa::controllers
