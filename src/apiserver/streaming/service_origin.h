#pragma once

#include <string>

#include "apiserver/access/webhook/hook_config.h"
#include "apiserver/objects/reader.h"
#include "apiserver/streaming/pod_tunnel.h"
#include "base/random.h"
#include "http/client/request.h"

namespace proa::apiserver {

// One of the endpoints that are ready, at random, so that this server needs no route to the
// addresses of Services. For an external name, that name: connections to it need
// check_external_name(). Fails with upstream's messages.
Result<http::Origin> find_service(const ObjectReader& objects, const ServicePort& service,
                                  Random& random, PodEgress egress);

}  // namespace proa::apiserver
