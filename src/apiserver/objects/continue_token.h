#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "store/entry.h"

namespace proa::apiserver {

// Where a paginated list continues, in upstream's format.
struct ContinueToken {
  store::Revision revision;  // negative: current
  std::string start;         // the next key, without the resource's prefix

  std::string encode() const;
  // Fails with kBadRequest: clients may send arbitrary tokens.
  static Result<ContinueToken> decode(std::string_view text);
};

}  // namespace proa::apiserver
