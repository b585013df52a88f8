#pragma once

#include <string>

#include "api/object/view.h"
#include "apiserver/request/request.h"
#include "http/wire/url.h"

namespace proa::apiserver {

// The target of a kubelet request.
struct KubeletTarget {
  std::string text = {};  // "/exec/NAMESPACE/POD/CONTAINER?command=..."
  bool verified = true;   // false: the client skips verification of the kubelet's certificate
};

// Resolves the container of a pod; fails with kBadRequest if it is ambiguous or unknown.
Result<std::string> choose_container(api::View pod, std::string_view wanted);

// A query flag as upstream parses it: true if present and not false.
bool stream_flag(const http::Target& target, std::string_view name);

// Uses the kubelet's parameter names. `request` is one of log, exec, attach, portforward.
Result<KubeletTarget> kubelet_target(const Request& request, const http::Target& target,
                                     api::View pod);

}  // namespace proa::apiserver
