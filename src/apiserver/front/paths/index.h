#pragma once

#include "api/schema/schema.h"
#include "apiserver/front/paths/path_handler.h"

namespace proa::apiserver {

// /: the paths that there are, sorted, for people who look around.
class IndexPath final : public PathHandler {
 public:
  explicit IndexPath(const api::Schema& schema);

  std::optional<http::Response> answer(const http::RequestHead& head,
                                       const http::Target& target) override;

 private:
  const Bytes document_;
};

}  // namespace proa::apiserver
