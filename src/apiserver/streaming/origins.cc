#include "apiserver/streaming/origins.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "apiserver/streaming/kubelet_trust.h"
#include "base/net/ip_address.h"

namespace proa::apiserver {
namespace origins {

constexpr int kKubeletPort = 10250;
constexpr int64_t kMaxPort = 65535;
// In upstream's order of preference.
constexpr std::array<std::string_view, 5> kAddressTypes = {"Hostname", "InternalDNS", "InternalIP",
                                                           "ExternalDNS", "ExternalIP"};

// What the origin of an external name has instead of a peer's identity.
constexpr std::string_view kExternalName = "external name";

Status not_allowed(std::string_view address) {
  return {Reason::kServiceUnavailable,
          fmt::format("the external name of a service leads to {}: address not allowed", address)};
}

// Only IP addresses: whoever controls a name's DNS would control the target.
std::string address_of(api::View node) {
  for (const std::string_view type : kAddressTypes) {
    for (const api::View address : node["status"]["addresses"].items()) {
      const std::string_view text = address["address"].text();
      if (address["type"].text() == type && parse_ip(text)) return std::string(text);
    }
  }
  return {};
}

// As Go prints the list: "[{Hostname n1} {InternalIP 10.0.0.1}]".
Status no_address(api::View node) {
  std::string known;
  for (const api::View address : node["status"]["addresses"].items()) {
    known += fmt::format("{}{{{} {}}}", known.empty() ? "" : " ", address["type"].text(),
                         address["address"].text());
  }
  return {Reason::kUnknown,
          fmt::format("no preferred addresses found; known addresses: [{}]", known)};
}

Status not_found(std::string_view resource, std::string_view name) {
  StatusDetails details;
  details.name = name;
  details.kind = resource;
  return Status(Reason::kNotFound, fmt::format("{} \"{}\" not found", resource, name))
      .with_details(std::move(details));
}

}  // namespace origins

bool may_be_reached(std::string_view text) {
  const std::optional<IpAddress> address = parse_ip(text);
  if (!address) return false;
  static const std::array<IpPrefix, 8> kForbidden = {
      *parse_prefix("0.0.0.0/8"),          *parse_prefix("127.0.0.0/8"),
      *parse_prefix("169.254.0.0/16"),     *parse_prefix("224.0.0.0/4"),
      *parse_prefix("255.255.255.255/32"), *parse_prefix("::/127"),
      *parse_prefix("fe80::/10"),          *parse_prefix("ff00::/8")};
  return std::none_of(kForbidden.begin(), kForbidden.end(),
                      [&](const IpPrefix& prefix) { return prefix.contains(*address); });
}

Result<http::Origin> external_origin(std::string_view name, int port) {
  if (parse_ip(name) && !may_be_reached(name)) return origins::not_allowed(name);
  http::Origin origin = origin_of("https", name, port);
  origin.peer = origins::kExternalName;
  return origin;
}

Result<void> check_external_name(const http::Origin& origin, const std::string& address) {
  if (origin.peer != origins::kExternalName) return {};
  if (!may_be_reached(address)) return origins::not_allowed(address);
  return {};
}

http::Origin origin_of(std::string_view scheme, std::string_view address, int port) {
  // The normalized address that was checked: other notations may be parsed differently elsewhere.
  const std::optional<IpAddress> parsed = parse_ip(address);
  return {.tls = scheme == "https",
          .host = parsed ? parsed->str() : std::string(address),
          .port = port,
          .unix_path = {},
          .server_name = {}};
}

Result<json::Document> document_of(const ObjectReader& objects, std::string_view resource,
                                   std::string_view name_space, std::string_view name) {
  const api::ObjectPtr found = TRY(objects.find("", resource, name_space, name));
  if (found == nullptr) return origins::not_found(resource, name);
  return found->document();
}

Result<http::Origin> kubelet_of(const ObjectReader& objects, std::string_view name) {
  const json::Document node = TRY(document_of(objects, "nodes", "", name));
  const api::View status = api::View(node.root())["status"];
  const std::string address = origins::address_of(node.root());
  if (address.empty()) return origins::no_address(node.root());
  int64_t port = status["daemonEndpoints"]["kubeletEndpoint"]["Port"].integer();
  if (port <= 0 || port > origins::kMaxPort) port = origins::kKubeletPort;
  if (!may_be_reached(address)) return Status(Reason::kBadRequest, "address not allowed");
  http::Origin origin = origin_of("https", address, static_cast<int>(port));
  const api::View metadata = api::View(node.root())["metadata"];
  origin.peer = ExpectedKubelet{.node = std::string(name),
                                .uid = std::string(metadata["uid"].text()),
                                .pin = std::string(metadata["annotations"][kKubeletPin].text())}
                    .str();
  return origin;
}

bool has_address(api::View pod, std::string_view address) {
  const auto addresses = pod["status"]["podIPs"].items();
  return std::any_of(addresses.begin(), addresses.end(),
                     [&](api::View one) { return one["ip"].text() == address; }) ||
         (addresses.empty() && pod["status"]["podIP"].text() == address);
}

Result<void> set_way(const ObjectReader& objects, api::View pod, PodEgress egress,
                     http::Origin& origin) {
  const std::string_view node = pod["spec"]["nodeName"].text();
  if (egress == PodEgress::kDirect || node.empty()) return {};
  const api::View metadata = pod["metadata"];
  const PodTunnel tunnel{.kubelet = TRY(kubelet_of(objects, node)),
                         .target = fmt::format("/tunnel/{}/{}/{}", metadata["namespace"].text(),
                                               metadata["name"].text(), origin.port)};
  origin.via = tunnel.str();
  return {};
}

}  // namespace proa::apiserver
