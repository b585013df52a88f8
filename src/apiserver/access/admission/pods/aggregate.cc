#include "apiserver/access/admission/pods/aggregate.h"

#include <string_view>
#include <unordered_set>

#include "base/text/seeded_hash.h"

namespace proa::apiserver {

std::string aggregate_text(std::span<const std::string> failures) {
  std::unordered_set<std::string_view, SeededHash> seen;
  std::string text;
  for (const std::string& failure : failures) {
    if (!seen.insert(failure).second) continue;
    if (seen.size() > 1) text += ", ";
    text += failure;
  }
  return seen.size() > 1 ? "[" + text + "]" : text;
}

}  // namespace proa::apiserver
