#include "apiserver/streaming/destination.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "apiserver/request/failures.h"
#include "apiserver/streaming/name_and_port.h"
#include "apiserver/streaming/origins.h"
#include "apiserver/streaming/streams/kubelet_target.h"
#include "base/strings.h"

namespace proa::apiserver {
namespace destinations {

using api::View;

constexpr int64_t kMaxPort = 65535;

Status bad(std::string message) { return {Reason::kBadRequest, std::move(message)}; }
Status unavailable(std::string message) {
  return {Reason::kServiceUnavailable, std::move(message)};
}

// The length of the path up to ".../proxy": "/api/v1/namespaces/NAMESPACE/pods/NAME/proxy",
// "/api/v1/nodes/NAME/proxy".
size_t prefix_size(const Request& request, std::string_view path) {
  int segments = request.resource->namespaced ? 7 : 5;
  size_t place = 0;
  while (segments-- > 0 && place != std::string_view::npos) place = path.find('/', place + 1);
  return std::min(place, path.size());
}

// Zero: unknown.
int port_number(const NameAndPort& wanted) {
  if (wanted.port.empty()) return wanted.scheme == "https" ? 443 : 80;
  return static_cast<int>(parse_int(wanted.port).value_or(0));
}

std::string_view first_address(View pod) {
  const View first = pod["status"]["podIPs"].item(0);
  return first ? first["ip"].text() : pod["status"]["podIP"].text();
}

Result<Destination> to_pod(const ObjectReader& objects, const Request& request, PodEgress egress) {
  std::optional<NameAndPort> wanted = parse_name_and_port(request.name);
  if (!wanted) return bad(fmt::format("invalid pod request \"{}\"", request.name));
  const json::Document pod = TRY(document_of(objects, "pods", request.name_space, wanted->name));
  const View root(pod.root());
  for (const View container : root["spec"]["containers"].items()) {
    const View first = container["ports"].item(0);
    if (wanted->port.empty() && first) {
      wanted->port = std::to_string(first["containerPort"].integer());
    }
  }
  const std::string_view address = first_address(root);
  if (!may_be_reached(address)) return bad("address not allowed");
  const int port = port_number(*wanted);
  if (port == 0) return bad(fmt::format("invalid pod request \"{}\"", request.name));
  http::Origin origin = origin_of(wanted->scheme, address, port);
  TRY(set_way(objects, root, egress, origin));
  return Destination{.origin = std::move(origin)};
}

// The name of the requested service port.
Result<std::string> port_name(const ObjectReader& objects, const Request& request,
                              const NameAndPort& wanted) {
  const std::optional<int64_t> number = parse_int(wanted.port);
  if (!number) return wanted.port;
  const json::Document service =
      TRY(document_of(objects, "services", request.name_space, wanted.name));
  for (const View port : View(service.root())["spec"]["ports"].items()) {
    if (port["port"].integer() == *number) return std::string(port["name"].text());
  }
  return unavailable(
      fmt::format("no service port {} found for service \"{}\"", *number, wanted.name));
}

// The pod that the address references, if the address is that pod's. Authors of Endpoints may lack
// access to the network that this server can reach.
std::optional<json::Document> pod_at(const ObjectReader& objects, const Request& request,
                                     View address) {
  const View target = address["targetRef"];
  if (target["namespace"].text() != request.name_space) return std::nullopt;
  Result<json::Document> pod =
      document_of(objects, "pods", request.name_space, target["name"].text());
  const std::string_view ip = address["ip"].text();
  if (!pod || !has_address(pod->root(), ip) || !may_be_reached(ip)) return std::nullopt;
  return std::move(*pod);
}

struct Candidate {
  View address = {};
  int port = 0;
};

std::vector<Candidate> candidates_of(View endpoints, std::string_view port) {
  std::vector<Candidate> found;
  for (const View subset : endpoints["subsets"].items()) {
    for (const View offered : subset["ports"].items()) {
      const int64_t number = offered["port"].integer();
      if (offered["name"].text() != port || number <= 0 || number > kMaxPort) continue;
      for (const View address : subset["addresses"].items()) {
        found.push_back({.address = address, .port = static_cast<int>(number)});
      }
    }
  }
  return found;
}

Result<Destination> to_service(const ObjectReader& objects, const Request& request, Random& random,
                               PodEgress egress) {
  const std::optional<NameAndPort> wanted = parse_name_and_port(request.name);
  if (!wanted) return bad(fmt::format("invalid service request \"{}\"", request.name));
  const std::string port = TRY(port_name(objects, request, *wanted));
  const json::Document endpoints =
      TRY(document_of(objects, "endpoints", request.name_space, wanted->name));
  const View root(endpoints.root());
  const std::vector<Candidate> candidates = candidates_of(root, port);
  const size_t first = candidates.empty() ? 0 : random.below(candidates.size());
  for (size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& chosen = candidates[(first + i) % candidates.size()];
    const std::optional<json::Document> pod = pod_at(objects, request, chosen.address);
    if (!pod) continue;
    http::Origin origin = origin_of(wanted->scheme, chosen.address["ip"].text(), chosen.port);
    TRY(set_way(objects, pod->root(), egress, origin));
    return Destination{.origin = std::move(origin)};
  }
  const std::string& named = root["subsets"].empty() ? wanted->name : request.name;
  return unavailable(fmt::format("no endpoints available for service \"{}\"", named));
}

Result<Destination> to_node(const ObjectReader& objects, const Request& request) {
  const std::optional<NameAndPort> wanted = parse_name_and_port(request.name);
  if (!wanted) return bad(fmt::format("invalid node request \"{}\"", request.name));
  http::Origin origin = TRY(kubelet_of(objects, wanted->name));
  if (wanted->port.empty() || wanted->port == std::to_string(origin.port)) {
    return Destination{.origin = std::move(origin), .is_kubelet = true};
  }
  origin.peer.clear();
  origin.tls = wanted->scheme == "https";
  origin.port = port_number(*wanted);
  if (origin.port == 0) return bad(fmt::format("invalid node request \"{}\"", request.name));
  return Destination{.origin = std::move(origin)};
}

Result<std::optional<Destination>> to_container(const ObjectReader& objects, const Request& request,
                                                const http::Target& target) {
  const json::Document pod = TRY(document_of(objects, "pods", request.name_space, request.name));
  const View root(pod.root());
  KubeletTarget wanted = TRY(kubelet_target(request, target, root));
  const std::string_view node = root["spec"]["nodeName"].text();
  const bool is_log = connection_of(request) == Connection::kLog;
  if (node.empty()) {
    if (is_log) return std::optional<Destination>();
    return bad(fmt::format("pod {} does not have a host assigned", request.name));
  }
  http::Origin kubelet = TRY(kubelet_of(objects, node));
  return std::optional<Destination>(
      Destination{.connection = is_log ? Connection::kLog : Connection::kStream,
                  .origin = std::move(kubelet),
                  .target = std::move(wanted.text),
                  .is_kubelet = true,
                  .verified = wanted.verified});
}

}  // namespace destinations

std::optional<Connection> connection_of(const Request& request) {
  if (request.subresource == nullptr || !request.resource->group.empty()) return std::nullopt;
  const std::string_view part = request.subresource->name;
  if (part == "proxy") return Connection::kProxy;
  if (part == "log") return Connection::kLog;
  if (part == "exec" || part == "attach" || part == "portforward") return Connection::kStream;
  return std::nullopt;
}

Result<std::optional<Destination>> find_destination(const ObjectReader& objects,
                                                    const Request& request,
                                                    const http::Target& target, Random& random,
                                                    PodEgress egress) {
  using namespace destinations;
  if (request.resource->namespaced && request.name_space.empty()) {
    return no_such_resource();
  }
  if (connection_of(request) != Connection::kProxy) return to_container(objects, request, target);
  Result<Destination> found = [&] {
    if (request.resource->name == "pods") return to_pod(objects, request, egress);
    if (request.resource->name == "nodes") return to_node(objects, request);
    return to_service(objects, request, random, egress);
  }();
  if (!found.ok()) return found.status();
  // The path after the prefix is forwarded verbatim, with its query.
  const size_t size = prefix_size(request, target.raw_path);
  found->prefix = target.raw_path.substr(0, size);
  found->target = size < target.raw_path.size() ? target.raw_path.substr(size) : "/";
  if (!target.raw_query.empty()) found->target += "?" + target.raw_query;
  return std::optional<Destination>(std::move(*found));
}

}  // namespace proa::apiserver
