#include "apiserver/resources/write/owners.h"

#include <unordered_set>

#include "base/strings.h"
#include "base/text/seeded_hash.h"
#include "json/print.h"

namespace proa::apiserver {

void drop_duplicate_owners(api::Edit object, OwnersAt when, const Request& request) {
  const api::View owners = object["metadata"]["ownerReferences"];
  if (owners.size() < 2) return;
  json::Value kept = json::Value::array();
  std::vector<std::string_view> duplicates;
  std::unordered_set<std::string, SeededHash> seen;
  for (const api::View owner : owners.items()) {
    if (seen.insert(json::print(*owner.value())).second) {
      kept.push_back(object.arena(), owner.value()->copy(object.arena()));
    } else {
      duplicates.push_back(owner["uid"].text());
    }
  }
  if (duplicates.empty()) return;
  request.warn(std::string(".metadata.ownerReferences contains duplicate entries") +
               (when == OwnersAt::kAfterAdmission ? " after mutating admission happens" : "") +
               "; API server dedups owner references in 1.20+, and may reject such requests as "
               "early as 1.24; please fix your requests; duplicate UID(s) observed: " +
               join(duplicates, ", "));
  object.object("metadata").set("ownerReferences", std::move(kept));
}

}  // namespace proa::apiserver
