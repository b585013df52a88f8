#include "policy/explain/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/strings.h"
#include "policy/objects/read_facts.h"

namespace proa::policy {
namespace explain_target {

enum class Kind : uint8_t { kAny, kPod, kService };

struct Name {
  Kind kind = Kind::kAny;
  client::Key key;
};

// A port as it was said: by number, by name, or not at all.
struct PortWord {
  uint16_t number = 0;
  std::string_view name = {};
};

struct Ending {
  std::string who;  // "pod shop/web"
  std::vector<NamedPort> ports;
};

Kind kind_of(std::string_view word) {
  if (word == "pod" || word == "pods" || word == "po") return Kind::kPod;
  if (word == "svc" || word == "service" || word == "services") return Kind::kService;
  return Kind::kAny;
}

// The words of kubectl win over namespaces of the same name: "pod/svc/web" is the pod of those.
Name read_name(std::string_view text, std::string_view name_space) {
  Name name;
  auto halves = split_once(text, '/');
  if (halves) name.kind = kind_of(halves->before);
  if (name.kind != Kind::kAny) {
    text = halves->after;
    halves = split_once(text, '/');
  }
  name.key = halves ? client::Key{std::string(halves->before), std::string(halves->after)}
                    : client::Key{std::string(name_space), std::string(text)};
  return name;
}

// The Service that pods know by this DNS name: "db", "db.data", "db.data.svc.cluster.local.". Names
// of Services have no dots.
client::Key service_key(const client::Key& key) {
  const std::vector<std::string_view> labels = split(key.name, '.');
  if (labels.size() < 2 || (labels.size() > 2 && labels[2] != "svc")) return key;
  return {std::string(labels[1]), std::string(labels[0])};
}

Result<PortWord> read_port(std::string_view text) {
  const bool is_name = std::ranges::any_of(text, [](char c) { return c >= 'a' && c <= 'z'; });
  if (is_name) return PortWord{.name = text};
  const auto number = parse_int(text);
  if (number && *number >= 1 && *number <= std::numeric_limits<uint16_t>::max()) {
    return PortWord{.number = static_cast<uint16_t>(*number)};
  }
  return Status(Reason::kInvalid,
                fmt::format("\"{}\" is neither a port from 1 to 65535 nor the name of one", text));
}

std::string list_ports(const std::vector<NamedPort>& ports) {
  std::vector<std::string> texts;
  for (const NamedPort& port : ports) {
    texts.push_back(fmt::format("{}{}{}/{}", port.name, port.name.empty() ? "" : " ", port.number,
                                protocol_name(port.protocol)));
  }
  return texts.empty() ? "no port" : join(texts, ", ");
}

std::vector<NamedPort> ports_of(const KnownService& service) {
  std::vector<NamedPort> ports;
  for (const KnownServicePort& port : service.ports) {
    ports.push_back({.name = port.name, .protocol = port.protocol, .number = port.port});
  }
  return ports;
}

Ending ending_of(const KnownPod& pod) { return {"pod " + pod.key.str(), pod.ports}; }
Ending ending_of(const KnownService& service) {
  return {"Service " + service.key.str(), ports_of(service)};
}

Result<uint16_t> choose_port(const Ending& ending, const PortWord& word, uint8_t protocol) {
  if (word.number != 0) return word.number;
  const bool by_name = !word.name.empty();
  const NamedPort* other = nullptr;
  for (const NamedPort& port : ending.ports) {
    if (by_name && port.name != word.name) continue;
    if (port.protocol == protocol) return port.number;
    other = &port;
  }
  if (by_name && other != nullptr) {
    return Status(Reason::kInvalid,
                  fmt::format("port {} of {} is not {}; use --protocol {}", word.name, ending.who,
                              protocol_name(protocol), protocol_name(other->protocol)));
  }
  if (by_name) {
    return Status(Reason::kNotFound, fmt::format("{} has no port named {}; it has {}", ending.who,
                                                 word.name, list_ports(ending.ports)));
  }
  return Status(Reason::kInvalid, fmt::format("{} declares no {} port; add one, such as :80",
                                              ending.who, protocol_name(protocol)));
}

bool has_family_of(const KnownPod& from, const IpAddress& address) {
  return std::ranges::any_of(from.addresses,
                             [&](const IpAddress& own) { return own.is_v4() == address.is_v4(); });
}

// One that the caller can reach. REQUIRES: there is one.
IpAddress choose_address(const KnownPod& from, const std::vector<IpAddress>& addresses) {
  const auto found = std::ranges::find_if(
      addresses, [&](const IpAddress& address) { return has_family_of(from, address); });
  return found == addresses.end() ? addresses.front() : *found;
}

Result<Target> to_pod(const KnownPod& from, const KnownPod& pod, const PortWord& word,
                      uint8_t protocol) {
  if (pod.ended) return Status(Reason::kConflict, "pod " + pod.key.str() + " has ended");
  if (pod.addresses.empty()) {
    return Status(Reason::kConflict, "pod " + pod.key.str() + " has no address yet");
  }
  const uint16_t port = TRY(choose_port(ending_of(pod), word, protocol));
  return Target{.address = choose_address(from, pod.addresses), .port = port};
}

// DNS leads to the pods themselves, without another port: a number is that of the pods.
Result<Target> to_headless(const Cluster& cluster, const KnownPod& from,
                           const KnownService& service, const PortWord& word, uint8_t protocol) {
  Target target{.headless = &service};
  target.port = TRY(choose_port(ending_of(service), word, protocol));
  if (word.number != 0) {
    for (const IpAddress& address : cluster.addresses_of(service)) {
      if (has_family_of(from, address)) target.endpoints.push_back({address, target.port});
    }
    return target;
  }
  const auto port = std::ranges::find_if(service.ports, [&](const KnownServicePort& one) {
    return one.port == target.port && one.protocol == protocol;
  });
  for (const bool v6 : {false, true}) {
    for (const KnownEndpoint& one : cluster.endpoints_of({&service, &*port}, v6)) {
      if (has_family_of(from, one.address)) target.endpoints.push_back(one);
    }
  }
  return target;
}

Result<Target> to_service(const Cluster& cluster, const KnownPod& from, const KnownService& service,
                          const PortWord& word, uint8_t protocol) {
  if (!service.external_name.empty()) {
    return Status(Reason::kInvalid,
                  fmt::format("Service {} stands for the name {}; use one of its addresses",
                              service.key.str(), service.external_name));
  }
  if (service.headless) return to_headless(cluster, from, service, word, protocol);
  if (service.cluster_ips.empty()) {
    return Status(Reason::kConflict, "Service " + service.key.str() + " has no cluster IP");
  }
  const uint16_t port = TRY(choose_port(ending_of(service), word, protocol));
  return Target{.address = choose_address(from, service.cluster_ips), .port = port};
}

Result<Target> to_address(const Cluster& cluster, const IpAddress& address, const PortWord& word,
                          uint8_t protocol) {
  if (word.number != 0) return Target{.address = address, .port = word.number};
  const KnownService* service = cluster.service_of_cluster_ip(address);
  const KnownPod* pod = cluster.pod_at(address);
  if (service == nullptr && pod == nullptr) {
    return Status(Reason::kInvalid, fmt::format("{} is no address of a pod or Service, whose ports "
                                                "have names; use a number",
                                                address.str()));
  }
  const Ending ending = service != nullptr ? ending_of(*service) : ending_of(*pod);
  const uint16_t port = TRY(choose_port(ending, word, protocol));
  return Target{.address = address, .port = port};
}

Result<Target> to_name(const Cluster& cluster, const KnownPod& from, const Name& name,
                       const PortWord& word, uint8_t protocol) {
  if (name.kind != Kind::kService) {
    if (const KnownPod* pod = cluster.pod(name.key)) return to_pod(from, *pod, word, protocol);
  }
  if (name.kind == Kind::kPod) {
    return Status(Reason::kNotFound, "pod " + name.key.str() + " not found");
  }
  const client::Key key = service_key(name.key);
  if (const KnownService* service = cluster.service(key)) {
    return to_service(cluster, from, *service, word, protocol);
  }
  return Status(Reason::kNotFound,
                (name.kind == Kind::kService || key != name.key ? "Service " + key.str()
                                                                : "pod or Service " + key.str()) +
                    " not found");
}

}  // namespace explain_target

client::Key read_pod_name(std::string_view text, std::string_view name_space) {
  explain_target::Name name = explain_target::read_name(text, name_space);
  return std::move(name.key);
}

Result<Target> read_target(const Cluster& cluster, const KnownPod& from, std::string_view text,
                           uint8_t protocol) {
  using namespace explain_target;  // NOLINT: this unit's own
  const auto bare = [](std::string_view host) {
    const bool brackets = host.starts_with('[') && host.ends_with(']');
    return brackets ? host.substr(1, host.size() - 2) : host;
  };
  // An IPv6 address is not taken apart at its last colon.
  if (const auto address = parse_ip(bare(text))) {
    if (is_loopback(*address)) return Target{.address = *address};
    return Status(Reason::kInvalid, "an address needs a port, such as " + place_text(*address, 80));
  }
  const size_t colon = text.rfind(':');
  const std::string_view host = bare(text.substr(0, std::min(colon, text.size())));
  PortWord word;
  if (colon != text.npos) word = TRY(read_port(text.substr(colon + 1)));
  if (host == "localhost") {
    return Target{.address = *parse_ip("127.0.0.1"), .port = word.number};
  }
  if (const auto address = parse_ip(host)) return to_address(cluster, *address, word, protocol);
  return to_name(cluster, from, read_name(host, from.key.name_space), word, protocol);
}

bool is_loopback(const IpAddress& address) {
  if (address.is_v4()) return address.bytes[12] == 127 || address == *parse_ip("0.0.0.0");
  return address == *parse_ip("::1") || address == *parse_ip("::");
}

std::string place_text(const IpAddress& address, uint16_t port) {
  if (port == 0) return address.str();
  return fmt::format(fmt::runtime(address.is_v4() ? "{}:{}" : "[{}]:{}"), address.str(), port);
}

std::string ports_text(const KnownService& service) {
  return explain_target::list_ports(explain_target::ports_of(service));
}

}  // namespace proa::policy
