#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "store/entry.h"

namespace proa::apiserver {

// Where a list goes on, in upstream's form: clients pass it back as it is.
struct ContinueToken {
  store::Revision revision;  // negative: whatever is there now
  std::string start;         // the first key that is wanted, behind the resource's prefix

  std::string encode() const;
  // Failures are kBadRequest: tokens come from clients, who may have made them up.
  static Result<ContinueToken> decode(std::string_view text);
};

}  // namespace proa::apiserver
