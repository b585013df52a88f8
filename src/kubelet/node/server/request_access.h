#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace proa::kubelet {

// What a caller of the node's server needs to be allowed: the verb, on this Node, for any one of
// the subresources.
struct RequestAccess {
  std::string verb = {};  // empty for methods that have none
  std::vector<std::string> subresources = {};
};

// By method and path ("/pods"), as v1.36 has it: fine-grained ones first, then "proxy" or the like.
// But exec and its like need "create" whatever the method.
RequestAccess access_for(std::string_view method, std::string_view path);

}  // namespace proa::kubelet
