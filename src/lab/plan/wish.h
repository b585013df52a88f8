#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace proa::lab {

// How the machines are connected: to one switch, or to a router with a subnet for each.
enum class Topology : uint8_t { kBridged, kRouted };
// The address families of machines, pods and Services.
enum class Families : uint8_t { kV4, kV6, kDual };

// A lab as the user asked for it. It is kept in the lab's folder, and everything else follows from
// it.
struct Wish {
  std::string name = {};
  int nodes = 3;
  bool server_apart = false;  // the API server has a machine of its own, which is no node
  Topology topology = Topology::kBridged;
  Families families = Families::kV4;
  std::vector<std::string> server_flags =
      {};  // more flags of `proa up` on the first node, or of `proa server`
  std::vector<std::string> node_flags = {};  // more flags of `proa node`, which runs on the others

  bool operator==(const Wish&) const = default;
};

inline constexpr int kMostNodes = 50;

// The names of labs are parts of paths and of cgroups: lower case letters, digits and '-'.
Result<void> check_lab_name(std::string_view name);

std::string print_wish(const Wish& wish);
// kInvalid for anything that print_wish() does not write.
Result<Wish> parse_wish(std::string_view text);

}  // namespace proa::lab
