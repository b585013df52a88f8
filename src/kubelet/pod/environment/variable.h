#pragma once

#include <string>
#include <vector>

namespace proa::kubelet {

struct Variable {
  std::string name = {};
  std::string value = {};
  bool operator==(const Variable&) const = default;
};
using Environment = std::vector<Variable>;  // in the order that containers get it

}  // namespace proa::kubelet
