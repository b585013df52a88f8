#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apiserver/objects/selection.h"
#include "apiserver/request/options.h"
#include "apiserver/request/request.h"
#include "store/store.h"

namespace proa::apiserver {

// Objects of one moment. Whoever holds it holds the objects, not the store.
struct Listed {
  std::vector<store::EntryPtr> entries;
  store::Revision revision;
  std::string continue_token;        // empty at the end
  std::optional<int64_t> remaining;  // known only where nothing is selected
};

// From memory; never waits. kExpired with a token to go on with when the revision is gone.
Result<Listed> list_objects(const store::Store& store, const Request& request,
                            const ListOptions& options, const Selection& selection);

// kNotFound. `minimum`: the resourceVersion that the caller has seen ("" or "0": any).
Result<store::EntryPtr> get_object(const store::Store& store, const Request& request,
                                   std::string_view minimum);

// 504 for a revision that is still to come, as upstream says it.
Status too_large_resource_version(int64_t asked, int64_t current);

}  // namespace proa::apiserver
