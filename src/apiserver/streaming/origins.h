#pragma once

#include <string_view>

#include "api/object/view.h"
#include "apiserver/objects/reader.h"
#include "apiserver/streaming/pod_tunnel.h"
#include "http/client/request.h"

// Where kubelets and pods listen.

namespace proa::apiserver {

// Whether the address may be dialed: neither loopback nor link-local. Slightly stricter than Go's
// IsGlobalUnicast.
bool may_be_reached(std::string_view address);
// The server of an external name, which whoever writes a Service chooses: what it resolves to must
// be an address that may be dialed. check_external_name() sees to that before it is connected to.
Result<http::Origin> external_origin(std::string_view name, int port);
// Refuses such an address; an http::AddressCheck. The name is resolved once: the address that is
// judged is the one that is connected to.
Result<void> check_external_name(const http::Origin& origin, const std::string& address);

http::Origin origin_of(std::string_view scheme, std::string_view address, int port);

// Of the core group. Fails with kNotFound.
Result<json::Document> document_of(const ObjectReader& objects, std::string_view resource,
                                   std::string_view name_space, std::string_view name);

Result<http::Origin> kubelet_of(const ObjectReader& objects, std::string_view node);

bool has_address(api::View pod, std::string_view address);
// Sets the way to an origin in a pod. Pods that no node runs have no address either.
Result<void> set_way(const ObjectReader& objects, api::View pod, PodEgress egress,
                     http::Origin& origin);

}  // namespace proa::apiserver
