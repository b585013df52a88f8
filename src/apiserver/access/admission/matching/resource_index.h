#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/access/admission/matching/criteria.h"

namespace proa::apiserver {

// Which of some criteria may be about a resource, by its plural name in any group. Most requests
// concern none. Made in time linear in the names that rules have: one rule may have 100,000, and
// all writes wait for the index.
class ResourceIndex {
 public:
  // The first criteria have place 0, the next ones place 1.
  void add(const MatchCriteria& criteria);

  bool has(std::string_view resource) const;
  // The places of those that may be about the resource, ascending.
  std::vector<uint32_t> find(std::string_view resource) const;

 private:
  uint32_t count_ = 0;
  std::map<std::string, std::vector<uint32_t>, std::less<>> listed_;
  // Those that are about resources with other names, too. They are not repeated for each name.
  std::vector<uint32_t> others_;
};

}  // namespace proa::apiserver
