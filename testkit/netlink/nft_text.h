#pragma once

#include <string>
#include <string_view>

namespace proa::testkit {

// What `nft list ruleset` printed, with sorted elements, one a line: as netlink/nft/print.h writes
// it. The times that elements of dynamic sets have left are removed.
std::string sorted_listing(std::string_view listed);

}  // namespace proa::testkit
