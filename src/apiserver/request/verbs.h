#pragma once

#include "api/schema/resource.h"

namespace proa::apiserver {

// Whether requests with this verb have selectors (ListOptions).
inline bool selects(api::Verb verb) {
  return verb == api::Verb::kList || verb == api::Verb::kWatch ||
         verb == api::Verb::kDeleteCollection;
}

}  // namespace proa::apiserver
