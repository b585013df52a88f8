#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace proa::kubelet {

// The permission that a request needs: the verb on this Node, for one of the subresources.
struct RequestAccess {
  std::string verb = {};  // empty for other methods
  std::vector<std::string> subresources = {};
};

// By method and path ("/pods"), as in v1.36: fine-grained subresources first, then "proxy" or the
// like. exec and the like need "create" for any method.
RequestAccess access_for(std::string_view method, std::string_view path);

}  // namespace proa::kubelet
