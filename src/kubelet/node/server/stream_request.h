#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/client/request.h"
#include "http/wire/message.h"
#include "http/wire/url.h"
#include "kubelet/runtime/cri/runtime.h"

namespace proa::kubelet {

// The streams that exec and attach connect. kBadRequest if there are none.
Result<cri::StreamChoices> read_stream_choices(const http::Target& target);

// The ports of a WebSocket request: `port=80,443`. With SPDY each stream names its own. kBadRequest
// in upstream's words.
Result<std::vector<int32_t>> read_ports(const http::Target& target,
                                        const http::RequestHead& request);

// Checks that the requested protocol is one of the runtime's: SPDY, or WebSocket with one of the
// older subprotocols. kBadRequest for others: kubectl falls back to SPDY then.
Result<void> check_protocol(const http::RequestHead& request);

// The request to the runtime's streaming URL: only the headers that the protocol needs, no
// credentials. Fails if the URL is not of this host.
Result<http::ClientRequest> runtime_request(std::string_view url, const http::RequestHead& request);

}  // namespace proa::kubelet
