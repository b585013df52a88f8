#pragma once

#include <string>

#include "apiserver/objects/reader.h"
#include "apiserver/request/request.h"
#include "base/random.h"
#include "http/client/request.h"
#include "http/wire/url.h"

namespace proa::apiserver {

// What is asked of a node, or of something that runs on one.
enum class Connection : uint8_t {
  kLog,     // text from a kubelet
  kStream,  // exec, attach, portforward: a kubelet that switches protocols, else nothing
  kProxy,   // somebody's own server, that knows nothing of this API
};

// Where it is to be had.
struct Destination {
  Connection connection = Connection::kProxy;
  http::Origin origin = {};
  std::string target = "/";  // path and query
  bool is_kubelet = false;   // over the connection that kubelets trust
  bool verified = true;      // of kubelets: they must show whose certificate they have
  // Of proxies, the path up to ".../proxy": what stands before each path of that server here.
  std::string prefix = {};
};

// Nullopt for resources that are answered here. Log, exec, attach and portforward of pods; proxy of
// pods, services and nodes.
std::optional<Connection> connection_of(const Request& request);

// Failures in upstream's words. Nullopt: there is nothing there yet, and so nothing to tell (logs
// of a pod without a node). REQUIRES: connection_of(). `random` chooses among endpoints.
Result<std::optional<Destination>> find_destination(const ObjectReader& objects,
                                                    const Request& request,
                                                    const http::Target& target, Random& random);

}  // namespace proa::apiserver
