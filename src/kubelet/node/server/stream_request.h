#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/client/request.h"
#include "http/wire/message.h"
#include "http/wire/url.h"
#include "kubelet/runtime/cri/runtime.h"

namespace proa::kubelet {

// What exec and attach want to have tied together. kBadRequest when that is nothing.
Result<cri::StreamChoices> read_stream_choices(const http::Target& target);

// The ports that a WebSocket names: `port=80,443`. Over SPDY they come later, each with its stream.
// kBadRequest in upstream's words.
Result<std::vector<int32_t>> read_ports(const http::Target& target,
                                        const http::RequestHead& request);

// Whether the request asks for a protocol that the runtime speaks: SPDY, or WebSocket with one of
// the older subprotocols. kBadRequest for others: kubectl tries SPDY then.
Result<void> check_protocol(const http::RequestHead& request);

// The request that is sent to the runtime's streaming URL: of what the client sent only what the
// protocol needs, no credentials. A failure when the URL leads anywhere but to this machine.
Result<http::ClientRequest> runtime_request(std::string_view url, const http::RequestHead& request);

}  // namespace proa::kubelet
