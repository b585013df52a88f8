#pragma once

#include <string>
#include <vector>

#include "apiserver/objects/catalogue/extension_apis.h"
#include "apiserver/request/request.h"
#include "apiserver/streaming/aggregation/extension_servers.h"
#include "base/time.h"
#include "http/server/exchange.h"
#include "http/wire/url.h"

namespace proa::apiserver {

// A request for an extension API server, whose user is authorized.
struct ExtensionRequest {
  http::ExchangePtr exchange;
  const http::Target& target;
  UserPtr user;
  Duration timeout = Duration::zero();  // zero: it runs as long as it wants, as watches do
  Warnings warnings = {};               // added to the response
};

// Passes a request on to the server of `api`, in the name of its user: the client's credentials
// stay here. Streams both bodies; upgrades to WebSocket and SPDY are passed on, too. Fails with
// upstream's texts. REQUIRES: on the exchange's loop; `servers` outlives the exchange.
void forward_to_extension(const ExtensionRequest& request, const ExtensionApi& api,
                          const ExtensionServers& servers);

}  // namespace proa::apiserver
