#pragma once

#include "apiserver/front/paths/path_handler.h"
#include "apiserver/objects/catalogue/catalogue.h"

namespace proa::apiserver {

// /: the paths that there are, sorted, for people who look around.
class IndexPath final : public PathHandler {
 public:
  // REQUIRES: the catalogue outlives it.
  explicit IndexPath(Catalogue& catalogue) : catalogue_(catalogue) {}

  std::optional<http::Response> answer(const http::RequestHead& head,
                                       const http::Target& target) override;

 private:
  Catalogue& catalogue_;
};

}  // namespace proa::apiserver
