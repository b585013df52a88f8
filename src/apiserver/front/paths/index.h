#pragma once

#include <string>
#include <utility>
#include <vector>

#include "apiserver/front/paths/path_handler.h"
#include "apiserver/objects/catalogue/catalogue.h"
#include "apiserver/streaming/aggregation/aggregation.h"

namespace proa::apiserver {

// /: the paths that there are, sorted, for people who look around.
class IndexPath final : public PathHandler {
 public:
  // `aggregation`: null if no other servers answer. REQUIRES: both outlive it.
  IndexPath(Catalogue& catalogue, Aggregation* aggregation)
      : catalogue_(catalogue), aggregation_(aggregation) {}

  // One more path. REQUIRES: before the first answer.
  void add(std::string path) { more_.push_back(std::move(path)); }

  std::optional<http::Response> answer(const http::RequestHead& head,
                                       const http::Target& target) override;

 private:
  Catalogue& catalogue_;
  Aggregation* const aggregation_;
  std::vector<std::string> more_;
};

}  // namespace proa::apiserver
