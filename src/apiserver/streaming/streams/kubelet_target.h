#pragma once

#include <string>

#include "api/object/view.h"
#include "apiserver/request/request.h"
#include "http/wire/url.h"

namespace proa::apiserver {

// What a kubelet is asked for.
struct KubeletTarget {
  std::string text = {};  // "/exec/NAMESPACE/POD/CONTAINER?command=..."
  bool verified = true;   // false: whoever asks takes its certificate as it is
};

// Which container of a pod is meant; kBadRequest where that can't be said.
Result<std::string> choose_container(api::View pod, std::string_view wanted);

// A flag of a query, as upstream reads it: what is there and not a false one means yes.
bool stream_flag(const http::Target& target, std::string_view name);

// With the kubelet's own names for the parameters. `request` is one of log, exec, attach,
// portforward.
Result<KubeletTarget> kubelet_target(const Request& request, const http::Target& target,
                                     api::View pod);

}  // namespace proa::apiserver
