#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apiserver/objects/selection.h"
#include "apiserver/request/options.h"
#include "apiserver/request/request.h"
#include "store/store.h"

namespace proa::apiserver {

// A consistent list. Holds the objects, not the store.
struct Listed {
  std::vector<store::EntryPtr> entries;
  store::Revision revision;
  std::string continue_token;        // empty on the last page
  std::optional<int64_t> remaining;  // only known without selectors
};

// From memory; never blocks. Fails with kExpired, including a token to continue with, if the
// revision was compacted.
Result<Listed> list_objects(const store::Store& store, const Request& request,
                            const ListOptions& options, const Selection& selection);

// Fails with kNotFound. `minimum`: a resourceVersion that the client has seen ("" or "0": any).
Result<store::EntryPtr> get_object(const store::Store& store, const Request& request,
                                   std::string_view minimum);

// 504 for a future revision, as upstream.
Status too_large_resource_version(int64_t asked, int64_t current);

}  // namespace proa::apiserver
