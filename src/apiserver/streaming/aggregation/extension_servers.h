#pragma once

#include <stop_token>
#include <string>

#include "apiserver/objects/catalogue/extension_apis.h"
#include "apiserver/objects/reader.h"
#include "apiserver/request/request.h"
#include "apiserver/streaming/aggregation/extension_clients.h"
#include "apiserver/streaming/pod_tunnel.h"
#include "base/clock.h"
#include "base/random.h"
#include "http/client/request.h"

namespace proa::apiserver {

// What this server itself asks an extension API server for.
struct ExtensionQuestion {
  std::string path;
  std::string method = "GET";
  std::string accept = "application/json";
  std::string known_tag = {};  // an ETag; empty: none
  const User& user;
  Duration timeout = std::chrono::seconds(5);
};

// Finds extension API servers and asks them. Thread-safe.
class ExtensionServers {
 public:
  // All outlive it.
  struct Context {
    ExtensionClients& clients;
    ObjectReader objects;
    PodEgress egress = PodEgress::kDirect;
    Random& random;
    Clock& clock;
  };
  explicit ExtensionServers(Context context) : context_(context) {}

  // One of the endpoints of the Service, at random, with the name that its certificate must have.
  Result<http::Origin> find(const ExtensionApi& api) const;
  Result<std::shared_ptr<http::Client>> client_for(const ExtensionApi& api) const {
    return context_.clients.client_for(api);
  }

  bool is_own(const std::vector<std::string>& chain_der) const {
    return context_.clients.is_own(chain_der);
  }

  // The whole response, whatever its status code. Redirects are not followed. Not on a loop's
  // thread.
  Result<http::Response> ask(const ExtensionApi& api, const ExtensionQuestion& question,
                             std::stop_token stop) const;
  // Whether one of some endpoints serves the group version; upstream's message if none does. Not on
  // a loop's thread.
  Result<void> probe(const ExtensionApi& api, std::stop_token stop) const;

 private:
  http::ClientRequest request(const http::Origin& origin, const ExtensionQuestion& question) const;

  const Context context_;
};

}  // namespace proa::apiserver
