#pragma once

#include <string>

#include "apiserver/objects/reader.h"
#include "apiserver/request/request.h"
#include "apiserver/streaming/pod_tunnel.h"
#include "base/random.h"
#include "http/client/request.h"
#include "http/wire/url.h"

namespace proa::apiserver {

// The kind of connection to a node, pod or service.
enum class Connection : uint8_t {
  kLog,     // text from a kubelet
  kStream,  // exec, attach, portforward: the kubelet must switch protocols
  kProxy,   // an HTTP server unrelated to this API
};

// The target of a connection.
struct Destination {
  Connection connection = Connection::kProxy;
  http::Origin origin = {};
  std::string target = "/";  // path and query
  bool is_kubelet = false;   // uses the kubelet client
  bool verified = true;      // the kubelet's certificate is verified
  // For proxies, the path up to ".../proxy": prepended to paths of that server.
  std::string prefix = {};
};

// Nullopt for resources that this server answers itself. Log, exec, attach and portforward of pods;
// proxy of pods, services and nodes.
std::optional<Connection> connection_of(const Request& request);

// Fails with upstream's messages. Nullopt: the response is empty (logs of an unscheduled pod).
// REQUIRES: connection_of(). `random` chooses among endpoints.
Result<std::optional<Destination>> find_destination(const ObjectReader& objects,
                                                    const Request& request,
                                                    const http::Target& target, Random& random,
                                                    PodEgress egress);

}  // namespace proa::apiserver
